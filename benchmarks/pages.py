"""What pages cost beside their SQL: `python -m benchmarks.pages [--rows 1000000] [--on mariadb]`.

Each page is asked for many times over Django's test client, as a viewer who is logged in. The floor is the time that
the very same requests spent waiting for the database. Prints p95 of both and their ratio, and last one JSON line.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from typing import Any

from benchmarks.filling import fill, fill_around
from benchmarks.harness import VENDORS, own_database

DATABASE = "pk_bench_pages"
PAGES = (
    "/",
    "/idle/",
    "/idle/?sort=-retries",
    "/idle/?repository={repository}",
    "/processing/",
    "/processing/pull_requests/?state=NEW",
    "/processing/pull_requests/?state=PROCESSED",
    "/trends/",
    "/deliveries/",
    "/repositories/",
    "/repositories/{repository_id}/",
    "/pull-requests/{repository}/{number}/",
)
ROUNDS = 20
OK = 200


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Pages against their own SQL.")
    parser.add_argument("--rows", type=int, default=100_000, help="pull requests")
    parser.add_argument("--on", choices=VENDORS, help="one database only")
    options = parser.parse_args(argv)
    results = {}
    # One process each, because Django is bound to one database for the life of a process.
    with ProcessPoolExecutor(1, mp_context=get_context("spawn"), max_tasks_per_child=1) as pool:
        for vendor in [options.on] if options.on else VENDORS:
            results[vendor] = pool.submit(measure, vendor, options.rows).result()
            for path, figures in results[vendor].items():
                print(f"{vendor:8} {options.rows:9,} rows  {path:36} {figures}")
    print(json.dumps({"benchmark": "pages", "rows": options.rows, **results}))
    return 0


def measure(vendor: str, rows: int) -> dict[str, dict[str, float]]:
    """Fill a database of its own and return the figures of each page."""
    with own_database(vendor, DATABASE):
        fill(rows)
        fill_around(rows)
        return measured()


def measured() -> dict[str, dict[str, float]]:
    """Return the figures of each page."""
    client, due_one = viewer(), of_a_due_one()
    paths = [path.format_map(due_one) for path in PAGES]
    return {path: figures([ask(client, path) for _ in range(ROUNDS + 1)][1:]) for path in paths}


def of_a_due_one() -> dict[str, object]:
    """Return the address of a pull request that is far down the line, in a repository that is known."""
    from idle.selectors import due

    row = due().exclude(repository_private=None)[100]
    return {
        "repository": f"{row.repository_owner}/{row.repository_name}",
        "repository_id": row.repository_id,
        "number": row.number,
    }


def viewer() -> Any:
    """Return a client of a viewer who is logged in."""
    from django.contrib.auth.models import Group, User
    from django.test import Client

    user = User.objects.create_user("viewer")
    user.groups.add(Group.objects.get(name="viewer"))
    client = Client(SERVER_NAME="127.0.0.1")
    client.force_login(user, backend="django.contrib.auth.backends.ModelBackend")
    return client


@dataclass
class Asked:
    """One request: milliseconds in all, and of them in the database; and how many statements."""

    whole: float = 0
    database: float = 0
    statements: int = 0

    def __call__(self, execute: Callable[..., Any], *statement: Any) -> Any:
        start = time.perf_counter()
        try:
            return execute(*statement)
        finally:
            self.database += (time.perf_counter() - start) * 1000
            self.statements += 1


def ask(client: Any, path: str) -> Asked:
    from django.db import connection

    asked = Asked()
    start = time.perf_counter()
    with connection.execute_wrapper(asked):
        response = client.get(path)
    asked.whole = (time.perf_counter() - start) * 1000
    assert response.status_code == OK, f"{path}: {response.status_code}"
    return asked


def figures(requests: Sequence[Asked]) -> dict[str, float]:
    """Return p95 of the page and of its SQL in milliseconds, their ratio, and the statements of one request."""
    whole, database = p95([one.whole for one in requests]), p95([one.database for one in requests])
    return {
        "p95_ms": round(whole, 1),
        "sql_p95_ms": round(database, 1),
        "ratio": round(whole / database, 2),
        "statements": requests[-1].statements,
    }


def p95(times: Sequence[float]) -> float:
    return statistics.quantiles(times, n=20)[-1]


if __name__ == "__main__":
    sys.exit(main())
