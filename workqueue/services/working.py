"""The worker: takes items by lease, carries out one action after another, and goes on while its time lasts.

Any number of these may run at once; leases keep them apart.
"""

from __future__ import annotations

import time
from collections import Counter
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import structlog

from core import bell, heartbeat, registry, stopping
from core.passes import BUDGET
from core.registry import Effective
from workqueue import decisions, setting_specs
from workqueue.registry import TYPES, ItemType, Job
from workqueue.services import leases
from workqueue.services.leases import Lease
from workqueue.services.submitting import WORK_BELL
from workqueue.services.turns import Ended, Place, Step, Turn, stumble, take_turn, write_early
from workqueue.values import LeaseLost, Outcome, Transient

log = structlog.get_logger(__name__)

# An item that always has a next action leaves the worker to others after so many seconds.
ITEM_LIMIT = 60


@dataclass
class Shift:
    """One run of the worker: how long it lasts, what it opened, what came of it."""

    stack: ExitStack
    # Read anew for every batch.
    settings: Effective = field(default_factory=registry.effective)
    deadline: float = field(default_factory=lambda: time.monotonic() + BUDGET)
    counts: Counter[str] = field(default_factory=Counter)
    tools: dict[str, Any] = field(default_factory=dict)

    def is_over(self) -> bool:
        return stopping.is_asked() or time.monotonic() >= self.deadline

    def tools_of(self, item_type: ItemType) -> Any:
        """Return what the type's executors work with, opened at its first use."""
        if item_type.name not in self.tools:
            self.tools[item_type.name] = self.stack.enter_context(item_type.tools())
        return self.tools[item_type.name]

    def __str__(self) -> str:
        return (
            ", ".join(f"{word} {number}" for word, number in sorted(self.counts.items())) or "nothing to do"
        )


def workable_types(settings: Effective) -> list[str]:
    """Return the names of the types that are handled, known here, and not hindered."""
    wanted = decisions.handled_types(settings[setting_specs.HANDLED_TYPES])
    return [name for name in wanted if name in TYPES and not TYPES[name].obstacle()]


def work() -> str:
    """Work until nothing is left or the time is up, and return the outcome in words."""
    with ExitStack() as stack:
        shift = Shift(stack)
        # The last claim comes after the last item was left and finds nothing: so an event that was committed while
        # an item was being left, and whose bell found it still leased, is seen here.
        while not shift.is_over() and _batch(shift):
            pass
        if shift.is_over():
            # Whoever comes next goes on at once.
            bell.ring(WORK_BELL)
    return f"The work queue: {shift}."


def _batch(shift: Shift) -> bool:
    """Take one batch and work on it; tell whether there was any."""
    heartbeat.beat(heartbeat.WORKER)
    shift.settings = registry.effective()
    limit = shift.settings[setting_specs.BATCH_SIZE]
    lease = leases.claim(workable_types(shift.settings), limit)
    if lease is None:
        return False
    if len(lease.items) == limit:
        # There may be more than one worker can do.
        bell.ring(WORK_BELL)
    _work_on(shift, lease)
    return True


def _work_on(shift: Shift, lease: Lease) -> None:
    """Work on the items one by one; whatever ends the run in the middle, those not begun go back at once."""
    most = shift.settings[setting_specs.MAX_ATTEMPTS]
    places = [Place(TYPES[name], sequence, lease.token, most) for sequence, name in lease.items]
    turn: Turn | None = None
    try:
        with leases.kept_alive(lease.token):
            for place, following in zip(places, [*places[1:], None], strict=True):
                if turn is None and shift.is_over():
                    break
                turn = process(shift, place, turn, following)
    finally:
        leases.give_back(lease.token)


def process(
    shift: Shift, place: Place, turn: Turn | None = None, following: Place | None = None
) -> Turn | None:
    """Work on one item until it is left, and count what came of it. One bad item never stops the rest.

    `turn` is its first turn, None = not taken yet. Returns that of the `following` item, None = likewise.
    """
    word, after = "worked on", None
    try:
        after = _follow(shift, place, turn, following)
    except LeaseLost as error:
        log.warning("lease lost", item=place.sequence, detail=str(error))
        word = "lost"
    except Exception as error:
        log.exception("item failed", item=place.sequence, item_type=place.item_type.name)
        word = _stumbled(place, f"{type(error).__name__}: {error}")
    shift.counts[word] += 1
    return after


def _follow(shift: Shift, place: Place, turn: Turn | None, following: Place | None) -> Turn | None:
    leave_at = time.monotonic() + ITEM_LIMIT
    turn = turn or take_turn(place, None, leave=shift.is_over())
    while turn.step:
        ended = Ended(turn.step, _execute(shift, place, turn.step))
        over = shift.is_over()
        leave = over or time.monotonic() >= leave_at
        turn = take_turn(place, ended, leave=leave, following=None if over else following)
    return turn.after


def _execute(shift: Shift, place: Place, step: Step) -> Outcome:
    """Carry out the step; no transaction is open meanwhile. Raises LeaseLost when the executor met it."""
    try:
        job = Job(
            item=step.item,
            snapshot=step.snapshot,
            action=step.action,
            settings=shift.settings,
            tools=shift.tools_of(place.item_type),
            write=partial(write_early, place, step),
        )
        return place.item_type.executors[step.action.name](job)
    except LeaseLost:
        raise
    except Exception as error:
        if outcome := place.item_type.outcome_of(error):
            return outcome
        log.exception("action failed", item=place.sequence, action=step.action.name)
        return Transient(f"{type(error).__name__}: {error}")


def _stumbled(place: Place, error: str) -> str:
    try:
        stumble(place, error)
    except Exception:
        # The lease runs out and the sweep finds the item again.
        log.exception("failure not recorded", item=place.sequence)
        return "not ended"
    return "failed"
