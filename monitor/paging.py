"""Keyset pages: O(page) however deep, and no row twice or left out because others came or went in between.

A cursor is the sort key of the last row shown. Every order ends in Sequence, which is unique, so rows with
equal keys have an order too (field case F37).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Generic, TypeVar

from django.core.exceptions import BadRequest
from django.db.models import DateTimeField, IntegerField, Model, Q, QuerySet

from monitor.tables import SORTED_AMONG, Order

ROWS = 50
LARGEST = 2**63 - 1
LONGEST = len(str(LARGEST))
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MICROSECOND = timedelta(microseconds=1)
# How a cursor says that a column is NULL.
NOTHING = "none"

M = TypeVar("M", bound=Model)


@dataclass(frozen=True)
class Page(Generic[M]):
    """The rows of one page, and the cursor of the next one ("" on the last)."""

    rows: list[M]
    next: str = ""


def by_sequence(rows: QuerySet[M], *, cursor: str, size: int = ROWS) -> Page[M]:
    """Return a page in descending Sequence; raises BadRequest for a cursor that is none."""
    if cursor:
        rows = rows.filter(pk__lt=_number(cursor))
    return _page(list(rows.order_by("-pk")[: size + 1]), size)


def _page(found: list[M], size: int) -> Page[M]:
    return Page(found[:size], str(found[size - 1].pk) if len(found) > size else "")


def by_instant(
    rows: QuerySet[M], column: str, *, cursor: str, newest_first: bool, size: int = ROWS
) -> Page[M]:
    """Return a page ordered by (an instant's column, Sequence); raises BadRequest for a cursor that is none.

    The keys come first and the rows after them: for keys alone MariaDB starts at the cursor, for whole rows it
    walks there from the index's beginning.
    """
    ordered = _after(rows, column, cursor, newest_first=newest_first)
    keys = list(ordered.values_list("pk", column)[: size + 1])
    # A row that left the list in between is left out.
    found = rows.filter(pk__in=[key for key, _ in keys[:size]]).in_bulk()
    shown = [found[key] for key, _ in keys[:size] if key in found]
    return Page(shown, _instant_cursor(*keys[size - 1]) if len(keys) > size else "")


def by_columns(
    rows: QuerySet[M], columns: Sequence[str], *, cursor: str, descending: bool = False, size: int = ROWS
) -> Page[M]:
    """Return a page in the order of columns, then of Sequence; raises BadRequest for a cursor that is none.

    The cursor is the key of the last row shown where that is numbers and instants: the row may stand elsewhere by the
    time the next page is asked for. Names do not fit into an address: they are read anew, by the row's Sequence.
    """
    if cursor:
        rows = _beyond(rows, columns, *_key(rows.model, columns, cursor), descending=descending)
    sign = "-" if descending else ""
    page = _page(list(rows.order_by(*(f"{sign}{column}" for column in (*columns, "pk")))[: size + 1]), size)
    return Page(page.rows, page.next and _key_cursor(page.rows[-1], columns))


def by_order(rows: QuerySet[M], order: Order, *, cursor: str, size: int = ROWS) -> Page[M]:
    """Return a page in a person's order; without one the newest come first. Raises BadRequest as by_columns does."""
    if order.column is None:
        return by_sequence(rows, cursor=cursor, size=size)
    if order.is_partial:
        newest = list(rows.order_by("-pk").values_list("pk", flat=True)[:SORTED_AMONG])
        rows = rows.filter(pk__in=newest)
    return by_columns(rows, (order.column.order,), cursor=cursor, descending=order.descending, size=size)


def _fits_an_address(model: type[Model], columns: Sequence[str]) -> bool:
    fields = [model._meta.get_field(column) for column in columns]
    return all(isinstance(field, DateTimeField | IntegerField) for field in fields)


def _key_cursor(row: Model, columns: Sequence[str]) -> str:
    if not _fits_an_address(type(row), columns):
        return str(row.pk)
    return "-".join([str(row.pk), *(_to_text(getattr(row, column)) for column in columns)])


def _key(model: type[M], columns: Sequence[str], cursor: str) -> tuple[int, Sequence[Any]]:
    """Return Sequence and columns of the last row shown."""
    first, *more = cursor.split("-")
    sequence = _number(first)
    if not _fits_an_address(model, columns):
        found = model._default_manager.filter(pk=sequence).values_list(*columns).first()
    elif len(more) == len(columns):
        found = tuple(_of_text(model, *one) for one in zip(columns, more, strict=True))
    else:
        found = None
    if found is None:
        raise BadRequest("This page address was cut or altered.")
    return sequence, found


def _to_text(value: datetime | int | None) -> str:
    if value is None:
        return NOTHING
    return str((value - EPOCH) // MICROSECOND if isinstance(value, datetime) else value)


def _of_text(model: type[Model], column: str, text: str) -> datetime | int | None:
    if text == NOTHING:
        return None
    if not isinstance(model._meta.get_field(column), DateTimeField):
        return _number(text)
    try:
        return EPOCH + _number(text) * MICROSECOND
    except OverflowError:
        raise BadRequest("This page address was cut or altered.") from None


def _beyond(
    rows: QuerySet[M], columns: Sequence[str], sequence: int, last: Sequence[Any], *, descending: bool
) -> QuerySet[M]:
    keys = [*zip(columns, last, strict=True), ("pk", sequence)]
    beyond = Q()
    for place, (column, value) in enumerate(keys):
        beyond |= Q(_same(keys[:place]), _past(column, value, descending=descending))
    if last[0] is None or descending:
        return rows.filter(beyond)
    # The first condition follows from the second; it is what an index can use.
    return rows.filter(Q((f"{columns[0]}__gte", last[0])), beyond)


def _same(keys: Sequence[tuple[str, Any]]) -> Q:
    return Q(*((f"{column}__isnull", True) if value is None else (column, value) for column, value in keys))


def _past(column: str, value: Any, *, descending: bool) -> Q:
    """Return what comes after a value; both databases sort NULL before everything else."""
    if descending:
        return (
            Q(pk__in=())
            if value is None
            else Q(**{f"{column}__lt": value}) | Q(**{f"{column}__isnull": True})
        )
    return Q(**{f"{column}__isnull": False}) if value is None else Q(**{f"{column}__gt": value})


def by_last_sync(segments: Sequence[QuerySet[M]], *, cursor: str, size: int = ROWS) -> Page[M]:
    """Return a page of lists that follow each other, each in the order of (LastSyncDate, Sequence), never synced first.

    The cursor names the list, the date and the Sequence of the last row shown; raises BadRequest for one that is none.
    """
    begun, at, sequence = _segment_and_key(cursor, len(segments)) if cursor else (0, None, 0)
    found: list[tuple[int, M]] = []
    for number in range(begun, len(segments)):
        rows = segments[number]
        if cursor and number == begun:
            rows = _synced_after(rows, at, sequence)
        found += [(number, row) for row in rows.order_by("last_sync_date", "pk")[: size + 1 - len(found)]]
        if len(found) > size:
            return Page([row for _, row in found[:size]], _sync_cursor(*found[size - 1]))
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
