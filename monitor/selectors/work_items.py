"""Work items: a page of them, and how many are in each phase."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.db.models import Count

from monitor import paging
from monitor.tables import Order
from workqueue.models import WorkItem
from workqueue.services import showing
from workqueue.values import Phase


def page(conditions: Mapping[str, Any], order: Order, cursor: str, size: int) -> paging.Page[Any]:
    """Return a page of those that fit the filled-in fields, the newest first unless a person wants another order."""
    wanted = {name: value for name, value in conditions.items() if name != "status"}
    rows = showing.find(phase=conditions.get("status", ""), **wanted)
    found = paging.by_order(rows, order, cursor=cursor, size=size)
    return paging.Page(showing.show(found.rows), found.next)


def counts() -> list[tuple[str, int]]:
    """Return how many items are in each phase."""
    groups = dict(WorkItem.objects.order_by().values_list("phase").annotate(rows=Count("*")))
    return [(phase.value, groups.get(phase.value, 0)) for phase in Phase]
