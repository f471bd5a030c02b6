"""The day's branch updates of a repository: as many as the Setting allows, whoever works at the same time."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from threading import Barrier
from typing import Any

import pytest
from django.db import connection

from bot.models import BranchUpdateDay
from bot.services import allowance
from bot.tasks import work
from core import clock as database_clock
from core.models import Setting
from sandbox.server import SandboxGithub
from tests.bot.world import UPDATE, World, told
from tests.clock import DrivenClock
from tests.factories import InstallationFactory
from tests.github_app import INSTALLATION, REPOSITORY
from webhooks.models import PullRequest, PullRequestHistory

ANY_UPDATE = rf"/repositories/{REPOSITORY}/pulls/\d+/update-branch"


def used() -> int:
    return BranchUpdateDay.objects.get(repository_id=REPOSITORY).used


def together(act: Any, workers: int) -> list[Any]:
    """Let threads begin at the same moment, each with a connection of its own; return what each returned."""
    begin = Barrier(workers)

    def run(_: int) -> Any:
        try:
            begin.wait()
            return act()
        finally:
            connection.close()

    with ThreadPoolExecutor(workers) as threads:
        return list(threads.map(run, range(workers)))


@pytest.mark.django_db(transaction=True)
def test_workers_that_take_at_the_same_time_never_pass_the_limit():
    def take() -> int:
        return sum(allowance.take(REPOSITORY, 25) is not None for _ in range(20))

    assert sum(together(take, 4)) == 25
    assert used() == 25


@pytest.mark.django_db(transaction=True)
def test_two_workers_in_one_repository_send_as_many_updates_as_a_day_allows(github: SandboxGithub):
    Setting.objects.create(name="bot.branch-updates-per-day", value="2")
    # A row at a time, so that both have one while either waits for GitHub.
    Setting.objects.create(name="bot.batch-size", value="1")
    InstallationFactory(installation_id=INSTALLATION, processing_state="PROCESSED")
    world = World(github)
    for number in range(1, 7):
        world.row(number)
    world.changes.move_base(REPOSITORY)
    github.inject(ANY_UPDATE, "delay", seconds=0.5, times=None)
    together(work, 2)
    workers = set(PullRequestHistory.objects.filter(kind="claim").values_list("claim_token", flat=True))
    assert len(workers) >= 6
    assert [one.status for one in world.writes()] == [202, 202]
    assert PullRequestHistory.objects.filter(kind="branch_update").count() == used() == 2
    assert PullRequest.objects.filter(processing_state="UPDATED", not_before__isnull=False).count() == 4


@pytest.mark.parametrize(
    "answer",
    [
        {"kind": "status", "status": 422},
        {"kind": "secondary_limit", "seconds": 60},
        {"kind": "status", "status": 403},
        {"kind": "status", "status": 404},
    ],
    ids=["refused", "throttled", "forbidden", "gone"],
)
def test_an_update_that_github_refuses_does_not_count(world: World, answer: dict[str, Any]):
    world.row()
    world.changes.move_base(REPOSITORY)
    world.github.inject(UPDATE, **answer)
    world.work()
    assert len(world.writes()) == 1
    assert used() == 0


def test_an_update_whose_answer_is_lost_counts(world: World):
    Setting.objects.create(name="bot.branch-updates-per-day", value="1")
    row = world.row()
    world.changes.move_base(REPOSITORY)
    world.github.inject(UPDATE, "status", status=502)
    world.work()
    assert used() == 1
    PullRequest.objects.update(not_before=None, updated_at=row.updated_at)
    world.work()
    assert len(world.writes()) == 1
    assert told(row, "defer")[-1][1] == "all 1 branch updates of this repository used today"


def test_a_limit_that_is_set_at_noon_knows_of_the_morning(world: World, clock: DrivenClock):
    world.row(1)
    world.changes.move_base(REPOSITORY)
    world.work()
    clock.shift(hours=3)
    Setting.objects.create(name="bot.branch-updates-per-day", value="1")
    world.row(2)
    world.work()
    assert len(world.writes()) == 1


def test_each_day_and_each_repository_counts_for_itself(clock: DrivenClock):
    today = database_clock.now().date()
    assert [allowance.take(1, 2), allowance.take(1, 2), allowance.take(1, 2)] == [today, today, None]
    assert allowance.take(2, 2) == today
    clock.shift(days=1)
    assert allowance.take(1, 2) == today + timedelta(days=1)
    # A refusal that arrives after midnight gives nothing back of the new day.
    allowance.give_back(1, today)
    assert BranchUpdateDay.objects.get(repository_id=1).used == 1


def test_who_read_the_clock_before_midnight_does_not_begin_the_old_day_again(clock: DrivenClock):
    today = database_clock.now().date()
    BranchUpdateDay.objects.create(repository_id=1, day=today + timedelta(days=1), used=2)
    assert allowance.take(1, 2) is None
    assert allowance.take(1, 3) == today
    assert BranchUpdateDay.objects.get().used == 3
