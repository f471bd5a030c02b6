"""What Prometheus scrapes: gauges of the present, from the same cheap queries as the overview."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

from prometheus_client.core import GaugeMetricFamily, InfoMetricFamily, Metric

from core import registry
from core.version import VERSION
from idle import selectors as idle
from monitor.decisions import BAD_OUTCOMES
from monitor.models import BulkJob
from monitor.selectors import deliveries, passes, processing
from webhooks.values import DeliveryStatus


def families(*, now: datetime) -> Iterator[Metric]:
    """Yield every metric family; times are in seconds."""
    yield InfoMetricFamily("pullkeeper", "The running version.", value={"version": VERSION})
    yield from _rows(now)
    yield _gauge(
        "idle_pull_requests",
        "Idle Pull Requests.",
        "status",
        {status.value: rows for status, rows in idle.counts().items()},
    )
    received = deliveries.last_day()
    counts = {status.value: received[status] for status in DeliveryStatus}
    yield _gauge("deliveries_last_day", "Deliveries of the last 24 hours.", "status", counts)
    yield _gauge(
        "requests_turned_away_last_day",
        "Requests refused unread within 24 hours.",
        "reason",
        deliveries.rejected_last_day(),
    )
    yield from _passes(now)
    running = BulkJob.objects.filter(state=BulkJob.State.RUNNING).count()
    yield GaugeMetricFamily("pullkeeper_bulk_jobs_running", "Acts on many rows going on.", value=running)


def _rows(now: datetime) -> Iterator[Metric]:
    rows = GaugeMetricFamily("pullkeeper_rows", "Rows by table and state.", labels=["table", "state"])
    oldest = GaugeMetricFamily(
        "pullkeeper_oldest_pending_seconds", "Since the oldest pending row was written.", labels=["table"]
    )
    for table in processing.matrix():
        for state, number in table.counts.items():
            rows.add_metric([table.slug, state.value], number)
        since = (now - table.oldest_pending).total_seconds() if table.oldest_pending else 0
        oldest.add_metric([table.slug], since)
    yield rows
    yield oldest


def _passes(now: datetime) -> Iterator[Metric]:
    jobs = passes.all_passes(registry.effective(), now=now)
    enabled = {job.name: int(job.enabled) for job in jobs}
    failed = {job.name: int(job.last.outcome in BAD_OUTCOMES) for job in jobs if job.last}
    ages = {job.name: (now - job.last.started_at).total_seconds() for job in jobs if job.last}
    yield _gauge("pass_enabled", "1 while the pass is switched on.", "name", enabled)
    yield _gauge("pass_last_run_failed", "1 when its last run failed or was lost.", "name", failed)
    yield _gauge("pass_last_run_age_seconds", "Since its last run started.", "name", ages)
    yield _gauge(
        "pass_runs_missed_last_day",
        "Runs that fell out within 24 hours.",
        "name",
        passes.missed(jobs, now=now),
    )
    beat = passes.worker(now=now).beat_at
    age = (now - beat).total_seconds() if beat else float("inf")
    yield GaugeMetricFamily("pullkeeper_worker_beat_age_seconds", "Since the worker was heard.", value=age)


def _gauge(name: str, help_: str, label: str, values: Mapping[Any, float]) -> Metric:
    family = GaugeMetricFamily(f"pullkeeper_{name}", help_, labels=[label])
    for value, number in values.items():
        family.add_metric([str(value)], number)
    return family
