"""Ten-minute ticks over pull requests of every kind: attempts, counters, nothing unapproved, no flood (B2.13, seed)."""

from __future__ import annotations

import json
import logging
import sys
from collections import Counter
from datetime import timedelta
from itertools import pairwise

import pytest

from core.models import PassRun
from core.passes import run_pass
from merge.models import Merge
from merge.services.considering import Ending
from tests.merge.life import DOCUMENTS, MOVES, SHARES, Life
from workqueue.passes import WORK_SWEEP

pytestmark = pytest.mark.django_db

TICK = timedelta(minutes=10)
A_DAY = 144
WINDOW = timedelta(hours=6)
# Kinds that GitHub refuses to merge whenever it is asked.
REFUSED = {"failing", "demanded to queue"}


@pytest.fixture(autouse=True)
def quiet():
    """A tick logs hundreds of lines, which nobody reads here and pytest would keep."""
    logging.disable(logging.CRITICAL)
    yield
    logging.disable(logging.NOTSET)


def live(world, clock, *, pulls: int, ticks: int, seed: int = 7) -> Life:
    life = Life(world, seed)
    life.begin(pulls)
    for tick in range(ticks):
        life.before_tick(tick)
        counters = world.tick()
        assert counters["seen"] == sum(counters[ending] for ending in Ending), counters
        life.after_tick(tick)
        world.work()
        clock.shift(minutes=10)
        run_pass(WORK_SWEEP, force=True)
        life.count()
    return life


def failures(number: int) -> list[Merge]:
    return list(Merge.objects.filter(number=number, phase="failed").order_by("ended_at"))


def check(life: Life, *, ticks: int) -> None:
    for number, kind in life.kinds.items():
        check_one(life, number, kind, ticks)


def failures_of(kind: str, ticks: int) -> int:
    """Return how many merges of a pull request fail: one a window at most, however many ticks there are."""
    if kind in REFUSED:
        return -(-ticks * TICK // WINDOW)
    return MOVES if kind == "moved while approved" else 0


def check_one(life: Life, number: int, kind: str, ticks: int) -> None:
    merged, failed = life.world.pull(number).merged, failures(number)
    assert merged is (kind in DOCUMENTS or kind == "code that was approved"), kind
    assert len(failed) == failures_of(kind, ticks), (kind, len(failed))
    assert life.attempts[number] == (len(failed) if kind in REFUSED else int(merged)), (
        kind,
        life.attempts[number],
    )
    for earlier, later in pairwise(merge.ended_at for merge in failed if merge.ended_at):
        assert later - earlier >= WINDOW, kind
    if kind in {"held", "draft", "draft that the search shows"}:
        assert life.calls[number] == 0, kind


def told(life: Life) -> str:
    """Return the figures of the run, for whoever wants to read them (pytest -s)."""
    attempts: dict[str, Counter[int]] = {kind: Counter() for kind in SHARES}
    for number, kind in life.kinds.items():
        attempts[kind][life.attempts[number]] += 1
    runs = PassRun.objects.filter(name="merge").order_by("pk").values_list("counters", flat=True)
    total: Counter[str] = Counter()
    for counters in runs:
        total.update(counters)
    per_tick = {
        name: [min(c[name] for c in runs), max(c[name] for c in runs)] for name in ("seen", *map(str, Ending))
    }
    return json.dumps(
        {
            "pull requests": len(life.kinds),
            "ticks": len(runs),
            "merge calls per pull request": {kind: dict(found) for kind, found in attempts.items()},
            "least and most per tick": per_tick,
            "totals": dict(sorted(total.items())),
        },
        indent=1,
    )


def test_a_day_of_ticks_merges_what_it_should_and_floods_nothing_b2_13(world, clock):
    life = live(world, clock, pulls=20, ticks=A_DAY)
    check(life, ticks=A_DAY)


@pytest.mark.prove
def test_ten_days_of_ticks_over_two_hundred_pull_requests_flood_nothing_b2_13(world, clock, capsys):
    life = live(world, clock, pulls=200, ticks=10 * A_DAY)
    with capsys.disabled():
        sys.stdout.write(told(life))
    check(life, ticks=10 * A_DAY)
