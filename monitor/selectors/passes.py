"""Passes: how each stands, and what its last runs did."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db.models import OuterRef, Subquery

from core import heartbeat
from core.models import Heartbeat, PassRun, PassState
from core.passes import find_pass
from core.registry import Effective
from monitor import paging


@dataclass(frozen=True, kw_only=True)
class PassHealth:
    """How one pass stands.

    `next_due` is None while it is paused or running; an instant that is over means the next tick.
    """

    name: str
    enabled: bool
    paused_reason: str
    interval: timedelta
    running: bool
    last: PassRun | None
    next_due: datetime | None


def all_passes(values: Effective, *, now: datetime) -> list[PassHealth]:
    """Return every pass in the order of settings.PASSES, with two queries whatever their number."""
    states = {state.name: state for state in _states_with_last_run()}
    runs = PassRun.objects.in_bulk([state.last_run for state in states.values() if state.last_run])
    return [_health(name, states.get(name), runs, values, now=now) for name in settings.PASSES]


def _states_with_last_run() -> list[Any]:
    newest = PassRun.objects.filter(name=OuterRef("name")).order_by("-sequence").values("sequence")[:1]
    return list(PassState.objects.annotate(last_run=Subquery(newest)))


def _health(
    name: str, state: Any | None, runs: dict[int, PassRun], values: Effective, *, now: datetime
) -> PassHealth:
    job = find_pass(name)
    enabled = values[job.switch.enabled]
    interval = timedelta(seconds=job.interval(values))
    running = bool(state and state.locked_until and state.locked_until > now)
    started = state.last_started_at if state else None
    return PassHealth(
        name=name,
        enabled=enabled,
        paused_reason="" if enabled else values[job.switch.reason] or "no reason was given",
        interval=interval,
        running=running,
        last=runs.get(state.last_run) if state else None,
        next_due=(started + interval if started else now) if enabled and not running else None,
    )


def runs(name: str, *, cursor: str) -> paging.Page[PassRun]:
    """Return a page of runs, newest first, of one pass or ("") of all."""
    found = PassRun.objects.filter(name=name) if name else PassRun.objects.all()
    return paging.by_sequence(found, cursor=cursor)


def duration_of(run: PassRun) -> timedelta | None:
    """Return how long a run took, None while it runs."""
    return run.finished_at - run.started_at if run.finished_at else None


@dataclass(frozen=True)
class Worker:
    """Whether the worker lives, and its last sign of life (None: never)."""

    alive: bool
    beat_at: datetime | None


def worker() -> Worker:
    """Judge the worker by its last beat, as core.heartbeat does, in one query."""
    beat_at = Heartbeat.objects.filter(name=heartbeat.WORKER).values_list("beat_at", flat=True).first()
    return Worker(heartbeat.is_alive(heartbeat.WORKER), beat_at)
