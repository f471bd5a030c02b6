"""What the work queue is measured against: the SQL of it over a plain driver, with nothing decided."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from typing import Any

from benchmarks.claims import connect

BATCH = 20
COMMIT_SECONDS = 3.0


def plain() -> float:
    """Do the same by plain SQL, with two commits an item."""
    return _by_sql(two_commits)


def shared() -> float:
    """Do the same by plain SQL, with one commit an item."""
    return _by_sql(one_commit)


def commits() -> float:
    """Change one row again and again, and return the commits a second."""
    session = connect()
    row, began, made = os.getpid() % 100, time.perf_counter(), 0
    with session.cursor() as cursor:
        cursor.execute("SELECT Sequence FROM work_items LIMIT %s, 1", [row])
        ((item,),) = cursor.fetchall()
        while time.perf_counter() < began + COMMIT_SECONDS:
            made += 1
            cursor.execute("UPDATE work_items SET Attempts = %s WHERE Sequence = %s", [made, item])
            session.commit()
    return made / (time.perf_counter() - began)


def _by_sql(work_off: Callable[[Any, Any, list[int]], None]) -> float:
    session = connect()
    began = time.perf_counter()
    with session.cursor() as cursor:
        while items := claim(cursor, session):
            work_off(cursor, session, items)
    return time.perf_counter() - began


def two_commits(cursor: Any, session: Any, items: list[int]) -> None:
    for item in items:
        begin(cursor, item)
        session.commit()
        finish(cursor, item)
        session.commit()


def one_commit(cursor: Any, session: Any, items: list[int]) -> None:
    for item in items:
        begin(cursor, item)
        session.commit()
        finish(cursor, item)
    session.commit()


def claim(cursor: Any, session: Any) -> list[int]:
    cursor.execute(
        "SELECT Sequence, ItemType FROM work_items WHERE Actionable = 1 AND DueAt <= CURRENT_TIMESTAMP"  # noqa: S608 (ours)
        " AND Phase = 'active' AND (LeasedUntil IS NULL OR LeasedUntil <= CURRENT_TIMESTAMP)"
        f" ORDER BY DueAt, Sequence LIMIT {BATCH} FOR UPDATE SKIP LOCKED"
    )
    items = [row[0] for row in cursor.fetchall()]
    if items:
        cursor.execute(
            "UPDATE work_items SET LeaseToken = UUID(), LeasedUntil = CURRENT_TIMESTAMP + INTERVAL 60 SECOND"  # noqa: S608 (ours)
            f" WHERE Sequence IN ({', '.join(map(str, items))})"
        )
    session.commit()
    return items


def look(cursor: Any, item: int) -> None:
    cursor.execute(
        "SELECT w.*, n.*, CURRENT_TIMESTAMP FROM work_items w JOIN bench_noops n ON n.item_id = w.Sequence"
        " WHERE w.Sequence = %s FOR UPDATE",
        [item],
    )
    cursor.fetchall()
    cursor.execute("SELECT * FROM work_item_dimensions WHERE WorkItemSequence = %s", [item])
    cursor.fetchall()
    cursor.execute("SELECT * FROM pending_events WHERE WorkItemSequence = %s LIMIT 20", [item])
    cursor.fetchall()


def begin(cursor: Any, item: int) -> None:
    look(cursor, item)
    cursor.execute(
        "UPDATE work_items SET Attempts = 1, UpdatedAt = CURRENT_TIMESTAMP WHERE Sequence = %s", [item]
    )
    tell(cursor, [(item, "decision", "nothing: for the figures")])


def finish(cursor: Any, item: int) -> None:
    look(cursor, item)
    cursor.execute(
        "INSERT INTO work_item_dimensions (WorkItemSequence, Dimension, Status) VALUES (%s, 'needs_nothing', 'false')",
        [item],
    )
    cursor.execute(
        "UPDATE work_items SET Attempts = 0, Actionable = 0, LeasedUntil = NULL, LeaseToken = NULL,"
        " UpdatedAt = CURRENT_TIMESTAMP WHERE Sequence = %s",
        [item],
    )
    tell(
        cursor,
        [
            (item, "outcome", "nothing done: nothing was done"),
            (item, "dimension_change", "needs_nothing = false"),
            (item, "decision", "nothing to do now"),
        ],
    )


def tell(cursor: Any, entries: list[tuple[int, str, str]]) -> None:
    cursor.executemany(
        "INSERT INTO work_item_audit (WorkItemSequence, Kind, Sentence) VALUES (%s, %s, %s)", entries
    )
