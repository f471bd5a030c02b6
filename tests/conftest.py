"""Fixtures that every test may ask for."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Any

import pytest
from django.db import connection as default_connection
from django.db.backends.signals import connection_created

from core import stopping
from tests.clock import DrivenClock, install_sqlite_keyword

connection_created.connect(install_sqlite_keyword, dispatch_uid="tests.clock.sqlite")


@pytest.fixture
def clock(db: None) -> Iterator[DrivenClock]:
    """The driven clock, standing at 2026-03-04 09:00 UTC."""
    with DrivenClock() as driven:

        def tell_new_connection(connection: Any, **_: Any) -> None:
            driven.tell(connection)

        connection_created.connect(tell_new_connection, dispatch_uid="tests.clock.mariadb")
        try:
            yield driven
        finally:
            connection_created.disconnect(dispatch_uid="tests.clock.mariadb")


@pytest.fixture
def now(clock: DrivenClock) -> datetime:
    """The present of the driven clock."""
    return clock.now


@pytest.fixture
def mariadb(db: None) -> None:
    """Skip the test on another database: the promise is about MariaDB alone."""
    if default_connection.vendor != "mysql":
        pytest.skip("about MariaDB; this run is on another database")


@pytest.fixture
def stop_byte(monkeypatch: pytest.MonkeyPatch) -> bytearray:
    """The byte of core.stopping, for this test alone: not 0 once somebody asked for a stop."""
    byte = bytearray(1)
    monkeypatch.setattr(stopping, "_asked", byte)
    return byte
