"""What the idle line costs: `python -m benchmarks.idle_view [--rows 1000000] [--on mariadb]`.

The floor is one scan of the whole table in its clustered order, in the same run. Most pull requests belong to
few repositories; 70 % are closed, 25 % open and PROCESSED, 5 % pending; ages go up to 60 days. Prints the
figures, and last one JSON line.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from datetime import datetime, timedelta
from itertools import islice
from multiprocessing import get_context
from typing import Any

from benchmarks.harness import VENDORS, milliseconds, own_database

DATABASE = "pk_bench"
REPOSITORIES = 10_000
# Of so many repositories a row is known, several for each.
KNOWN_REPOSITORIES = 4_000
REPOSITORY_ROWS = 20_000
INSTALLATIONS = 500
# State and ProcessingState, with how many of a hundred rows have them.
KINDS = {("CLOSED", "PROCESSED"): 70, ("OPEN", "PROCESSED"): 25, ("OPEN", "NEW"): 3, ("OPEN", "UPDATED"): 2}
BATCH = 2_000
PAGE = 50
HOUR = 3600


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
    """Fill a database of its own and return, for each question, milliseconds and the ratio to the scan."""
    with own_database(vendor, DATABASE):
        fill(rows)
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


def fill(rows: int) -> None:
    """Write the made-up rows, the same on every database, and let the planner look at them."""
    from django.db import connection

    from core import clock

    chance = random.Random(1)
    write("github_installations", installations(chance))
    write("github_repositories", repositories(chance))
    write("github_pull_requests", pull_requests(chance, rows, clock.now()))
    with connection.cursor() as cursor:
        tables = "TABLE github_pull_requests, github_repositories, github_installations"
        cursor.execute(f"ANALYZE {tables if connection.vendor == 'mysql' else ''}")


def write(table: str, rows: Iterator[dict[str, Any]]) -> None:
    """Insert rows by plain SQL, the columns left out to their defaults: ten times as fast as the ORM."""
    from django.db import connection, transaction

    with connection.cursor() as cursor:
        while batch := list(islice(rows, BATCH)):
            columns, marks = ", ".join(batch[0]), ", ".join(["%s"] * len(batch[0]))
            statement = f"INSERT INTO {table} ({columns}) VALUES ({marks})"  # noqa: S608 (names of ours)
            with transaction.atomic():
                cursor.executemany(statement, [tuple(row.values()) for row in batch])


def installations(chance: random.Random) -> Iterator[dict[str, Any]]:
    for number in range(INSTALLATIONS):
        status = "0" if number % 50 == 0 else "1"
        yield {"DeliveryId": chance.randbytes(16), "InstallationId": number, "Status": status}


def repositories(chance: random.Random) -> Iterator[dict[str, Any]]:
    for _ in range(REPOSITORY_ROWS):
        number = chance.randrange(KNOWN_REPOSITORIES)
        yield {
            "DeliveryId": chance.randbytes(16),
            "Id": number,
            "OwnerLogin": f"owner-{number % 300}",
            "Name": f"repository-{number}",
            "Private": number % 2,
            "Archived": int(number % 40 == 0),
            "InstallationId": number % INSTALLATIONS,
        }


def pull_requests(chance: random.Random, rows: int, now: datetime) -> Iterator[dict[str, Any]]:
    weights = [chance.lognormvariate(0, 1.5) for _ in range(REPOSITORIES)]
    numbers = chance.choices(range(REPOSITORIES), weights, k=rows)
    kinds = chance.choices(list(KINDS), list(KINDS.values()), k=rows)
    for place, (number, (state, processing_state)) in enumerate(zip(numbers, kinds, strict=True)):
        # Hours away from full days: no status changes while the questions are asked.
        age = timedelta(days=chance.randrange(60), seconds=chance.randrange(2 * HOUR, 22 * HOUR))
        yield {
            "DeliveryId": chance.randbytes(16),
            "RepositoryOwner": f"owner-{number % 300}",
            "RepositoryName": f"repository-{number}",
            "RepositoryId": number,
            "InstallationId": number % INSTALLATIONS,
            "Number": place,
            "NodeId": f"PR_kwDOA{place:012}",
            "Sender": "somebody",
            "Title": f"Bump a dependency with a middling long name from 1.2.{place % 100} to 1.3.0",
            "Ref": f"dependabot/pip/something-{place}",
            "HeadSha": f"{place:040x}",
            "State": state,
            "ProcessingState": processing_state,
            "IdleRetryCount": min(10, int(chance.expovariate(0.5))),
            "UpdatedAt": f"{now - age:%Y-%m-%d %H:%M:%S}",
        }


if __name__ == "__main__":
    sys.exit(main())
