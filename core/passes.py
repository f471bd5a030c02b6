"""Passes: scheduled jobs of which one at a time runs in the whole installation.

`run_pass` takes the pass's row in `pass_states` by one conditional UPDATE. That UPDATE is the lock (a lease of LEASE
seconds, so a crashed holder loses it in bounded time) and the pace (only when the last start is long enough ago) at
once, by the database's clock. So ticks, restarts, second clusters and people at a shell cannot run a pass too often.
"""

from __future__ import annotations

import time
import traceback
import uuid
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import NoReturn

import structlog
from django.conf import settings
from django.db.models import Q
from django.utils.module_loading import import_string
from structlog.contextvars import bound_contextvars

from core import clock, heartbeat, registry, stopping
from core.functions import CurrentTimestamp, SecondsFromNow, ago
from core.models import PassRun, PassState
from core.registry import Effective
from core.setting_specs import PassSwitch
from core.transactions import renew_connection

log = structlog.get_logger(__name__)

# A pass stops itself at the budget; the cluster kills its worker at 240 s; the lock is free again after the lease.
BUDGET = 180
LEASE = 300
ERROR_LIMIT = 4_000


class LockLost(Exception):
    """Another process holds the pass by now; whatever was about to be written must not be."""


class PassFailed(Exception):
    """The work cannot be done, for a reason that a sentence says better than a traceback."""


@dataclass(frozen=True, kw_only=True)
class Pass:
    """A pass: its name, its switch, the seconds between two starts at least, and the work.

    `is_due` is a further condition of its own, asked of the database; a forced run goes without. An interval of 0
    leaves the pace to it alone. `obstacle` says why the pass cannot run at all in this installation ("" = it can):
    forced runs heed it too.
    """

    name: str
    switch: PassSwitch
    interval: Callable[[Effective], int]
    work: Callable[[Run], None]
    is_due: Callable[[Effective], bool] = lambda _: True
    obstacle: Callable[[], str] = str
    # What it does, for people.
    description: str = ""


@dataclass(kw_only=True)
class Run:
    """What the work of a pass gets: the instant, the Settings, counters, and the clock that tells it to stop."""

    name: str
    token: str
    record_id: int
    now: datetime
    settings: Effective
    counters: Counter[str] = field(default_factory=Counter)
    deadline: float = field(default_factory=lambda: time.monotonic() + BUDGET)
    stopped_early: bool = False

    def count(self, name: str, amount: int = 1) -> None:
        """Add to a counter; an amount of 0 makes it appear in the record."""
        self.counters[name] += amount

    def out_of_time(self, *, needed: float = 0) -> bool:
        """Tell whether fewer seconds than needed are left; the work then stops cleanly and the next run goes on.

        None are left once the worker's cluster was told to stop.
        """
        over = stopping.is_asked() or time.monotonic() + needed >= self.deadline
        self.stopped_early = self.stopped_early or over
        return self.stopped_early

    def show_progress(self) -> None:
        """Let people see the counters so far."""
        running = PassRun.objects.filter(pk=self.record_id, outcome=PassRun.Outcome.RUNNING)
        running.update(counters=dict(self.counters))

    def hold_lock(self) -> None:
        """Lock the pass's row for the rest of the transaction; raises LockLost when it is no longer ours.

        A process that slept through its lease (a suspended machine) would else write beside the new holder.
        """
        held = PassState.objects.select_for_update().filter(name=self.name, lock_token=self.token)
        if not held.exists():
            self._lost()

    def count_pace_from_now(self) -> None:
        """Lock the row as hold_lock does, and count the pace from this write instead of from the start.

        For writes that must be an interval apart themselves: a run may be slow, and the next one quick.
        """
        held = PassState.objects.filter(name=self.name, lock_token=self.token)
        if not held.update(last_started_at=CurrentTimestamp()):
            self._lost()

    def _lost(self) -> NoReturn:
        raise LockLost(f"The pass {self.name} was taken over by another process.")


class Verdict(StrEnum):
    """Why `run_pass` ran or did not run the work."""

    RAN = "ran"
    FAILED = "failed"
    PAUSED = "paused"
    NOT_DUE = "not due"
    BUSY = "busy"


@dataclass(frozen=True)
class PassResult:
    """The answer of run_pass: a verdict, a sentence, and the record when the work ran."""

    verdict: Verdict
    sentence: str
    run: PassRun | None = None

    def __str__(self) -> str:
        return self.sentence


def find_pass(name: str) -> Pass:
    """Return the pass of that name (settings.PASSES); raises KeyError when there is none."""
    found: Pass = import_string(settings.PASSES[name])
    return found


def tick(job: Pass) -> str:
    """The scheduled door of a pass: a sign of life of the worker, then the pass if it is due.

    A worker that was told to stop begins none: it would be cut short, and count for the pace.
    """
    if stopping.is_asked():
        return f"The pass {job.name} is left to the next worker: this one stops."
    heartbeat.beat(heartbeat.WORKER)
    return str(run_pass(job))


