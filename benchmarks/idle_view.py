"""What the idle line costs: `python -m benchmarks.idle_view [--rows 1000000] [--on mariadb]`.

The floor is one scan of the whole table in its clustered order, in the same run. Prints the figures, and last one
JSON line.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import Any

from benchmarks.filling import fill
from benchmarks.harness import VENDORS, milliseconds, own_database

DATABASE = "pk_bench"
PAGE = 50


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="The idle line against a scan of the table.")
    parser.add_argument("--rows", type=int, default=100_000, help="pull requests")
    parser.add_argument("--on", choices=VENDORS, help="one database only")
    options = parser.parse_args(argv)
    vendors = [options.on] if options.on else VENDORS
    results = {}
    # One process each, because Django is bound to one database for the life of a process.
    with ProcessPoolExecutor(1, mp_context=get_context("spawn"), max_tasks_per_child=1) as pool:
        for vendor in vendors:
            results[vendor] = pool.submit(measure, vendor, options.rows).result()
            show(vendor, options.rows, results[vendor])
    print(json.dumps({"benchmark": "idle_view", "rows": options.rows, **results}))
    return 0


def show(vendor: str, rows: int, result: dict[str, dict[str, float]]) -> None:
    for name, figures in result.items():
        print(f"{vendor:8} {rows:9,} rows  {name:20} {figures['ms']:9.1f} ms   ratio {figures['ratio']:.2f}")


def measure(vendor: str, rows: int) -> dict[str, dict[str, float]]:
    """Fill a database of its own and return the figures of each question."""
    with own_database(vendor, DATABASE):
        fill(rows)
        return measured()


def measured() -> dict[str, dict[str, float]]:
    """Return, for each question, milliseconds and the ratio to the scan."""
    times = ask()
    floor = times["scan of the table"]
    return {name: {"ms": round(time, 2), "ratio": round(time / floor, 2)} for name, time in times.items()}


def ask() -> dict[str, float]:
    """Time each question as the product asks it."""
    from idle.selectors import counts, in_order, next_due
    from idle.services import head_of_the_line

    check_answers()
    return {
        "scan of the table": milliseconds(scan),
        "first row": milliseconds(in_order().first),
        "page of 50": milliseconds(lambda: list(in_order()[:PAGE])),
        "a page far back": milliseconds(lambda: list(in_order()[1000 : 1000 + PAGE])),
        "next due": milliseconds(next_due),
        "counts": milliseconds(counts),
        "what a run reads of the line": milliseconds(lambda: head_of_the_line(21)),
    }


def check_answers() -> None:
    """A fast answer must be the right one: the counts are those of the whole list."""
    from collections import Counter

    from idle.selectors import counts, in_order

    listed = Counter(in_order().values_list("idle_status", flat=True))
    assert dict(listed) == counts(), f"{listed} in the list, {counts()} counted"
    assert len(listed) == len(counts())


def scan() -> Any:
    from django.db import connection

    hint = "USE INDEX ()" if connection.vendor == "mysql" else "NOT INDEXED"
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT COUNT(*), MAX(UpdatedAt) FROM github_pull_requests {hint}")  # noqa: S608 (ours)
        return cursor.fetchone()


if __name__ == "__main__":
    sys.exit(main())
