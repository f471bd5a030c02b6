"""Several processes run the pass at once, some die: never two Idle Retries within the hour (B1.24, B1.27)."""

from __future__ import annotations

import random
import time
from collections import Counter
from collections.abc import Callable
from datetime import timedelta
from itertools import pairwise

import pytest

from core import clock
from core.models import PassRun
from core.passes import LEASE
from tests.ageing import age
from tests.factories import PullRequestFactory
from tests.idle.processes import LOOP, STUCK_AFTER_COMMIT, STUCK_BEFORE_COMMIT, processes
from webhooks.models import PullRequest, PullRequestHistory

pytestmark = pytest.mark.django_db(transaction=True)

HOUR = 3600
# What the test itself may take between two steps: it never looks closer than that at a limit.
SLACK = 60


def due_pull_requests(number: int) -> None:
    updated_at = clock.now() - timedelta(days=30)
    for place in range(number):
        PullRequestFactory(repository_name=f"repo-{place}", updated_at=updated_at)


def retries() -> int:
    return PullRequestHistory.objects.filter(kind="idle_retry").count()


def wait_for(condition: Callable[[], object], *, seconds: float = 30) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.02)


def stays(number: int, *, seconds: float = 0.5) -> bool:
    """Tell whether that is the number of retries now and for a while."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if retries() != number:
            return False
        time.sleep(0.05)
    return True


def test_two_processes_and_one_killed_in_the_middle_give_one_retry_an_hour():
    due_pull_requests(5)
    with processes() as start:
        stuck = start(STUCK_BEFORE_COMMIT)
        loops = [start(LOOP), start(LOOP)]
        wait_for(lambda: "stuck" in stuck.said() or any("succeeded" in loop.said() for loop in loops))
        stuck.kill()
        wait_for(lambda: all(loop.said() for loop in loops))
        first_hour = retries()
        assert first_hour <= 1
        assert stays(first_hour)
        age(HOUR - SLACK)
        assert stays(first_hour)
        age(SLACK)
        wait_for(lambda: retries() == first_hour + 1)
        assert stays(first_hour + 1)
        assert all(loop.alive() for loop in loops), [loop.said() for loop in loops]


@pytest.mark.prove
@pytest.mark.parametrize(
    "code,committed",
    [(STUCK_BEFORE_COMMIT, 0), (STUCK_AFTER_COMMIT, 1)],
    ids=["before commit", "after commit"],
)
def test_a_holder_killed_at_the_worst_moment(code, committed):
    due_pull_requests(5)
    with processes() as start:
        stuck = start(code)
        wait_for(lambda: "stuck" in stuck.said())
        stuck.kill()
        loops = [start(LOOP), start(LOOP)]
        wait_for(lambda: all("running elsewhere" in loop.said() for loop in loops))
        age(LEASE)
        wait_for(lambda: all("not due" in loop.said() for loop in loops))
        age(HOUR - LEASE - SLACK)
        assert stays(committed)
        age(SLACK)
        wait_for(lambda: retries() == committed + 1)
        assert stays(committed + 1)
        assert list(PassRun.objects.order_by("pk").values_list("outcome", flat=True)) == ["lost", "succeeded"]


@pytest.mark.prove
def test_a_day_of_random_kills():
    due_pull_requests(40)
    chance = random.Random(1)
    hours = 24
    with processes() as start:
        loops = [start(LOOP), start(LOOP)]
        for _ in range(hours):
            wait_for(lambda: all(loop.said() for loop in loops))
            age(HOUR)
            time.sleep(chance.uniform(0, 0.06))
            loops.pop(0).kill()
            loops.append(start(LOOP))
    at = list(
        PullRequestHistory.objects.filter(kind="idle_retry").order_by("sequence").values_list("at", flat=True)
    )
    gaps = [(later - earlier).total_seconds() for earlier, later in pairwise(at)]
    assert len(at) > hours / 2
    assert min(gaps) >= HOUR
    runs = Counter(PullRequestHistory.objects.filter(kind="idle_retry").values_list("pass_run_id", flat=True))
    assert set(runs.values()) == {1}
    assert PullRequest.objects.filter(processing_state="IDLE", idle_retry_count=1).count() == len(at)
