"""Keyset pages: O(page) however deep, and no row twice or left out because others came or went in between.

A cursor is the sort key of the last row shown. Every order ends in Sequence, which is unique, so rows with
equal keys have an order too (field case F37).
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Generic, TypeVar

from django.core.exceptions import BadRequest
from django.db.models import Model, Q, QuerySet

ROWS = 50
LARGEST = 2**63 - 1
LONGEST = len(str(LARGEST))

M = TypeVar("M", bound=Model)


@dataclass(frozen=True)
class Page(Generic[M]):
    """The rows of one page, and the cursor of the next one ("" on the last)."""

    rows: list[M]
    next: str = ""


def by_sequence(rows: QuerySet[M], *, cursor: str) -> Page[M]:
    """Return a page in descending Sequence; raises BadRequest for a cursor that is none."""
    if cursor:
        rows = rows.filter(pk__lt=_number(cursor))
    found = list(rows.order_by("-pk")[: ROWS + 1])
    return Page(found[:ROWS], str(found[ROWS - 1].pk) if len(found) > ROWS else "")


def by_update(rows: QuerySet[M], *, cursor: str, newest_first: bool) -> Page[M]:
    """Return a page ordered by (UpdatedAt, Sequence); raises BadRequest for a cursor that is none.

    The keys come first and the rows after them: for keys alone MariaDB starts at the cursor, for whole rows it
    walks there from the index's beginning.
    """
    ordered = _after(rows, cursor, newest_first=newest_first)
    keys = list(ordered.values_list("pk", "updated_at")[: ROWS + 1])
    # A row that left the list in between is left out.
    found = rows.filter(pk__in=[key for key, _ in keys[:ROWS]]).in_bulk()
    shown = [found[key] for key, _ in keys[:ROWS] if key in found]
    return Page(shown, _update_cursor(*keys[ROWS - 1]) if len(keys) > ROWS else "")


def _after(rows: QuerySet[M], cursor: str, *, newest_first: bool) -> QuerySet[M]:
    beyond, sign = ("lt", "-") if newest_first else ("gt", "")
    if cursor:
        at, sequence = _instant_and_number(cursor)
        tie = Q(updated_at=at) & Q(**{f"pk__{beyond}": sequence})
        # The first condition follows from the second; it is what an index can use.
        rows = rows.filter(Q(**{f"updated_at__{beyond}e": at}), tie | Q(**{f"updated_at__{beyond}": at}))
    return rows.order_by(f"{sign}updated_at", f"{sign}pk")


def _update_cursor(sequence: int, updated_at: datetime) -> str:
    return f"{int(updated_at.timestamp())}-{sequence}"


def _number(text: str) -> int:
    if not (text.isascii() and text.isdecimal() and len(text) <= LONGEST and int(text) <= LARGEST):
        raise BadRequest("This page address was cut or altered.")
    return int(text)


def _instant_and_number(cursor: str) -> tuple[datetime, int]:
    seconds, _, sequence = cursor.partition("-")
    try:
        return datetime.fromtimestamp(_number(seconds), UTC), _number(sequence)
    except (OverflowError, ValueError, OSError):
        raise BadRequest("This page address was cut or altered.") from None
