"""What the work queue costs: `python -m benchmarks.workqueue [--items 4000]`, on MariaDB.

Items whose action does nothing, from the claim to the last decision: claim, decide, write the attempt, act, settle,
decide again, leave. By one worker and by four at once (of the same two cores as the server). The floor in the same run
is the SQL of it over a plain driver: the same statements in the same transactions, and nothing decided. Prints items a
second, and last one JSON line.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import Any

from benchmarks.harness import own_database

DATABASE = "pk_bench_workqueue"
WORKERS = (1, 4)
BATCH = 20
AIM = 1_000
# Until every worker has loaded and is connected.
HEAD_START = 4.0


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Items a second through the work queue, against plain SQL.")
    parser.add_argument("--items", type=int, default=4_000, help="items for each measurement")
    options = parser.parse_args(argv)
    with own_database("mariadb", DATABASE):
        prepare()
        rates = {
            workers: {name: measure(name, workers, options.items) for name in WAYS} for workers in WORKERS
        }
    for workers, found in rates.items():
        show(workers, found)
    print(json.dumps({"benchmark": "workqueue", "items": options.items, **described(rates)}))
    return 0


def prepare() -> None:
    """Make the detail table of the made-up type, and have the queue handle it."""
    from django.db import connection

    from core.models import Setting

    with connection.schema_editor() as editor:
        editor.create_model(idle_type().model)
    Setting.objects.create(name="workqueue.handled-types", value="noop")
    Setting.objects.create(name="workqueue.batch-size", value=str(BATCH))


def idle_type() -> Any:
    """Return the made-up type, registered: one dimension, one action that does nothing."""
    from django.db import models

    from workqueue import registry
    from workqueue.models import WorkItem
    from workqueue.values import Action, Changes, DimensionUpdate, Done

    if "noop" in registry.TYPES:
        return registry.TYPES["noop"]

    class Noop(WorkItem):
        item = models.OneToOneField(
            WorkItem,
            models.CASCADE,
            parent_link=True,
            primary_key=True,
            db_constraint=False,
            related_name="+",
        )
        note = models.CharField(max_length=50, db_default="")

        class Meta:
            app_label = "noops"
            db_table = "bench_noops"

    done = Done("nothing was done", Changes(dimensions=[DimensionUpdate("needs_nothing", needed=False)]))
    action = Action("nothing", "for the figures", "needs_nothing")
    return registry.register(
        registry.ItemType(
            name="noop",
            model=Noop,
            decide=lambda item: action if item.needs("needs_nothing") else None,
            executors={"nothing": lambda _: done},
            dimensions=("needs_nothing",),
        )
    )


def measure(name: str, workers: int, items: int) -> float:
    """Return the items a second of one way."""
    fill(items)
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        start = time.time() + HEAD_START
        jobs = [pool.submit(WAYS[name], start) for _ in range(workers)]
        seconds = max(job.result() for job in jobs)
    left = count("SELECT COUNT(*) FROM work_items WHERE Actionable = 1 OR LeaseToken IS NOT NULL")
    handled = count("SELECT COUNT(*) FROM work_item_dimensions WHERE Status = 'false'")
    assert (left, handled) == (0, items), f"{name}: {left} items left, {handled} of {items} handled"
    return items / seconds


def fill(items: int) -> None:
    from django.db import connection

    with connection.cursor() as cursor:
        for table in ("work_item_audit", "work_item_dimensions", "bench_noops", "work_items"):
            cursor.execute(f"DELETE FROM {table}")  # noqa: S608 (ours)
        cursor.execute(
            "INSERT INTO work_items (ItemType, Identity, DueAt) SELECT 'noop', seq, CURRENT_TIMESTAMP"  # noqa: S608 (ours)
            f" - INTERVAL 1 HOUR FROM seq_1_to_{items}"
        )
        cursor.execute("INSERT INTO bench_noops (item_id) SELECT Sequence FROM work_items")
        cursor.execute("ANALYZE TABLE work_items")


def count(statement: str) -> int:
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute(statement)
        return int(cursor.fetchone()[0])


def product(start: float) -> float:
    """Work with the product until nothing is left, and return the seconds it took."""
    import django

    django.setup()
    import logging

    from workqueue.services.working import work

    logging.disable(logging.INFO)
    idle_type()
    time.sleep(max(0.0, start - time.time()))
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def plain(start: float) -> float:
    """Do the same by plain SQL."""
    import django

    django.setup()
    from benchmarks.claims import connect

    session = connect()
    time.sleep(max(0.0, start - time.time()))
    began = time.perf_counter()
    with session.cursor() as cursor:
        while items := claim(cursor, session):
            for item in items:
                begin(cursor, item)
                session.commit()
                finish(cursor, item)
                session.commit()
    return time.perf_counter() - began


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


WAYS: dict[str, Callable[[float], float]] = {"plain SQL": plain, "Pullkeeper": product}


def show(workers: int, rates: dict[str, float]) -> None:
    for name, rate in rates.items():
        print(f"{workers} worker(s)  {name:12} {rate:8.1f} items/s")
    print(
        f"{workers} worker(s)  Pullkeeper is {rates['Pullkeeper'] / rates['plain SQL']:.2f} of it (aim {AIM}/s)"
    )


def described(rates: dict[int, dict[str, float]]) -> dict[str, Any]:
    return {
        f"{workers} workers": {
            "items_per_second": {name: round(rate) for name, rate in found.items()},
            "ratio": round(found["Pullkeeper"] / found["plain SQL"], 2),
        }
        for workers, found in rates.items()
    }


if __name__ == "__main__":
    sys.exit(main())
