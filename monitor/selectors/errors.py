"""What failed in the last 24 hours, grouped by what it says."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta

from core.models import PassRun
from monitor.decisions import BAD_OUTCOMES, Failures, grouped_failures
from webhooks.models import Delivery
from webhooks.values import DeliveryStatus

DAY = timedelta(days=1)
# Grouping needs the texts themselves: so many of the newest of each kind tell what is going on.
MOST_READ = 500
MOST_GROUPS = 8


def last_day(*, now: datetime) -> list[Failures]:
    """Return the most frequent errors of deliveries and passes; two queries."""
    return grouped_failures([*_deliveries(now), *_runs(now)], most=MOST_GROUPS)


def _deliveries(now: datetime) -> Iterator[tuple[str, str]]:
    rows = Delivery.objects.filter(status=DeliveryStatus.FAILED, received_at__gte=now - DAY)
    for error in rows.order_by("-pk").values_list("error", flat=True)[:MOST_READ]:
        yield "deliveries", error


def _runs(now: datetime) -> Iterator[tuple[str, str]]:
    rows = PassRun.objects.filter(started_at__gte=now - DAY, outcome__in=BAD_OUTCOMES)
    for error in rows.order_by("-pk").values_list("error", flat=True)[:MOST_READ]:
        yield "passes", error