def run_pass(job: Pass, *, force: bool = False, actor: str = "") -> PassResult:
    """Run the pass if it is switched on, due (or forced) and not running elsewhere; never raises for the work's errors.

    A forced run counts for the pace and is recorded with the actor. A run that is not due leaves no record.
    """
    values = registry.effective()
    if not values[job.switch.enabled]:
        return _paused(job, values)
    if obstacle := job.obstacle():
        return PassResult(Verdict.PAUSED, f"The pass {job.name} cannot run: {obstacle}.")
    if not (force or job.is_due(values)):
        return _refused(job, force=False)
    token = str(uuid.uuid4())
    if not _take(job, token, every=0 if force else job.interval(values)):
        return _refused(job, force=force)
    # Asked again now that nobody else can run it: whoever held the lock a moment ago may have done the work.
    if not (force or job.is_due(values)):
        _release(job, token)
        return _refused(job, force=False)
    return _run(job, token, values, force=force, actor=actor)


def _paused(job: Pass, values: Effective) -> PassResult:
    reason = values[job.switch.reason] or "no reason was given"
    return PassResult(
        Verdict.PAUSED, f"The pass {job.name} is paused ({job.switch.enabled.name} is off): {reason}."
    )


def _take(job: Pass, token: str, *, every: int) -> bool:
    PassState.objects.get_or_create(name=job.name)
    free = Q(locked_until=None) | Q(locked_until__lte=CurrentTimestamp())
    due = Q(last_started_at=None) | Q(last_started_at__lte=ago(every)) if every else Q()
    taken = PassState.objects.filter(free, due, name=job.name).update(
        lock_token=token, locked_until=SecondsFromNow(LEASE), last_started_at=CurrentTimestamp()
    )
    return taken == 1


def _refused(job: Pass, *, force: bool) -> PassResult:
    busy = PassState.objects.filter(name=job.name, locked_until__gt=CurrentTimestamp()).exists()
    if busy or force:
        return PassResult(Verdict.BUSY, f"The pass {job.name} is running elsewhere.")
    return PassResult(Verdict.NOT_DUE, f"The pass {job.name} is not due yet.")


def _run(job: Pass, token: str, values: Effective, *, force: bool, actor: str) -> PassResult:
    try:
        _close_lost_runs(job)
        record = PassRun.objects.create(name=job.name, forced=force, actor=actor)
        run = Run(name=job.name, token=token, record_id=record.pk, now=clock.now(), settings=values)
        # Every line that the work logs names the run that it belongs to.
        with bound_contextvars(pass_name=job.name, pass_run=record.pk):
            _work(job, run, record)
    finally:
        _release(job, token)
    return PassResult(Verdict.FAILED if record.error else Verdict.RAN, _sentence(record), record)


def _work(job: Pass, run: Run, record: PassRun) -> None:
    """Run the work and close its record, whatever happens: the counters so far are part of it."""
    # Stands when the work is cut off by what is no Exception: the cluster's alarm, a SystemExit, Ctrl-C.
    error = "The process was told to stop before the work was done."
    try:
        job.work(run)
        error = ""
    except PassFailed as failure:
        error = str(failure)
        log.warning("pass failed", job=job.name, run=record.pk, reason=error)
    except Exception:
        # Text from outside may hold halves of characters, which no database takes.
        error = traceback.format_exc().encode("utf-8", "backslashreplace").decode()[-ERROR_LIMIT:]
        log.exception("pass failed", job=job.name, run=record.pk)
    finally:
        # One that broke during the work is left behind, so that its record can be closed.
        renew_connection()
        _finish(run, record, error)


def _close_lost_runs(job: Pass) -> None:
    """A record still running while we hold the lock belongs to a process that is gone."""
    PassRun.objects.filter(name=job.name, outcome=PassRun.Outcome.RUNNING).update(
        outcome=PassRun.Outcome.LOST,
        finished_at=CurrentTimestamp(),
        error="The process that ran this pass ended without a word (killed, or its machine went down).",
    )


def _finish(run: Run, record: PassRun, error: str) -> None:
    record.outcome = _outcome(run, error)
    record.counters = dict(run.counters)
    record.error = error
    closed = PassRun.objects.filter(pk=record.pk, outcome=PassRun.Outcome.RUNNING).update(
        outcome=record.outcome, counters=record.counters, error=error, finished_at=CurrentTimestamp()
    )
    if not closed:
        # We slept through our lease, and the next holder of the lock has closed this record already.
        record.refresh_from_db()


def _outcome(run: Run, error: str) -> str:
    if error:
        return PassRun.Outcome.FAILED
    return PassRun.Outcome.OUT_OF_TIME if run.stopped_early else PassRun.Outcome.SUCCEEDED


def _release(job: Pass, token: str) -> None:
    PassState.objects.filter(name=job.name, lock_token=token).update(lock_token=None, locked_until=None)


def _sentence(record: PassRun) -> str:
    counters = ", ".join(f"{name} {amount}" for name, amount in record.counters.items()) or "nothing to do"
    return f"The pass {record.name} {PassRun.Outcome(record.outcome).label.lower()}: {counters}."
