"""Acts on many rows: the list of them, and what one would touch."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.db.models import QuerySet

from monitor import paging
from monitor.models import BulkJob
from monitor.tables import Order

# Whoever presses the button sees so many of the rows that it will touch.
SHOWN = 100


def page(_: Mapping[str, Any], order: Order, cursor: str, size: int) -> paging.Page[BulkJob]:
    """Return a page of jobs, the newest first."""
    return paging.by_order(BulkJob.objects.all(), order, cursor=cursor, size=size)


@dataclass(frozen=True)
class Preview:
    """How many rows fit, and the first of them in the order in which they will be touched."""

    total: int
    rows: list[Any]


def preview(rows: QuerySet[Any]) -> Preview:
    """Look at what would be touched; two queries."""
    return Preview(rows.order_by().count(), list(rows.order_by("pk")[:SHOWN]))
