"""Processes on a database of their own: one that submits, and one that breeds workers and kills them.

`python -m tests.submissions.nursery submit|harm|drain|age|report [number]`, with the product's environment.
"""

from __future__ import annotations

import json
import os
import random
import signal
import sys
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from itertools import groupby, pairwise
from typing import Any

import django

WORKERS = 3
# What becomes of a submission, by its number: how it is made, and the phase in which it ends.
KINDS = {
    "merge": "completed",
    "stay": "active",
    "close": "cancelled",
    "flaky": "completed",
    "nothing": "completed",
    "bad": "failed",
}


def kind_of(number: int) -> str:
    return list(KINDS)[number % len(KINDS)]


def submission(number: int) -> dict[str, Any]:
    kind = kind_of(number)
    add = {"action": "create", "path": f"bulbs/{number}.txt", "content": f"bulb {number}\n"}
    same = {"action": "update", "path": "README.md", "content": "# A repository\n"}
    return {
        "repository": "account-1/repository-1",
        "head_branch": f"auto/{kind}/{number}",
        "base_branch": "none" if kind == "bad" else "main",
        "title": f"{kind} {number}",
        "commit_message": f"Bulb {number}",
        "file_actions": [same if kind == "nothing" else add],
        "options": {"merge_when_ready": kind in {"merge", "flaky"}},
    }


def submit_all(count: int) -> None:
    """Submit until each is taken, as a client does whose calls are answered 503 at times."""
    from django.db import DatabaseError, connection

    from submissions.services.submitting import submit
    from tests.submissions.world import checked

    for number in range(count):
        while True:
            with suppress(DatabaseError):
                submit(checked(submission(number)), "token:nursery")
                break
            connection.close()
            time.sleep(0.2)


def be_a_worker(*, sweeps: bool) -> None:
    """Work for ever; the database may go away and come back."""
    from core.passes import run_pass
    from workqueue.passes import WORK_SWEEP
    from workqueue.services.working import work

    while True:
        _unless_away(lambda: (sweeps and run_pass(WORK_SWEEP, force=True), work()))
        time.sleep(0.2)


def _unless_away(act: Any) -> None:
    from django.db import DatabaseError, InterfaceError, connection

    try:
        act()
    except (DatabaseError, InterfaceError):
        connection.close()
        time.sleep(0.3)


def fork_worker(number: int) -> int:
    pid = os.fork()
    if pid:
        return pid
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    try:
        be_a_worker(sweeps=number == 0)
    finally:
        os._exit(1)


def drain() -> None:
    """Let some workers work in peace until there is nothing to do."""
    from core.passes import run_pass
    from workqueue.passes import WORK_SWEEP
    from workqueue.services.working import work

    children = []
    for number in range(WORKERS):
        pid = os.fork()
        if not pid:
            if not number:
                run_pass(WORK_SWEEP, force=True)
            while not work().endswith("nothing to do."):
                pass
            os._exit(0)
        children.append(pid)
    for pid in children:
        os.waitpid(pid, 0)


def harm_workers() -> None:
    """Keep some workers alive until SIGTERM; kill one at random every second, or let it sleep through its lease."""
    over: list[int] = []
    signal.signal(signal.SIGTERM, lambda *_: over.append(1))
    workers = [fork_worker(number) for number in range(WORKERS)]
    counts: Counter[str] = Counter()
    while not over:
        time.sleep(1)
        _harm(workers, counts)
    for pid in workers:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
    sys.stdout.write(json.dumps(counts) + "\n")
    sys.stdout.flush()


def _harm(workers: list[int], counts: Counter[str]) -> None:
    number = random.randrange(len(workers))
    if random.random() < 0.1:
        counts["slept"] += 1
        os.kill(workers[number], signal.SIGSTOP)
        _unless_away(lambda: let_pass(61))
        time.sleep(1)
        os.kill(workers[number], signal.SIGCONT)
        return
    counts["killed"] += 1
    os.kill(workers[number], signal.SIGKILL)
    os.waitpid(workers[number], 0)
    workers[number] = fork_worker(number)


def let_pass(seconds: int) -> None:
    from django.db import connection

    from tests.ageing import age

    age(seconds)
    # Nothing open is handed on to the next child.
    connection.close()


def report() -> None:
    """Print how the items stand, and what of the audit cannot be."""
    from submissions.models import PullRequestItem, SubmissionCommit
    from workqueue.models import AuditEntry, PendingEvent, WorkItem

    rows = PullRequestItem.objects.values_list("title", "phase", "head_branch", "number", "error")
    settled_twice = 0
    audit = AuditEntry.objects.filter(kind__in=("decision", "outcome")).order_by("item", "pk")
    for _, entries in groupby(audit.values_list("item", "kind"), key=lambda entry: entry[0]):
        words = [kind for _, kind in entries]
        settled_twice += sum(pair == ("outcome", "outcome") for pair in pairwise(words))
    at_rest = not WorkItem.objects.filter(phase="active", actionable=True).exists()
    sys.stdout.write(
        json.dumps(
            {
                "items": [list(row) for row in rows],
                "at_rest": at_rest and not PendingEvent.objects.exists(),
                "leased": WorkItem.objects.exclude(lease_token=None).count(),
                "settled_twice": settled_twice,
                "commits": SubmissionCommit.objects.count(),
            }
        )
    )


def main(what: str, number: int = 0) -> None:
    django.setup()
    deeds: dict[str, Callable[[], None]] = {
        "submit": lambda: submit_all(number),
        "harm": harm_workers,
        "drain": drain,
        "age": lambda: let_pass(number),
        "report": report,
    }
    deeds[what]()


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:]))
