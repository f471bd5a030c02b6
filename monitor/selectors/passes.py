"""Passes: how each stands, and what its last runs did."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from core import heartbeat
from core.models import Heartbeat, PassRun
from core.registry import Effective
from core.standing import Standing, standings
from monitor import paging
from monitor.decisions import liveness, missed_runs
from monitor.selectors.rhythm import RHYTHMS, Opening
from monitor.tables import Order
from monitor.values import Liveness
from monitor.wording import span


@dataclass(frozen=True, kw_only=True)
class PassHealth:
    """How one pass stands.

    `next_due` is None while it is paused, hindered, running or `waiting` for something that has no known instant; an
    instant that is over means the next tick. `obstacle` says why it cannot run in this installation at all. `every` is
    None for a pass whose pace is a condition of its own. `off_by_default`: somebody has to switch it on first.
    """

    name: str
    rhythm: str
    enabled: bool
    off_by_default: bool
    paused_reason: str
    obstacle: str
    running: bool
    last: PassRun | None
    next_due: datetime | None
    waiting: str = ""
    every: timedelta | None = None


def all_passes(values: Effective, *, now: datetime, names: Iterable[str] = ()) -> list[PassHealth]:
    """Return the named passes (none named: every one, in the order of settings.PASSES).

    Two queries whatever their number, and those that a pass with a condition of its own takes.
    """
    return [_health(found, values, now=now) for found in standings(values, now=now, names=names)]


def one_pass(name: str, values: Effective, *, now: datetime) -> PassHealth:
    """Return how one pass stands; raises KeyError for an unknown name."""
    (job,) = all_passes(values, now=now, names=[name])
    return job


def _health(found: Standing, values: Effective, *, now: datetime) -> PassHealth:
    name, every = found.job.name, timedelta(seconds=found.interval_seconds)
    opening = _opening(found, values, now=now) if found.can_start else Opening(None)
    return PassHealth(
        name=name,
        rhythm=RHYTHMS[name].words if name in RHYTHMS else f"every {span(every)}",
        enabled=found.enabled,
        off_by_default=found.off_by_default,
        paused_reason=found.paused_reason,
        obstacle=found.obstacle,
        running=found.running,
        last=found.last,
        next_due=opening.at,
        waiting=opening.reason,
        every=None if name in RHYTHMS else every,
    )


def _opening(found: Standing, values: Effective, *, now: datetime) -> Opening:
    """Return when the next tick may start the pass: by the pace, and by the condition of its own if it has one."""
    name = found.job.name
    own = RHYTHMS[name].opening(values, now) if name in RHYTHMS else Opening(now)
    return own if own.at is None else Opening(max(found.paced, own.at))


def runs(_: Mapping[str, Any], order: Order, cursor: str, size: int, *, name: str) -> paging.Page[PassRun]:
    """Return a page of runs, the newest first unless a person wants another order, of one pass or ("") of all."""
    found = PassRun.objects.filter(name=name) if name else PassRun.objects.all()
    return paging.by_order(found, order, cursor=cursor, size=size)


def duration_of(run: PassRun) -> timedelta | None:
    """Return how long a run took, None while it runs."""
    return run.finished_at - run.started_at if run.finished_at else None


@dataclass(frozen=True)
class Worker:
    """How the worker does, and its last sign of life (None: never)."""

    state: Liveness
    beat_at: datetime | None


def worker(*, now: datetime) -> Worker:
    """Judge the worker by its last beat."""
    beat_at = Heartbeat.objects.filter(name=heartbeat.WORKER).values_list("beat_at", flat=True).first()
    return Worker(liveness(beat_at, now=now), beat_at)


DAY = timedelta(days=1)


def missed(jobs: Iterable[PassHealth], *, now: datetime) -> dict[str, int]:
    """Return how many runs each pass missed in the last 24 hours, only those that missed any; one query.

    Passes with a condition of their own are left out: nobody can tell whether a run of theirs was due.
    """
    every = {job.name: job.every for job in jobs if job.every and job.enabled and not job.obstacle}
    starts: dict[str, list[datetime]] = {name: [] for name in every}
    runs = PassRun.objects.filter(started_at__gte=now - DAY, name__in=every).order_by("started_at")
    for name, started_at in runs.values_list("name", "started_at"):
        starts[name].append(started_at)
    found = {name: missed_runs(starts[name], every[name], now=now, since=now - DAY) for name in every}
    return {name: number for name, number in found.items() if number}
