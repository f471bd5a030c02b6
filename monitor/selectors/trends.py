"""How much happened, and how much was left to do, over the last hours and days."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from django.db.models import Count, DateTimeField, Max, QuerySet, Value
from django.db.models.functions import TruncDay, TruncHour

from monitor.charts import Chart, Series
from monitor.models import BacklogSample
from monitor.values import Tone
from webhooks.models import CLAIMED, Delivery, PullRequestHistory
from webhooks.values import DeliveryStatus, HistoryKind, ProcessingState

HOUR, DAY = timedelta(hours=1), timedelta(days=1)
HOURS_SHOWN, DAYS_SHOWN = 24, 14
WINDOWS = {"1 h": HOUR, "6 h": 6 * HOUR, "24 h": DAY, "7 d": 7 * DAY}


@dataclass(frozen=True)
class Throughput:
    """What happened within one of the WINDOWS up to now."""

    window: str
    received: int
    failed: int
    processed: int
    retried: int


def throughput(*, now: datetime) -> list[Throughput]:
    """Count each of the WINDOWS: one query a table, over the widest of them."""
    received = _windows(Delivery.objects.all(), "received_at", now)
    failed = _windows(Delivery.objects.filter(status=DeliveryStatus.FAILED), "received_at", now)
    retried = _windows(PullRequestHistory.objects.filter(kind=HistoryKind.IDLE_RETRY), "at", now)
    processed = Counter[str]()
    for rows in _processed():
        processed.update(_windows(rows, "updated_at", now))
    return [
        Throughput(window, received[window], failed[window], processed[window], retried[window])
        for window in WINDOWS
    ]


def _windows(rows: QuerySet[Any], column: str, now: datetime) -> Counter[str]:
    """Count each window by itself, in one query: to compare every row of the widest with all takes twice as long."""
    first, *others = (
        rows.order_by()
        .filter(**{f"{column}__gte": now - length})
        .values_list(Value(window))
        .annotate(rows=Count("*"))
        for window, length in WINDOWS.items()
    )
    return Counter(dict(first.union(*others, all=True)))


def _processed() -> list[QuerySet[Any]]:
    """Return the processed rows of each table. A row counts once, when it was last processed, whoever did it."""
    return [model._default_manager.filter(processing_state=ProcessingState.PROCESSED) for model in CLAIMED]


def charts(*, now: datetime) -> list[Chart]:
    """Return the four charts."""
    return [_deliveries(now), _processed_hourly(now), _retries(now), _backlog(now)]


def _deliveries(now: datetime) -> Chart:
    times = _steps(now, HOUR, HOURS_SHOWN)
    all_, failed = Delivery.objects.all(), Delivery.objects.filter(status=DeliveryStatus.FAILED)
    return Chart(
        key="deliveries",
        title="Deliveries per hour",
        kind="bar",
        unit="hour",
        times=times,
        series=[
            Series("received", Tone.BLUE, _per_step(all_, "received_at", TruncHour, times)),
            Series("failed", Tone.RED, _per_step(failed, "received_at", TruncHour, times)),
        ],
        empty="No delivery came in for a day.",
    )


def _processed_hourly(now: datetime) -> Chart:
    times = _steps(now, HOUR, HOURS_SHOWN)
    columns = [_per_step(rows, "updated_at", TruncHour, times) for rows in _processed()]
    return Chart(
        key="processed",
        title="Rows processed per hour",
        kind="bar",
        unit="hour",
        times=times,
        series=[Series("processed", Tone.GREEN, [sum(step) for step in zip(*columns, strict=True)])],
        empty="No row was processed for a day.",
    )


def _retries(now: datetime) -> Chart:
    times = _steps(now, DAY, DAYS_SHOWN)
    rows = PullRequestHistory.objects.filter(kind=HistoryKind.IDLE_RETRY)
    return Chart(
        key="retries",
        title="Idle Retries per day",
        kind="bar",
        unit="day",
        times=times,
        series=[Series("Idle Retries", Tone.AMBER, _per_step(rows, "at", TruncDay, times))],
        empty=f"No Idle Retry was given for {DAYS_SHOWN} days.",
    )


def _backlog(now: datetime) -> Chart:
    times = _steps(now, HOUR, HOURS_SHOWN)
    hourly = BacklogSample.objects.filter(at__gte=times[0]).order_by().annotate(step=_trunc(TruncHour, "at"))
    largest = hourly.values("step").annotate(pending=Max("pending"), due=Max("due"))
    found = {step: (pending, due) for step, pending, due in largest.values_list("step", "pending", "due")}
    return Chart(
        key="backlog",
        title="Backlog",
        kind="line",
        unit="hour",
        times=times,
        series=[
            Series("pending rows", Tone.PINK, [found.get(time, (None, None))[0] for time in times]),
            Series("DUE pull requests", Tone.AMBER, [found.get(time, (None, None))[1] for time in times]),
        ],
        empty="Nothing was pending or due, as far as samples tell; the pass sample takes one every quarter of an hour.",
    )


def _steps(now: datetime, length: timedelta, number: int) -> list[datetime]:
    """Return the beginnings of the last so many whole hours or days in UTC, the running one included."""
    utc = now.astimezone(UTC).replace(minute=0, second=0, microsecond=0)
    last = utc.replace(hour=0) if length == DAY else utc
    return [last - length * back for back in reversed(range(number))]


def _per_step(rows: QuerySet[Any], column: str, trunc: Any, times: Sequence[datetime]) -> list[int]:
    found = rows.filter(**{f"{column}__gte": times[0]}).order_by().annotate(step=_trunc(trunc, column))
    numbers = dict(_pairs(found.values("step").annotate(rows=Count("pk"))))
    return [numbers.get(time, 0) for time in times]


def _trunc(trunc: Any, column: str) -> Any:
    # UTC is also the sessions' zone: MariaDB needs no time-zone tables for it.
    return trunc(column, tzinfo=UTC, output_field=DateTimeField())


def _pairs(groups: Iterable[dict[str, Any]]) -> Iterable[tuple[datetime, int]]:
    return ((group["step"], group["rows"]) for group in groups)
