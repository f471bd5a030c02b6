"""What the work queue costs: `python -m benchmarks.workqueue [--items 1000]`, on MariaDB.

Items whose action does nothing, from the claim to the last decision: claim, decide, write the attempt, act, settle,
decide again, leave. By one worker and by four at once (of the same two cores as the server). Two floors in the same run
over a plain driver, with nothing decided. "plain SQL": the statements of an item in two transactions, as an item alone
needs them. "one commit": an item is left by the commit that begins the next, as the product does it. Printed beside
them is what the disk allows: the commits a second of a loop that changes one row. Last comes one JSON line.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import Any

from benchmarks import workqueue_floors as floors
from benchmarks.harness import own_database
from benchmarks.workqueue_floors import BATCH

DATABASE = "pk_bench_workqueue"
WORKERS = (1, 4)
AIM = 1_000
ROUNDS = 3
# Where the workers of a measurement wait for each other; set in each of them.
START = "start"
_shared: dict[str, Any] = {}


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Items a second through the work queue, against plain SQL.")
    parser.add_argument("--items", type=int, default=1_000, help="items for each measurement")
    options = parser.parse_args(argv)
    with own_database("mariadb", DATABASE):
        prepare()
        results = {workers: measure_all(workers, options.items) for workers in WORKERS}
    for workers, found in results.items():
        show(workers, found)
    print(json.dumps({"benchmark": "workqueue", "items": options.items, **described(results)}))
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


def measure_all(workers: int, items: int) -> dict[str, float]:
    """Return the commits a second, and the median of the items a second of each way; rounds alternate."""
    context = get_context("spawn")
    start = context.Barrier(workers)
    rates: dict[str, list[float]] = {name: [] for name in WAYS}
    with ProcessPoolExecutor(workers, mp_context=context, initializer=get_ready, initargs=(start,)) as pool:
        fill(items)
        commits = sum(at_once(pool, floors.commits, workers))
        for _ in range(ROUNDS):
            for name in WAYS:
                rates[name].append(measure(pool, name, workers, items))
    return {COMMITS: commits} | {name: statistics.median(found) for name, found in rates.items()}


def measure(pool: ProcessPoolExecutor, name: str, workers: int, items: int) -> float:
    """Return the items a second of one way."""
    fill(items)
    seconds = max(at_once(pool, WAYS[name], workers))
    left = count("SELECT COUNT(*) FROM work_items WHERE Actionable = 1 OR LeaseToken IS NOT NULL")
    handled = count("SELECT COUNT(*) FROM work_item_dimensions WHERE Status = 'false'")
    assert (left, handled) == (0, items), f"{name}: {left} items left, {handled} of {items} handled"
    return items / seconds


def at_once(pool: ProcessPoolExecutor, way: Callable[[], float], workers: int) -> list[float]:
    """Let as many processes do it at the same time, and return what each says."""
    return [job.result() for job in [pool.submit(begin_together, way) for _ in range(workers)]]


def get_ready(start: Any) -> None:
    """Load the product before anything is timed; `start` is where all wait for the last one."""
    import logging

    import django

    django.setup()
    logging.disable(logging.INFO)
    idle_type()
    _shared[START] = start


def begin_together(way: Callable[[], float]) -> float:
    _shared[START].wait()
    return way()


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


def product() -> float:
    """Work with the product until nothing is left, and return the seconds it took."""
    from workqueue.services.working import work

    began = time.perf_counter()
    work()
    return time.perf_counter() - began


COMMITS = "commits alone"
FLOOR, SHARED, PRODUCT = "plain SQL", "one commit", "Pullkeeper"
WAYS: dict[str, Callable[[], float]] = {FLOOR: floors.plain, SHARED: floors.shared, PRODUCT: product}


def show(workers: int, rates: dict[str, float]) -> None:
    for name, rate in rates.items():
        print(f"{workers} worker(s)  {name:13} {rate:8.1f} {'commits' if name == COMMITS else 'items'}/s")
    of_floor, of_shared = (rates[PRODUCT] / rates[floor] for floor in (FLOOR, SHARED))
    print(
        f"{workers} worker(s)  Pullkeeper is {of_floor:.2f} of plain SQL, {of_shared:.2f} of one commit (aim {AIM}/s)"
    )


def described(results: dict[int, dict[str, float]]) -> dict[str, Any]:
    return {
        f"{workers} workers": {
            "per_second": {name: round(rate) for name, rate in found.items()},
            "ratio": round(found[PRODUCT] / found[FLOOR], 2),
            "ratio_to_one_commit": round(found[PRODUCT] / found[SHARED], 2),
        }
        for workers, found in results.items()
    }


if __name__ == "__main__":
    sys.exit(main())
