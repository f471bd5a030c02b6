"""The overview: everything that one look must answer."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from core import registry
from idle import selectors as idle
from idle.models import IdlePullRequest
from idle.values import IdleStatus
from monitor.decisions import Check, ErrorGroup, Facts, Problem, checks, problems
from monitor.selectors import deliveries, errors, failures, installations, passes, processing
from webhooks.values import DeliveryStatus


@dataclass(frozen=True)
class Overview:
    """What the page shows."""

    idle: list[tuple[IdleStatus, int]]
    next_up: IdlePullRequest | None
    totals: processing.Totals
    received: int
    failed: int
    rejected: int
    worker: passes.Worker
    passes: list[passes.PassHealth]
    checks: list[Check]
    problems: list[Problem]
    failures: failures.Failures
    errors: list[ErrorGroup]


def overview(*, now: datetime) -> Overview:
    """Gather the overview, and what of it needs a person."""
    values = registry.effective()
    tables = processing.matrix()
    totals = processing.totals(tables)
    received, rejected = deliveries.last_day(), deliveries.rejected_last_day().total()
    worker, jobs = passes.worker(now=now), passes.all_passes(values, now=now)
    idle_counts = idle.counts()
    given_up = failures.failures()
    facts = Facts(
        now=now,
        worker_beat=worker.beat_at,
        oldest_pending=totals.oldest_pending,
        given_up=given_up.total,
        failed_deliveries=received[DeliveryStatus.FAILED],
        rejected=rejected,
        unreadable_states={table.table: table.unreadable for table in tables if table.unreadable},
        paused={job.name: job.paused_reason for job in jobs if not job.enabled and not job.off_by_default},
        obstacles={job.name: job.obstacle for job in jobs if job.enabled and job.obstacle},
        missed=passes.missed(jobs, now=now),
        last_outcomes={job.name: job.last.outcome for job in jobs if job.last},
        throttled=installations.throttled(now=now),
        refused_settings=values.problems,
    )
    found = problems(facts)
    return Overview(
        idle=[(status, idle_counts[status]) for status in IdleStatus],
        next_up=idle.next_due() if idle_counts[IdleStatus.DUE] else None,
        totals=totals,
        received=received.total(),
        failed=received[DeliveryStatus.FAILED],
        rejected=rejected,
        worker=worker,
        passes=jobs,
        checks=checks(found),
        problems=found,
        failures=given_up,
        errors=errors.last_day(given_up, now=now),
    )
