from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing

import pytest
from django.conf import settings

from tests.contract.outsider import Outsider

ON_MARIADB = "mysql" in settings.DATABASES["default"]["ENGINE"]


@pytest.fixture(params=["-05:00", "+09:00"] if ON_MARIADB else ["UTC"])
def outsider(transactional_db: None, request: pytest.FixtureRequest) -> Iterator[Outsider]:
    """A foreign session; on MariaDB once in a time zone behind ours, once in one before it."""
    with closing(Outsider(request.param)) as session:
        yield session


@pytest.fixture
def another_outsider(transactional_db: None) -> Iterator[Outsider]:
    """A second foreign session, in yet another time zone."""
    with closing(Outsider("+01:00")) as session:
        yield session
