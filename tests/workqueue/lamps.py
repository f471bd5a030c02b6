"""A made-up item type: the engine learns of it by the registry alone, as it does of any other."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import partial
from typing import Any

from django.db import connection, models
from django.db.models import Q

from tests.workqueue import lamp_rules
from workqueue import registry
from workqueue.models import WorkItem
from workqueue.registry import ItemType, Job
from workqueue.services import submitting
from workqueue.values import Changes, DimensionUpdate, Done, Event, EventResult, Outcome, Phase

SWITCHED_ON = datetime(2026, 3, 4, 9, 0, tzinfo=UTC)


class Lamp(WorkItem):
    """Lives in an app that is not installed: its table is made by the tests (conftest.py)."""

    item = models.OneToOneField(
        WorkItem,
        on_delete=models.CASCADE,
        parent_link=True,
        primary_key=True,
        db_constraint=False,
        related_name="+",
        db_column="WorkItemSequence",
    )
    room = models.CharField(max_length=50, db_default="", db_column="Room")
    brightness = models.PositiveIntegerField(db_default=0, db_column="Brightness")

    class Meta:
        app_label = "lamps"
        db_table = "test_lamps"


def light(job: Job) -> Outcome:
    return Done("it shines", Changes(columns={"brightness": 100}, dimensions=[handled("needs_light", job)]))


def dust(job: Job) -> Outcome:
    return Done("it is clean", Changes(dimensions=[handled("needs_dusting", job)]))


def handled(dimension: str, job: Job) -> DimensionUpdate:
    return DimensionUpdate(dimension, needed=False, variant=job.action.variant)


# What tests replace, by executor's name.
EXECUTORS: dict[str, Callable[[Job], Outcome]] = {"light": light, "dust": dust}


def act(name: str, job: Job) -> Outcome:
    return EXECUTORS[name](job)


def on_lamp(event: Event, lamp: Any) -> EventResult:
    """Events say in their payload what they mean: enough for everything that the engine does with one."""
    said = event.payload
    return EventResult(
        trigger=f"{event.action} in {lamp.room}",
        phase=Phase(said["phase"]) if "phase" in said else None,
        at=datetime.fromisoformat(said["at"]) if "at" in said else None,
        dimensions=[DimensionUpdate(*each) for each in said.get("dimensions", [])],
    )


def resolve(event: Event) -> Q | None:
    return Q(room=event.payload["room"]) if "room" in event.payload else None


LAMP = ItemType(
    name="lamp",
    model=Lamp,
    decide=lamp_rules.decide,
    executors={"light": partial(act, "light"), "dust": partial(act, "dust")},
    dimensions=tuple(lamp_rules.ACTIONS),
    facts=lambda lamp: (lamp.room, lamp.brightness),
    resolve=resolve,
    handlers={"lamp": on_lamp},
    outcome_of=lambda error: error.args[0] if isinstance(error, Told) else None,
    why_not_retry=lambda lamp: "It is broken for good." if lamp.room == "cellar" else "",
    on_retry=lambda _: Changes(dimensions=[DimensionUpdate("needs_light", needed=True)]),
)


class Told(Exception):
    """An error whose outcome its type knows."""


def register() -> None:
    if LAMP.name not in registry.TYPES:
        registry.register(LAMP)


@contextmanager
def table() -> Iterator[None]:
    """Make the detail table for as long as the block runs."""
    _drop()
    with connection.schema_editor() as editor:
        editor.create_model(Lamp)
    try:
        yield
    finally:
        _drop()


def _drop() -> None:
    with connection.cursor() as cursor:
        cursor.execute("DROP TABLE IF EXISTS test_lamps")


def submit(room: str = "hall", *, brightness: int = 0, caller: str = "alice") -> tuple[int, str]:
    """Submit as a type's own service does; return the item and a word for what became of it."""

    def step() -> tuple[int, str]:
        found = submitting.newest(LAMP, room, actor=caller)
        wish = [DimensionUpdate("needs_light", needed=True), DimensionUpdate("needs_dusting", needed=False)]
        changes = Changes(columns={"brightness": brightness}, dimensions=wish)
        if found is None or found.phase in {Phase.COMPLETED, Phase.CANCELLED}:
            new = Changes(columns={"room": room, **changes.columns}, dimensions=wish)
            made = submitting.create(LAMP, room, new, caller=caller, after=found)
            return made.item.pk, "created"
        if found.phase is Phase.FAILED:
            submitting.revive(found, changes, "submitted again")
            return found.item.pk, "retried"
        if found.item.brightness == brightness:
            return found.item.pk, "unchanged"
        submitting.change(found, changes, "another brightness is wished for")
        return found.item.pk, "updated"

    return submitting.in_one_step(step)
