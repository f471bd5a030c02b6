"""A turn: one transaction between two actions of an item; the last of one item may hold the first of the next.

Under the row's lock, and only while the lease holds: what the last action came to, the events that wait, the next
decision, and either the attempt that is about to be made or the end. Nothing is held open while an action runs.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from typing import Any

import structlog
from django.db import transaction

from core.transactions import patiently
from core.version import STAMP
from workqueue import decisions
from workqueue.models import NOBODY
from workqueue.registry import ItemType
from workqueue.services.deciding import next_action
from workqueue.services.events import drain
from workqueue.services.holding import Held, hold, write
from workqueue.values import (
    Action,
    AuditKind,
    Changes,
    DimensionUpdate,
    Done,
    Outcome,
    Permanent,
    Phase,
    RetryLater,
    Snapshot,
    Transient,
)

log = structlog.get_logger(__name__)


@dataclass(frozen=True)
class Place:
    """Which item, of which type, under which lease, and how many failures in a row it may have."""

    item_type: ItemType
    sequence: int
    token: str
    most_attempts: int


@dataclass(frozen=True)
class Step:
    """An action whose attempt is written: to be carried out now. `revision` = the item's when it was decided."""

    action: Action
    item: Any
    snapshot: Snapshot
    revision: int


@dataclass(frozen=True)
class Ended:
    """A step and what it came to."""

    step: Step
    outcome: Outcome


@dataclass(frozen=True)
class Turn:
    """What a turn came to: the item's next step, None = the item is left and its lease over.

    `after` is the first turn of the item that follows, when both were committed together; None = it was not taken.
    """

    step: Step | None
    after: Turn | None = None


def take_turn(place: Place, ended: Ended | None, *, leave: bool, following: Place | None = None) -> Turn:
    """Settle the last step, read the events, decide; when that leaves the item, begin with the `following` one.

    `leave` = no further step, whatever is decided: the worker's time for the item is up. Raises LeaseLost.
    """
    decided = partial(_take_turn, place, ended, leave=leave)
    joint = _together(decided, following) if following else None
    return joint or Turn(patiently(partial(_alone, decided)))


@dataclass(frozen=True)
class Unwritten:
    """A turn that has decided on its step, None = the item is left, and written nothing yet but dimensions."""

    held: Held
    step: Step | None


def _alone(decided: Callable[[], Unwritten]) -> Step | None:
    turn = decided()
    write(turn.held)
    return turn.step


def _together(decided: Callable[[], Unwritten], following: Place) -> Turn | None:
    """Leave an item and begin with the next by one commit, the dearest part of a turn; None = nothing was written.

    Neither may pay for the other: whatever goes wrong with one of them, each is then taken alone.
    """
    try:
        with transaction.atomic():
            turn = decided()
            begun = None if turn.step else _first_turn(following)
            write(turn.held, *([begun.held] if begun else []))
            return Turn(turn.step, Turn(begun.step) if begun else None)
    except Exception:
        log.info("turns taken one by one", following=following.sequence, exc_info=True)
        return None


def write_early(place: Place, step: Step, changes: Changes) -> None:
    """Store changes while the step's action still runs; raises LeaseLost."""
    patiently(partial(_write_early, place, step, changes))


def stumble(place: Place, error: str) -> None:
    """Count a failure of our own (a decider, a handler) as one of the item's; raises LeaseLost."""
    patiently(partial(_stumble, place, error))


def _first_turn(place: Place) -> Unwritten | None:
    """Begin an item that has no unread events: what those may break (their bodies are large) is its own affair."""
    held = _hold(place)
    return None if held.unread else _go_on(held, place, leave=False)


def _take_turn(place: Place, ended: Ended | None, *, leave: bool) -> Unwritten:
    held = _hold(place)
    if ended:
        _settle(held, ended, place.most_attempts)
    if held.unread:
        drain(held)
    return _go_on(held, place, leave=leave)


def _go_on(held: Held, place: Place, *, leave: bool) -> Unwritten:
    step = _decide(held, place.most_attempts, leave=leave)
    if step is None:
        held.set(leased_until=None, lease_token=None)
    return Unwritten(held, step)


