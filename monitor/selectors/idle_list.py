"""The idle list: the whole view in its order."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.core.exceptions import BadRequest
from django.db.models import QuerySet

from idle.models import IdlePullRequest
from idle.selectors import in_order, key_of
from monitor.tables import Order

MOST_PAGES = 10_000


@dataclass(frozen=True)
class IdlePage:
    """The rows of one page, its number from 1, and the number of the next one ("" on the last)."""

    rows: list[IdlePullRequest]
    number: int
    next: str

    @property
    def previous(self) -> int:
        return self.number - 1


def page(form: Mapping[str, Any], order: Order, cursor: str, size: int) -> IdlePage:
    """Return a page of those that fit the filled-in fields; raises BadRequest for a cursor that is no page's number.

    Pages are counted, not keyed: ranks are made anew at each reading, so no cursor could point between two.
    """
    number, rows = _number(cursor), matching(form)
    if order.column:
        sign = "-" if order.descending else ""
        rows = rows.order_by(f"{sign}{order.column.order}", f"{sign}pk")
    start = (number - 1) * size
    found = list(rows[start : start + size + 1])
    return IdlePage(found[:size], number, str(number + 1) if len(found) > size else "")


def matching(form: Mapping[str, Any]) -> QuerySet[IdlePullRequest]:
    """Return those that fit the filled-in fields status and repository ("owner/name"), in the view's order."""
    rows = in_order()
    if status := form.get("status"):
        rows = rows.filter(idle_status=status)
    if repository := form.get("repository"):
        rows = rows.filter(repository_key=key_of(repository))
    return rows


def _number(cursor: str) -> int:
    if not cursor:
        return 1
    if not (cursor.isascii() and cursor.isdecimal() and len(cursor) <= len(str(MOST_PAGES))):
        raise BadRequest("This page address was cut or altered.")
    return min(max(int(cursor), 1), MOST_PAGES)
