"""What a claim costs: `python -m benchmarks.claims [--rows 1000000] [--seconds 4]`, on MariaDB.

Two floors in the same run, over a plain driver. "two steps": candidates of each state read without locks, the first ten
of them locked and updated, ten lines of history; the least that a claim of this kind needs. "external": the claim of
programs that exist already, which locks what it sorts. Figures are claims of ten rows a second, taken by one worker
and by four at once; rounds alternate, so that a busy machine is busy for all. Prints them, and last one JSON line.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import AbstractContextManager, contextmanager
from multiprocessing import get_context
from typing import Any

from benchmarks.filling import fill
from benchmarks.harness import own_database

DATABASE = "pk_bench"
PENDING_ROWS = 50_000
WORKERS = (1, 4)
BATCH = 10
ROUNDS = 3
# Until every worker has loaded and is connected.
HEAD_START = 4.0
# In floors and in the product alike: how far a claim may run into what others have taken.
CANDIDATES = 40
AIMS: dict[str, dict[int, float]] = {"two steps": {1: 0.8, 4: 0.8}, "external": {1: 20, 4: 10}}
STATES = ("NEW", "UPDATED", "RE_REQUESTED", "IDLE")
IN_STATES = ", ".join(f"'{state}'" for state in STATES)
STALE = "ProcessingState = 'PROCESSING' AND ProcessingDate <= NOW() - INTERVAL 1 HOUR"
CLAIMABLE = f"(ProcessingState IN ({IN_STATES}) OR {STALE})"
HALF_NEW = "IF(Sequence DIV 100 MOD 2 = 0, 'NEW', 'UPDATED')"

Work = Callable[[], list[int]]


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Claims a second, against plain SQL.")
    parser.add_argument(
        "--rows", type=int, default=100_000, help="pull requests, up to 50,000 of them pending"
    )
    parser.add_argument("--seconds", type=float, default=4.0, help="length of each measurement")
    options = parser.parse_args(argv)
    with own_database("mariadb", DATABASE):
        fill(options.rows)
        make_pending(options.rows)
        results = {workers: measure(workers, options.seconds) for workers in WORKERS}
    for workers, rates in results.items():
        show(workers, rates)
    print(json.dumps({"benchmark": "claims", "rows": options.rows, **described(results)}))
    return 0


def measure(workers: int, seconds: float) -> dict[str, float]:
    """Return the median of claims a second for each way of claiming."""
    rates: dict[str, list[float]] = {name: [] for name in WAYS}
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        for _ in range(ROUNDS):
            for name in WAYS:
                rates[name].append(one_round(pool, workers, name, seconds))
    return {name: statistics.median(found) for name, found in rates.items()}


def one_round(pool: ProcessPoolExecutor, workers: int, name: str, seconds: float) -> float:
    make_pending_again()
    start = time.time() + HEAD_START
    jobs = [pool.submit(claim_for, name, start, seconds) for _ in range(workers)]
    taken = [job.result() for job in jobs]
    sequences = [sequence for sequences, _ in taken for sequence in sequences]
    assert len(sequences) == len(set(sequences)), f"{name}: a row was claimed twice"
    assert sequences, f"{name}: nothing was claimed"
    return len(sequences) / BATCH / max(elapsed for _, elapsed in taken)


def make_pending(rows: int) -> None:
    """Make as many rows pending as wanted, the others PROCESSED: half NEW, half UPDATED, of spread-out ages."""
    step = max(2, rows // PENDING_ROWS)
    reset(
        f"IF(Sequence MOD {step} = 0, {HALF_NEW}, 'PROCESSED')",
        f"ProcessingState != 'PROCESSED' OR Sequence MOD {step} = 0",
    )


def make_pending_again() -> None:
    """Put what was claimed back to where it was."""
    reset(HALF_NEW, "ProcessingState = 'PROCESSING'")


def reset(state: str, which: str) -> None:
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute("TRUNCATE TABLE pull_request_history")
        cursor.execute(
            f"""UPDATE github_pull_requests SET ProcessingDate = NULL, ClaimToken = NULL, ProcessingAttempts = 0,
            UpdatedAt = NOW() - INTERVAL (Sequence * 7919) MOD 5000000 SECOND, ProcessingState = {state}
            WHERE {which}"""  # noqa: S608 (ours)
        )
        # Its estimates, and the cleaning up after the update, are no part of what is measured.
        cursor.execute("ANALYZE TABLE github_pull_requests")


def claim_for(name: str, start: float, seconds: float) -> tuple[list[int], float]:
    """Claim until the time is over or nothing is left; returns the Sequences and the seconds it took."""
    with WAYS[name]() as work:
        time.sleep(max(0.0, start - time.time()))
        taken: list[int] = []
        began = last = time.perf_counter()
        while last - began < seconds:
            got = work()
            if not got and not anything_left():
                break
            taken += got
            last = time.perf_counter()
        return taken, last - began


def anything_left() -> bool:
    import django

    django.setup()
    from webhooks.models import PullRequest

    return bool(PullRequest.objects.filter(processing_state__in=STATES).exists())


@contextmanager
def product() -> Iterator[Work]:
    import django

    django.setup()
    from django.db import connection

    from webhooks.models import PullRequest
    from webhooks.services.claims import claim

    connection.ensure_connection()
    yield lambda: [claim.row.pk for claim in claim(PullRequest, worker="bench", limit=BATCH).claims]


@contextmanager
def plain(take: Callable[[Any], list[int]]) -> Iterator[Work]:
    """Give a plain session, in which the work is one transaction."""
    session = connect()

    def work() -> list[int]:
        with session.cursor() as cursor:
            taken = take(cursor)
        session.commit()
        return taken

    try:
        yield work
    finally:
        session.close()


def connect() -> Any:
    import MySQLdb
    from django.conf import settings

    place = settings.DATABASES["default"]
    session = MySQLdb.connect(
        host=place["HOST"],
        port=int(place["PORT"] or 3306),
        user=place["USER"],
        password=place["PASSWORD"],
        database=place["NAME"],
        charset="utf8mb4",
    )
    with session.cursor() as cursor:
        # Kind to the floors: with the server's own REPEATABLE READ they are slower and meet deadlocks.
        cursor.execute("SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED")
    return session


def two_steps(cursor: Any) -> list[int]:
    branches = [f"ProcessingState = '{state}'" for state in STATES]
    cursor.execute(
        " UNION ALL ".join(
            f"(SELECT Sequence FROM github_pull_requests WHERE {rule} ORDER BY UpdatedAt LIMIT {CANDIDATES})"  # noqa: S608 (ours)
            for rule in [*branches, STALE]
        )
    )
    candidates = ", ".join(str(sequence) for (sequence,) in cursor.fetchall())
    if not candidates:
        return []
    taken = lock(cursor, f"Sequence IN ({candidates}) AND {CLAIMABLE} ORDER BY UpdatedAt, Sequence")
    cursor.executemany(
        "INSERT INTO pull_request_history (PullRequestSequence, Kind, Reason, Actor, FromState, ToState, ClaimToken)"
        " VALUES (%s, 'claim', %s, 'bench', 'NEW', 'PROCESSING', '00000000-0000-0000-0000-000000000000')",
        [(sequence, "claimed by bench, attempt 1") for sequence in taken],
    )
    return taken


def external(cursor: Any) -> list[int]:
    return lock(cursor, f"{CLAIMABLE} ORDER BY UpdatedAt ASC")


def lock(cursor: Any, rule: str) -> list[int]:
    statement = f"SELECT * FROM github_pull_requests WHERE {rule} LIMIT {BATCH} FOR UPDATE SKIP LOCKED"  # noqa: S608 (ours)
    cursor.execute(statement)
    taken = [row[0] for row in cursor.fetchall()]
    if taken:
        cursor.execute(
            "UPDATE github_pull_requests SET ProcessingState = 'PROCESSING', ProcessingDate = NOW(),"  # noqa: S608 (ours)
            f" GstracciniBotVersion = 'bench' WHERE Sequence IN ({', '.join(map(str, taken))})"
        )
    return taken


WAYS: dict[str, Callable[[], AbstractContextManager[Work]]] = {
    "two steps": lambda: plain(two_steps),
    "Pullkeeper": product,
    "external": lambda: plain(external),
}


def show(workers: int, rates: dict[str, float]) -> None:
    for name, rate in rates.items():
        ratio = rates["Pullkeeper"] / rate
        aim = f"  Pullkeeper is {ratio:.2f} of it (aim {AIMS[name][workers]})" if name in AIMS else ""
        print(f"{workers} worker(s)  {name:12} {rate:8.1f} claims/s{aim}")


def described(results: dict[int, dict[str, float]]) -> dict[str, Any]:
    return {
        f"{workers} workers": {
            "claims_per_second": {name: round(rate, 1) for name, rate in rates.items()},
            "ratio": {name: round(rates["Pullkeeper"] / rates[name], 2) for name in AIMS},
        }
        for workers, rates in results.items()
    }


if __name__ == "__main__":
    sys.exit(main())
