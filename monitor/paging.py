"""Keyset pages: O(page) however deep, and no row twice or left out because others came or went in between.

A cursor is the sort key of the last row shown. Every order ends in Sequence, which is unique, so rows with
equal keys have an order too (field case F37).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Generic, TypeVar

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


def by_instant(rows: QuerySet[M], column: str, *, cursor: str, newest_first: bool) -> Page[M]:
    """Return a page ordered by (an instant's column, Sequence); raises BadRequest for a cursor that is none.

    The keys come first and the rows after them: for keys alone MariaDB starts at the cursor, for whole rows it
    walks there from the index's beginning.
    """
    ordered = _after(rows, column, cursor, newest_first=newest_first)
    keys = list(ordered.values_list("pk", column)[: ROWS + 1])
    # A row that left the list in between is left out.
    found = rows.filter(pk__in=[key for key, _ in keys[:ROWS]]).in_bulk()
    shown = [found[key] for key, _ in keys[:ROWS] if key in found]
    return Page(shown, _instant_cursor(*keys[ROWS - 1]) if len(keys) > ROWS else "")


def by_columns(rows: QuerySet[M], columns: Sequence[str], *, cursor: str) -> Page[M]:
    """Return a page in ascending order of text columns, and of Sequence; raises BadRequest for a cursor that is none.

    The cursor is the Sequence of the last row shown, and its columns are read anew: names do not fit into an address.
    """
    if cursor:
        rows = _beyond(rows, columns, _number(cursor))
    found = list(rows.order_by(*columns, "pk")[: ROWS + 1])
    return Page(found[:ROWS], str(found[ROWS - 1].pk) if len(found) > ROWS else "")


def _beyond(rows: QuerySet[M], columns: Sequence[str], sequence: int) -> QuerySet[M]:
    last = rows.model._default_manager.filter(pk=sequence).values_list(*columns).first()
    if last is None:
        raise BadRequest("This page address was cut or altered.")
    keys = [*zip(columns, last, strict=True), ("pk", sequence)]
    beyond = Q()
    for place, (column, value) in enumerate(keys):
        beyond |= Q(*keys[:place], (f"{column}__gt", value))
    # The first condition follows from the second; it is what an index can use.
    return rows.filter(Q((f"{columns[0]}__gte", last[0])), beyond)


def by_last_sync(segments: Sequence[QuerySet[M]], *, cursor: str) -> Page[M]:
    """Return a page of lists that follow each other, each in the order of (LastSyncDate, Sequence), never synced first.

    The cursor names the list, the date and the Sequence of the last row shown; raises BadRequest for one that is none.
    """
    begun, at, sequence = _segment_and_key(cursor, len(segments)) if cursor else (0, None, 0)
    found: list[tuple[int, M]] = []
    for number in range(begun, len(segments)):
        rows = segments[number]
        if cursor and number == begun:
            rows = _synced_after(rows, at, sequence)
        found += [(number, row) for row in rows.order_by("last_sync_date", "pk")[: ROWS + 1 - len(found)]]
        if len(found) > ROWS:
            return Page([row for _, row in found[:ROWS]], _sync_cursor(*found[ROWS - 1]))
    return Page([row for _, row in found])


def _synced_after(rows: QuerySet[M], at: datetime | None, sequence: int) -> QuerySet[M]:
    tie = Q(last_sync_date=at, pk__gt=sequence)
    if at is None:
        return rows.filter(tie | Q(last_sync_date__isnull=False))
    return rows.filter(Q(last_sync_date__gte=at), tie | Q(last_sync_date__gt=at))


def synced_up_to(at: datetime | None, sequence: int) -> Q:
    """Return the condition of the rows that come before a key (LastSyncDate, Sequence) or have it."""
    tie = Q(last_sync_date=at, pk__lte=sequence)
    return tie if at is None else tie | Q(last_sync_date=None) | Q(last_sync_date__lt=at)


def _sync_cursor(segment: int, row: Any) -> str:
    at = row.last_sync_date
    return f"{segment}-{'never' if at is None else int(at.timestamp())}-{row.pk}"


def _segment_and_key(cursor: str, segments: int) -> tuple[int, datetime | None, int]:
    segment, _, key = cursor.partition("-")
    number, (at, _, sequence) = _number(segment), key.partition("-")
    if number >= segments:
        raise BadRequest("This page address was cut or altered.")
    if at == "never":
        return number, None, _number(sequence)
    return number, *_instant_and_number(key)


def _after(rows: QuerySet[M], column: str, cursor: str, *, newest_first: bool) -> QuerySet[M]:
    beyond, sign = ("lt", "-") if newest_first else ("gt", "")
    if cursor:
        at, sequence = _instant_and_number(cursor)
        tie = Q((column, at), (f"pk__{beyond}", sequence))
        # The first condition follows from the second; it is what an index can use.
        rows = rows.filter(Q((f"{column}__{beyond}e", at)), tie | Q((f"{column}__{beyond}", at)))
    return rows.order_by(f"{sign}{column}", f"{sign}pk")


def _instant_cursor(sequence: int, at: datetime) -> str:
    return f"{int(at.timestamp())}-{sequence}"


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
