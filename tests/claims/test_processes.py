"""Several processes work on one table and some are killed: each row is finalized once, none is lost, none is stuck."""

from __future__ import annotations

import random
import time
from collections import Counter
from collections.abc import Callable
from datetime import timedelta

import pytest

from core import clock
from tests.ageing import age
from tests.claims.workers import OURS, THEIRS
from tests.contract.outsider import VERSION
from tests.idle.processes import Process, Starter, processes
from webhooks.models import PullRequest, PullRequestHistory
from webhooks.values import PENDING

pytestmark = pytest.mark.django_db(transaction=True)

HOUR = 3600
# What the test itself may take between two steps: it never looks closer than that at the hour.
SLACK = 60


def wait_for(condition: Callable[[], object], *, seconds: float = 60) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.05)


def pending_rows(number: int) -> None:
    updated_at = clock.now() - timedelta(days=1)
    rows = [
        PullRequest(
            delivery_id=f"{place:032x}",
            node_id=f"PR_{place}",
            number=place,
            repository_owner="octo",
            repository_name=f"r{place % 97}",
            processing_state=PENDING[place % len(PENDING)],
            updated_at=updated_at,
        )
        for place in range(1, number + 1)
    ]
    PullRequest.objects.bulk_create(rows, batch_size=1000)


def pending() -> int:
    return PullRequest.objects.filter(processing_state__in=PENDING).count()


def claimed() -> int:
    return PullRequest.objects.filter(processing_state="PROCESSING").count()


def kill_while_it_works(workers: list[tuple[Process, str]], start: Starter, chance: random.Random) -> None:
    """Kill one of the workers in the middle of its work, and start another like it."""
    process, code = workers.pop(chance.randrange(len(workers)))
    process.kill()
    workers.append((start(code), code))


def check_every_row_was_finalized_once(number: int) -> None:
    rows = dict(PullRequest.objects.values_list("pk", "gstraccini_bot_version"))
    states = Counter(PullRequest.objects.values_list("processing_state", "processing_error"))
    assert states == {("PROCESSED", None): number}
    lines = PullRequestHistory.objects.filter(kind="finalize").values_list("pull_request_sequence", flat=True)
    # An outside program writes no history: what it finished last shows its version.
    assert Counter(lines) == Counter(pk for pk, version in rows.items() if version != VERSION)
    assert set(rows.values()) == {"ours", VERSION}


def everything_done_within_the_hour(workers: list[tuple[Process, str]], began: float) -> None:
    """What the killed have held since `began` (time.monotonic()) waits for the hour, and no longer."""
    slack = SLACK + round(time.monotonic() - began)
    stuck = set(PullRequest.objects.filter(processing_state="PROCESSING").values_list("pk", flat=True))
    age(HOUR - slack)
    time.sleep(0.3)
    assert PullRequest.objects.filter(pk__in=stuck, processing_state="PROCESSING").count() == len(stuck)
    age(slack)
    wait_for(lambda: not pending() and not claimed())
    assert all(process.alive() for process, _ in workers), [process.said() for process, _ in workers]


def test_a_few_kills():
    pending_rows(300)
    began, chance = time.monotonic(), random.Random(1)
    with processes() as start:
        workers = [(start(code), code) for code in (OURS, OURS, THEIRS)]
        wait_for(lambda: all(process.said() for process, _ in workers))
        for _ in range(3):
            kill_while_it_works(workers, start, chance)
        wait_for(lambda: not pending())
        wait_for(lambda: all(process.alive() for process, _ in workers))
        wait_for(quiet)
        everything_done_within_the_hour(workers, began)
    check_every_row_was_finalized_once(300)


def quiet() -> bool:
    """Tell whether no claim that is left belongs to anybody alive."""
    before = claimed()
    time.sleep(0.5)
    return claimed() == before


@pytest.mark.prove
def test_b1_36_ten_thousand_rows_four_workers_an_outsider_and_a_kill_every_second():
    number = 10_000
    pending_rows(number)
    began, chance = time.monotonic(), random.Random(2)
    kills = 0
    with processes() as start:
        workers = [(start(code), code) for code in (OURS, OURS, OURS, OURS, THEIRS)]
        wait_for(lambda: all(process.said() for process, _ in workers))
        while pending():
            kill_while_it_works(workers, start, chance)
            kills += 1
            time.sleep(1)
        wait_for(quiet)
        everything_done_within_the_hour(workers, began)
    assert kills > 5
    check_every_row_was_finalized_once(number)
