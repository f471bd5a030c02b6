"""What people did, from Django's admin log."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.contrib.admin.models import LogEntry

from monitor import paging
from monitor.tables import Order


def page(form: Mapping[str, Any], order: Order, cursor: str, size: int) -> paging.Page[LogEntry]:
    """Return a page of those that fit the filled-in field `user` (a whole name), the newest first."""
    rows = LogEntry.objects.select_related("user", "content_type")
    if user := form.get("user"):
        rows = rows.filter(user__username=user)
    return paging.by_order(rows, order, cursor=cursor, size=size)
