"""What the queue says of an item when a person asks why something is where it is: for the explainer of its type."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Any

from core import registry
from core.reasons import Next, Reason
from core.registry import Effective
from workqueue import setting_specs
from workqueue.registry import TYPES
from workqueue.services.showing import Shown, show, unread
from workqueue.services.working import workable_types
from workqueue.values import Phase

# The page of the item has the rest.
LONGEST_ERROR = 200


def explain(item: Any, now: datetime, *, name: str, prefix: str) -> Iterator[Reason]:
    """Yield what there is to know of an active or failed item; asks the database five times, and nothing for others.

    `name` is what people call it ("Its submission"); the codes begin with `prefix`.
    """
    phase = Phase(item.phase)
    if phase is Phase.FAILED:
        text = (
            f"{name} (work item {item.pk}) has failed and waits for a retry by a person: {_short(item.error)}"
        )
        yield Reason(f"{prefix}_failed", text, passed=False, asks=True)
    if phase is not Phase.ACTIVE:
        return
    (shown,) = show([item])
    values = registry.effective()
    yield _of_active(shown, now, values, f"{name} (work item {item.pk})", prefix)
    if why := _why_not_handled(item.item_type, values):
        yield Reason(f"{prefix}_not_handled", why, passed=False)
    if events := unread(item):
        yield Reason(
            f"{prefix}_events", f"{events} Event{'s wait' if events > 1 else ' waits'} to be read by it."
        )


def _of_active(shown: Shown, now: datetime, values: Effective, name: str, prefix: str) -> Reason:
    deed = f"{shown.next.action}, because {shown.next.sentence}" if shown.next.action else "nothing so far"
    if shown.leased:
        until = _exact(shown.item.leased_until)
        text = f"{name} is held by a worker until {until}, or longer if it says so. To be done: {deed}."
        return Reason(f"{prefix}_working", text + _failures(shown, values))
    if shown.next.action and shown.next.at:
        text = f"{name} is tried again: {deed}.{_failures(shown, values)}"
        return Reason(f"{prefix}_retrying", text, passed=False, next=Next("it is tried again", shown.next.at))
    if shown.next.action:
        return Reason(f"{prefix}_due", f"{name} waits for a worker: {deed}.{_failures(shown, values)}")
    if at := shown.next.at:
        # The sweep wakes it within the minute.
        again = Next("its work item is looked at again", max(at, now))
        return Reason(f"{prefix}_put_off", f"{name} is put off: {_needs(shown, at)}.", next=again)
    return Reason(f"{prefix}_at_rest", f"{name} is active. {shown.next.sentence}")


def _needs(shown: Shown, at: datetime) -> str:
    """Name what is needed again at that instant."""
    names = sorted({each.dimension for each in shown.dimensions if each.pending_until == at})
    return f"{', '.join(names)} not before {_exact(at)}"


def _failures(shown: Shown, values: Effective) -> str:
    item = shown.item
    if not item.error:
        return ""
    most = values[setting_specs.MAX_ATTEMPTS]
    return f" Failures in a row: {item.attempts} of {most} at most; the last one: {_short(item.error)}"


def _why_not_handled(item_type: str, values: Effective) -> str:
    if item_type in workable_types(values):
        return ""
    known = TYPES.get(item_type)
    if known and (obstacle := known.obstacle()):
        return f"Nobody can work on it here: {obstacle}."
    return f"Work items of type {item_type} are not worked on: {setting_specs.HANDLED_TYPES.name} leaves them out."


def _short(error: str) -> str:
    return error if len(error) <= LONGEST_ERROR else f"{error[:LONGEST_ERROR]}…"


def _exact(instant: datetime | None) -> str:
    return f"{instant:%Y-%m-%d %H:%M:%S} UTC" if instant else "some time"