def _hold(place: Place) -> Held:
    return hold(place.item_type, place.sequence, token=place.token, actor=STAMP)


def _decide(held: Held, most: int, *, leave: bool) -> Step | None:
    """Decide what comes next: a step, or why there is none and the item is left."""
    if held.phase is not Phase.ACTIVE:
        return None
    snapshot = held.snapshot()
    action = next_action(held.item_type, snapshot)
    if action is None:
        # All events are read and this row is locked: whoever makes work now finds the item free, and rings.
        held.ledger.note(AuditKind.DECISION, "nothing to do now")
        held.set(actionable=False)
        return None
    if why := decisions.why_parked(held.item.attempts, most, held.item.error):
        held.enter(Phase.FAILED, why)
        return None
    if leave or held.item.due_at > held.now:
        held.set(actionable=True, due_at=max(held.item.due_at, held.now))
        return None
    return _begin(held, snapshot, action)


def _begin(held: Held, snapshot: Snapshot, action: Action) -> Step:
    """Write the attempt before the work, so that one which kills its worker counts too."""
    held.ledger.note(AuditKind.DECISION, f"{action.name}: {action.reason}", action=action.name)
    held.set(attempts=held.item.attempts + 1, error="")
    return Step(action, held.item, snapshot, held.item.revision)


def _settle(held: Held, ended: Ended, most: int) -> None:
    action, outcome = ended.step.action, ended.outcome
    word = type(outcome).__name__.lower()
    held.ledger.note(
        AuditKind.OUTCOME, f"{action.name} {word}: {outcome.reason}", action=action.name, outcome=word
    )
    if _overtaken(held, ended.step):
        held.apply(_what_stays(outcome.changes), outcome.reason)
        return
    held.apply(outcome.changes, outcome.reason)
    match outcome:
        case Done():
            held.set(attempts=0, error="")
        case RetryLater():
            _postpone(held, action, outcome.until)
        case Transient():
            _fail_once(held, outcome.reason, most)
        case Permanent():
            held.enter(Phase.FAILED, outcome.reason)


def _postpone(held: Held, action: Action, until: datetime) -> None:
    """Put off what asked for the action; the attempt that was written before it is taken back."""
    held.set(attempts=max(0, held.item.attempts - 1))
    if action.dimension:
        held.mark(
            [DimensionUpdate(action.dimension, needed=True, variant=action.variant, pending_until=until)]
        )
    else:
        held.set(due_at=until, actionable=True)


def _overtaken(held: Held, step: Step) -> bool:
    """Tell whether somebody else changed the item while the action ran."""
    return bool(held.item.revision != step.revision)


def _what_stays(changes: Changes) -> Changes:
    """Return what an overtaken action may still write: what it found out, but nothing as handled and no phase."""
    needed = [update for update in changes.dimensions if update.needed and update.pending_until is None]
    return Changes(columns=changes.columns, dimensions=needed)


def _fail_once(held: Held, reason: str, most: int) -> None:
    if why := decisions.why_parked(held.item.attempts, most, reason):
        held.enter(Phase.FAILED, why)
        return
    wait = timedelta(seconds=decisions.wait_after(held.item.attempts))
    held.set(error=decisions.storable(reason), due_at=held.now + wait, actionable=True)


def _write_early(place: Place, step: Step, changes: Changes) -> None:
    held = _hold(place)
    kept = _what_stays(changes) if _overtaken(held, step) else changes
    held.apply(kept, f"{step.action.name}, not ended yet")
    held.write()


def _stumble(place: Place, error: str) -> None:
    held = _hold(place)
    held.ledger.note(AuditKind.OUTCOME, error, outcome="fault")
    held.set(attempts=held.item.attempts + 1)
    _fail_once(held, error, place.most_attempts)
    # Its unread events would have it claimed again at once, and fail again.
    rests = held.phase is Phase.ACTIVE
    held.set(leased_until=held.item.due_at if rests else None, lease_token=NOBODY if rests else None)
    held.write()
