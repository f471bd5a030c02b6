"""How passes stand: switched on, hindered, running, last run, and when their pace lets them start again."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db.models import OuterRef, Subquery

from core.models import PassRun, PassState
from core.passes import Pass, find_pass
from core.registry import Effective

UNSAID = "no reason was given"
UNTOUCHED = "it is off until somebody switches it on"


@dataclass(frozen=True, kw_only=True)
class Standing:
    """How one pass stands.

    `paced` is the earliest start by the pace alone; it is over when the pace allows a start now. `obstacle` says why
    the pass cannot run in this installation at all ("" = it can). `off_by_default`: it is off because nobody has
    switched it on, which is nothing to worry about.
    """

    job: Pass
    enabled: bool
    off_by_default: bool
    paused_reason: str
    obstacle: str
    running: bool
    interval_seconds: int
    last_started_at: datetime | None
    paced: datetime
    last: PassRun | None

    @property
    def can_start(self) -> bool:
        """Tell whether the next tick may start it, its pace and its own condition aside."""
        return self.enabled and not self.obstacle and not self.running


def standings(values: Effective, *, now: datetime, names: Iterable[str] = ()) -> list[Standing]:
    """Return the named passes (none named: every one, in the order of settings.PASSES); two queries."""
    states = {state.name: state for state in _states_with_last_run()}
    runs = PassRun.objects.in_bulk([state.last_run for state in states.values() if state.last_run])
    wanted = tuple(names) or settings.PASSES
    return [_standing(find_pass(name), states.get(name), runs, values, now) for name in wanted]


def _states_with_last_run() -> list[Any]:
    newest = PassRun.objects.filter(name=OuterRef("name")).order_by("-sequence").values("sequence")[:1]
    return list(PassState.objects.annotate(last_run=Subquery(newest)))


def _standing(
    job: Pass, state: Any | None, runs: dict[int, PassRun], values: Effective, now: datetime
) -> Standing:
    enabled = values[job.switch.enabled]
    off_by_default = not enabled and not job.switch.enabled.default
    interval = job.interval(values)
    started = state.last_started_at if state else None
    return Standing(
        job=job,
        enabled=enabled,
        off_by_default=off_by_default,
        paused_reason=""
        if enabled
        else values[job.switch.reason] or (UNTOUCHED if off_by_default else UNSAID),
        obstacle=job.obstacle(),
        running=bool(state and state.locked_until and state.locked_until > now),
        interval_seconds=interval,
        last_started_at=started,
        paced=started + timedelta(seconds=interval) if started else now,
        last=runs.get(state.last_run) if state else None,
    )
