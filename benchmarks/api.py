"""What the REST API adds to its SQL: `python -m benchmarks.api [--rows 1000000] [--on mariadb] [--requests 60]`.

The floor of each endpoint is what its own statements take over a plain cursor, fetched whole, in the same run and in
turns with the requests. A request goes over one kept-alive connection to gunicorn, is authenticated by a token, counted
for its rate, answered and read whole; the caller's own reading of the JSON is not timed. Prints p95s and their ratios,
and last one JSON line.
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from datetime import timedelta
from multiprocessing import get_context
from pathlib import Path

from benchmarks.filling import fill, fill_around
from benchmarks.harness import VENDORS, own_database
from benchmarks.serving import WebServer
from tools.launch import LOOPBACK

DATABASE = "pk_bench_api"
REQUESTS = 60
WARM_UP = 3
P95 = 0.95
PAGE = 50
LIST_ROWS = 1000
STATES = "'NEW', 'UPDATED', 'RE_REQUESTED', 'IDLE', 'PROCESSING'"
TABLES = (
    "pull_requests",
    "branches",
    "comments",
    "installations",
    "issues",
    "pushes",
    "repositories",
    "users",
)
LISTED = """Sequence, SenderLogin, ProcessingState, ProcessingDate, WebhooksReceiverVersion, WebhooksHandlerVersion,
GstracciniBotVersion, RepositoryOwner, RepositoryName, Number, Sender, Ref, Title, IdleRetryCount"""
IDLE_ORDER = """IdleStatusOrder, IdleRetryCount, RepositoryIdleRank, RepositoryLastPullRequestUpdate, UpdatedAt,
Sequence"""

# Endpoint -> the statements that bring what it shows.
FLOORS: dict[str, list[str]] = {
    "processing-state": [
        f"SELECT ProcessingState, COUNT(*) FROM github_{table} GROUP BY ProcessingState"  # noqa: S608 (ours)
        for table in TABLES
    ],
    "pull-requests-processing": [
        f"""SELECT {LISTED} FROM github_pull_requests WHERE Sequence IN (SELECT Sequence FROM (SELECT Sequence
        FROM github_pull_requests WHERE ProcessingState IN ({STATES}) ORDER BY Sequence DESC LIMIT {LIST_ROWS}) x)
        ORDER BY Sequence DESC"""  # noqa: S608 (ours)
    ],
    "idle-pull-requests": [
        f"SELECT * FROM github_pull_requests_idle_view ORDER BY {IDLE_ORDER} LIMIT {PAGE + 1}"  # noqa: S608 (ours)
    ],
}

Seconds = list[float]


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Endpoints of the REST API against their SQL.")
    parser.add_argument(
        "--rows", type=int, default=100_000, help="pull requests, one in twenty of them pending"
    )
    parser.add_argument("--requests", type=int, default=REQUESTS, help="requests to each endpoint")
    parser.add_argument("--on", choices=VENDORS, default=VENDORS[0], help="which database")
    options = parser.parse_args(argv)
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        results = pool.submit(measure, options.on, options.rows, options.requests).result()
    for endpoint, figures in results.items():
        print(
            f"{options.on:8} {options.rows:9,} rows  {endpoint:26} p95 {figures['p95_ms']:8.1f} ms"
            f"   SQL {figures['sql_p95_ms']:8.1f} ms   ratio {figures['ratio']:5.2f}"
        )
    print(json.dumps({"benchmark": "api", "on": options.on, "rows": options.rows, **results}))
    return 0


def measure(vendor: str, rows: int, requests: int) -> dict[str, dict[str, float]]:
    """Fill a database of its own and return the figures of each endpoint."""
    with own_database(vendor, DATABASE):
        fill(rows)
        fill_around(rows)
        return measured(requests)


def measured(requests: int = REQUESTS) -> dict[str, dict[str, float]]:
    """Return, for each endpoint, the p95 of its requests and of its statements in milliseconds, and their ratio."""
    key = make_key()
    with (
        tempfile.TemporaryDirectory(prefix="pullkeeper-bench-") as folder,
        WebServer(os.environ["DATABASE_URL"], log=Path(folder) / "log") as web,
    ):
        ask = caller(web.port, key)
        return {endpoint: compare(endpoint, ask, requests) for endpoint in FLOORS}


def compare(endpoint: str, ask: Callable[[str], bytes], requests: int) -> dict[str, float]:
    """Time requests and statements in turns."""
    asked: Seconds = []
    ran: Seconds = []
    for turn in range(WARM_UP + requests):
        request = seconds(lambda: ask(endpoint))
        statements = seconds(lambda: run(FLOORS[endpoint]))
        if turn >= WARM_UP:
            asked.append(request)
            ran.append(statements)
    p95, floor = (percentile(times) * 1000 for times in (asked, ran))
    return {"p95_ms": round(p95, 2), "sql_p95_ms": round(floor, 2), "ratio": round(p95 / floor, 2)}


def seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def percentile(times: Seconds) -> float:
    return sorted(times)[min(len(times) - 1, int(len(times) * P95))]


def run(statements: list[str]) -> None:
    from django.db import connection

    with connection.cursor() as cursor:
        for statement in statements:
            cursor.execute(statement)
            cursor.fetchall()


def make_key() -> str:
    """Return the key of a viewer's token, with no rate to speak of."""
    from django.contrib.auth.models import Group, User

    from core import registry
    from core.access import tokens
    from core.setting_specs import READS_PER_MINUTE

    registry.write(READS_PER_MINUTE, "1000000")
    user = User.objects.create_user("benchmark")
    user.groups.add(Group.objects.get(name="viewer"))
    return tokens.make(user=user, name="benchmark", lifetime=timedelta(days=1)).key


def caller(port: int, key: str) -> Callable[[str], bytes]:
    """Return what asks an endpoint over one kept connection and returns the answer; anything but a 200 is an error."""
    connection = http.client.HTTPConnection(LOOPBACK, port, timeout=60)

    def ask(endpoint: str) -> bytes:
        connection.request("GET", f"/api/v1/{endpoint}", headers={"Authorization": f"token {key}"})
        answer = connection.getresponse()
        body = answer.read()
        assert answer.status == http.client.OK, f"{endpoint}: {answer.status} {body[:300]!r}"
        return body

    return ask


if __name__ == "__main__":
    sys.exit(main())
