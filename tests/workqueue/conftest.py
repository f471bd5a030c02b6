"""What the tests of the work queue share: a registered type, its table, and a lit hall."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from core.models import Setting
from tests.api.conftest import caller, user_with  # noqa: F401 (fixtures)
from tests.monitor.conftest import person, see, viewer  # noqa: F401 (fixtures)
from tests.webhooks.conftest import hook  # noqa: F401 (fixture)
from tests.workqueue import lamps
from tests.workqueue.lamps import Lamp
from workqueue import registry
from workqueue.models import WorkItem
from workqueue.registry import Job
from workqueue.values import Outcome


@pytest.fixture(scope="session")
def lamp_table(django_db_setup: None, django_db_blocker: Any) -> Iterator[None]:
    with django_db_blocker.unblock(), lamps.table():
        yield


@pytest.fixture(autouse=True)
def lamp_type() -> Iterator[None]:
    lamps.register()
    yield
    registry.TYPES.pop(lamps.LAMP.name)


@pytest.fixture
def shop(db: None, lamp_table: None) -> None:
    """The queue handles lamps; nothing is left of an earlier test."""
    Lamp._base_manager.all()._raw_delete("default")
    Setting.objects.create(name="workqueue.handled-types", value="lamp")


@pytest.fixture
def executor(monkeypatch: pytest.MonkeyPatch) -> Callable[[str, Callable[[Job], Outcome]], None]:
    """Replace an executor of lamps for the test."""

    def replace(name: str, act: Callable[[Job], Outcome]) -> None:
        monkeypatch.setitem(lamps.EXECUTORS, name, act)

    return replace


def item(sequence: int) -> WorkItem:
    """Return the item as it is stored now."""
    return WorkItem.objects.get(pk=sequence)


def dimensions(sequence: int) -> dict[str, str]:
    """Return the status of each dimension, variants as name[variant]."""
    rows = WorkItem.objects.get(pk=sequence).dimensions.all()
    return {f"{row.dimension}[{row.variant}]" if row.variant else row.dimension: row.status for row in rows}


def told(sequence: int, kind: str = "") -> list[str]:
    """Return the sentences of the audit, in order."""
    rows = WorkItem.objects.get(pk=sequence).audit.order_by("pk")
    return [row.sentence for row in rows if kind in {"", row.kind}]
