"""What a turn reads, several times an item: statements of ours, because phrasing them and taking their answers apart
costs Django more than the database needs to answer.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import Any

from django.db import connection, models

from core import clock
from workqueue.models import PendingEvent, WorkItem, WorkItemDimension

# The item with its detail row, as many times as it has dimensions, and a dimension in each.
_LOCK = """SELECT {columns}, CURRENT_TIMESTAMP,
EXISTS (SELECT 1 FROM pending_events e WHERE e.WorkItemSequence = w.Sequence), {dimension} FROM work_items w
JOIN {table} d ON d.{link} = w.Sequence LEFT JOIN work_item_dimensions n ON n.WorkItemSequence = w.Sequence
WHERE w.Sequence = %s AND {more}{lock}"""
_DIMENSION = "n.Sequence, n.Dimension, n.Variant, n.Status, n.PendingUntil"
_DIMENSIONS = f"SELECT {_DIMENSION} FROM work_item_dimensions n WHERE n.WorkItemSequence = %s"  # noqa: S608 (ours)
_EVENTS = "SELECT * FROM pending_events WHERE WorkItemSequence = %s ORDER BY Sequence LIMIT %s"

Dimensions = dict[tuple[str, str], WorkItemDimension]


@dataclass(frozen=True)
class Locked:
    """An item whose row the transaction has locked: its detail model's row, its dimensions, the database's clock.

    `unread` tells whether events wait for it; who stores one waits for no lock and is not waited for.
    """

    item: Any
    dimensions: Dimensions
    now: datetime
    unread: bool


def lock_item(model: type[models.Model], sequence: int, token: str = "") -> Locked | None:
    """Lock an item (with a token: only while that lease holds it), None = not found."""
    reading = _reading(model)
    statement = _lock_sql(model, with_token=bool(token))
    with connection.cursor() as cursor:
        cursor.execute(statement, [sequence, token] if token else [sequence])
        rows = cursor.fetchall()
    if not rows:
        return None
    now, unread = rows[0][reading.width : reading.width + 2]
    dimensions = _by_key(sequence, [row[reading.width + 2 :] for row in rows])
    return Locked(reading.item(rows[0]), dimensions, clock.instant(now), bool(unread))


def dimensions_of(sequence: int) -> Dimensions:
    """Return an item's dimensions by name and variant."""
    with connection.cursor() as cursor:
        cursor.execute(_DIMENSIONS, [sequence])
        return _by_key(sequence, cursor.fetchall())


def unread_events(sequence: int, limit: int) -> list[PendingEvent]:
    """Return the oldest events that wait for an item."""
    return list(PendingEvent.objects.raw(_EVENTS, [sequence, limit]))


def _by_key(item: int, rows: Sequence[tuple[Any, ...]]) -> Dimensions:
    return {(row[1], row[2]): _dimension(item, row) for row in rows if row[0] is not None}


def _dimension(item: int, row: tuple[Any, ...]) -> WorkItemDimension:
    sequence, dimension, variant, status, until = row
    return WorkItemDimension(
        sequence=sequence,
        item_id=item,
        dimension=dimension,
        variant=variant,
        status=status,
        pending_until=clock.instant(until) if until else None,
    )


@dataclass(frozen=True)
class _Reading:
    """How the columns of a detail model, all of them and in its order, become a row of it."""

    model: type[models.Model]
    fields: tuple[models.Field[Any, Any], ...]
    # (position, expression, function of Django's) of each value that is not kept as its driver gives it.
    converters: tuple[tuple[int, Any, Callable[..., Any]], ...]

    @property
    def width(self) -> int:
        return len(self.fields)

    def item(self, row: Sequence[Any]) -> Any:
        values = list(row[: self.width])
        for position, expression, convert in self.converters:
            values[position] = convert(values[position], expression, connection)
        return self.model.from_db(connection.alias, [field.attname for field in self.fields], values)


@cache
def _reading(model: type[models.Model]) -> _Reading:
    fields = tuple(model._meta.concrete_fields)
    columns = [field.get_col(model._meta.db_table) for field in fields]
    converters = tuple(
        (position, column, convert)
        for position, column in enumerate(columns)
        for convert in (*connection.ops.get_db_converters(column), *column.get_db_converters(connection))
    )
    return _Reading(model, fields, converters)


@cache
def _lock_sql(model: type[models.Model], *, with_token: bool) -> str:
    quote = connection.ops.quote_name
    link = model._meta.get_ancestor_link(WorkItem)
    return _LOCK.format(
        columns=", ".join(
            f"{'w' if field.model is WorkItem else 'd'}.{quote(str(field.column))}"
            for field in _reading(model).fields
        ),
        dimension=_DIMENSION,
        table=quote(model._meta.db_table),
        link=quote(str(link.column)) if link else "Sequence",
        more="w.LeaseToken = %s" if with_token else "1 = 1",
        # SQLite has no row locks: a transaction of ours holds the whole file from its first statement.
        lock=" FOR UPDATE" if connection.features.has_select_for_update else "",
    )
