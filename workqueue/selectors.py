"""What a turn reads, several times an item: statements of ours, because phrasing them costs Django more than the
database needs to answer.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from django.db import connection, models

from core import clock
from workqueue.models import PendingEvent, WorkItem, WorkItemDimension

_LOCK = """SELECT w.*, d.*, CURRENT_TIMESTAMP AS present,
EXISTS (SELECT 1 FROM pending_events e WHERE e.WorkItemSequence = w.Sequence) AS unread FROM work_items w
JOIN {table} d ON d.{link} = w.Sequence WHERE w.Sequence = %s AND {more}{lock}"""
_DIMENSIONS = """SELECT Sequence, Dimension, Variant, Status, PendingUntil FROM work_item_dimensions
WHERE WorkItemSequence = %s"""
_EVENTS = "SELECT * FROM pending_events WHERE WorkItemSequence = %s ORDER BY Sequence LIMIT %s"


def lock_item(model: type[models.Model], sequence: int, token: str = "") -> Any:
    """Lock an item (with a token: only while that lease holds it) and return its detail model's row, None = not found.

    It has two attributes more. `present`: the database's clock as its driver gives it (see core.clock.instant).
    `unread`: whether events wait for it; nobody who stores one is waited for, nor waits.
    """
    parameters = [sequence, token] if token else [sequence]
    statement = _lock_sql(model, with_token=bool(token))
    return next(iter(model._default_manager.raw(statement, parameters)), None)


def dimensions_of(sequence: int) -> dict[tuple[str, str], WorkItemDimension]:
    """Return an item's dimensions by name and variant."""
    with connection.cursor() as cursor:
        cursor.execute(_DIMENSIONS, [sequence])
        return {(row[1], row[2]): _dimension(sequence, row) for row in cursor.fetchall()}


def unread_events(sequence: int, limit: int) -> list[PendingEvent]:
    """Return the oldest events that wait for an item."""
    return list(PendingEvent.objects.raw(_EVENTS, [sequence, limit]))


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


@cache
def _lock_sql(model: type[models.Model], *, with_token: bool) -> str:
    quote = connection.ops.quote_name
    link = model._meta.get_ancestor_link(WorkItem)
    return _LOCK.format(
        table=quote(model._meta.db_table),
        link=quote(str(link.column)) if link else "Sequence",
        more="w.LeaseToken = %s" if with_token else "1 = 1",
        # SQLite has no row locks: a transaction of ours holds the whole file from its first statement.
        lock=" FOR UPDATE" if connection.features.has_select_for_update else "",
    )
