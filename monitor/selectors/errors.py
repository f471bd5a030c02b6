"""What failed in the last 24 hours, grouped by what it says."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta

from core.models import PassRun
from monitor.decisions import BAD_OUTCOMES, ErrorGroup, grouped_errors
from monitor.selectors import failures
from webhooks.models import Delivery
from webhooks.values import DeliveryStatus

DAY = timedelta(days=1)
# Grouping needs the texts themselves: so many of the newest of each kind tell what is going on.
MOST_READ = 500
MOST_GROUPS = 8


def last_day(given_up: failures.Failures, *, now: datetime) -> list[ErrorGroup]:
    """Return the most frequent errors of deliveries, passes and rows; a query a table that has any, and two."""
    rows = failures.errors_since(given_up, now - DAY, most=MOST_READ)
    found = [*_deliveries(now), *_runs(now), *(("failed", error) for error in rows)]
    return grouped_errors(found, most=MOST_GROUPS)


def _deliveries(now: datetime) -> Iterator[tuple[str, str]]:
    rows = Delivery.objects.filter(status=DeliveryStatus.FAILED, received_at__gte=now - DAY)
    for error in rows.order_by("-pk").values_list("error", flat=True)[:MOST_READ]:
        yield "deliveries", error


def _runs(now: datetime) -> Iterator[tuple[str, str]]:
    rows = PassRun.objects.filter(started_at__gte=now - DAY, outcome__in=BAD_OUTCOMES)
    for error in rows.order_by("-pk").values_list("error", flat=True)[:MOST_READ]:
        yield "passes", error
