"""The overview: everything that one look must answer."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from datetime import datetime

from core import registry
from core.registry import Effective
from idle import selectors as idle
from idle.values import IdleStatus
from monitor.decisions import Check, ErrorGroup, Facts, Problem, checks, problems
from monitor.selectors import (
    deliveries,
    errors,
    failures,
    installations,
    merges,
    passes,
    processing,
    work_items,
)
from webhooks.values import DeliveryStatus


@dataclass(frozen=True)
class Seen:
    """What is read of the present, before anything is judged."""

    now: datetime
    values: Effective
    tables: list[processing.TableCounts]
    totals: processing.Totals
    idle: dict[IdleStatus, int]
    received: Counter[str]
    rejected: int
    given_up: failures.Failures
    worker: passes.Worker
    passes: list[passes.PassHealth]
    approvals: int
    work: list[tuple[str, int]]


@dataclass(frozen=True)
class Overview:
    """What the page shows."""

    seen: Seen
    checks: list[Check]
    problems: list[Problem]
    errors: list[ErrorGroup]

    @property
    def received(self) -> int:
        return self.seen.received.total()

    @property
    def failed(self) -> int:
        return self.seen.received[DeliveryStatus.FAILED]


def overview(*, now: datetime) -> Overview:
    """Gather the overview, and what of it needs a person."""
    seen = _see(now)
    found = problems(_facts(seen))
    return Overview(
        seen=seen,
        checks=checks(found),
        problems=found,
        errors=errors.last_day(seen.given_up, now=now),
    )


def _see(now: datetime) -> Seen:
    values, tables = registry.effective(), processing.matrix()
    return Seen(
        now=now,
        values=values,
        tables=tables,
        totals=processing.totals(tables),
        idle=idle.counts(),
        received=deliveries.last_day(),
        rejected=deliveries.rejected_last_day().total(),
        given_up=failures.failures(),
        worker=passes.worker(now=now),
        passes=passes.all_passes(values, now=now),
        approvals=merges.to_be_approved(),
        work=work_items.counts(),
    )


def _facts(seen: Seen) -> Facts:
    jobs, now = seen.passes, seen.now
    return Facts(
        now=now,
        worker_beat=seen.worker.beat_at,
        oldest_pending=seen.totals.oldest_pending,
        given_up=seen.given_up.total,
        failed_deliveries=seen.received[DeliveryStatus.FAILED],
        rejected=seen.rejected,
        unreadable_states={table.table: table.unreadable for table in seen.tables if table.unreadable},
        # What nobody has switched on yet needs nobody.
        paused={job.name: job.paused_reason for job in jobs if not job.enabled and not job.off_by_default},
        obstacles={job.name: job.obstacle for job in jobs if job.enabled and job.obstacle},
        missed=passes.missed(jobs, now=now),
        last_outcomes={job.name: job.last.outcome for job in jobs if job.last},
        throttled=installations.throttled(now=now),
        refused_settings=seen.values.problems,
    )
