"""A look that fails is tried as often as a row, later each time, and then stays behind with its error (F08)."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from bot import looks as look_functions
from bot.services import looking
from core.models import Setting
from tests.bot.world import World, told
from tests.clock import DrivenClock
from tests.github_app import REPOSITORY
from webhooks.models import PullRequest, PullRequestLook
from webhooks.selectors import due_looks, parked_looks
from webhooks.services import looks


@pytest.fixture
def row(world: World, clock: DrivenClock) -> PullRequest:
    """A pull request, and a look at it that is due."""
    row = world.row(processing_state="PROCESSED")
    looks.ask([row.pk])
    clock.shift(seconds=looks.DELAY)
    return row


@pytest.fixture
def broken(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Let each look fail by a fault of ours; the list holds the rows that were looked at."""
    seen = []

    def fails(row: PullRequest, *_: Any) -> str:
        seen.append(row.pk)
        raise ZeroDivisionError("no such check")

    monkeypatch.setattr(look_functions, "ready_to_merge", fails)
    return seen


def look() -> PullRequestLook:
    return PullRequestLook.objects.get()


def test_f08_a_look_that_fails_comes_after_1_5_25_25_minutes_and_is_then_given_up_on(
    world: World, row: PullRequest, clock: DrivenClock, broken: list[int]
):
    pauses = []
    while not parked_looks():
        world.work()
        pauses.append((look().due_at - clock.now) / timedelta(minutes=1))
        clock.move_to(look().due_at)
    assert pauses == [1, 5, 25, 25, 0]
    assert len(broken) == look().attempts == 5
    assert look().error.strip().endswith("ZeroDivisionError: no such check")
    assert told(row, "look") == [
        ("look", "look given up on after 5 attempts: ZeroDivisionError: no such check")
    ]
    clock.shift(days=2)
    world.work()
    assert (len(broken), due_looks().count()) == (5, 0)


def test_the_attempts_of_looks_follow_the_setting_of_rows(
    world: World, row: PullRequest, clock: DrivenClock, broken: list[int]
):
    Setting.objects.create(name="bot.max-attempts", value="1")
    world.work()
    assert parked_looks().get().attempts == 1


def test_who_asks_for_another_look_gives_a_parked_one_its_next_chance(
    world: World, row: PullRequest, clock: DrivenClock
):
    PullRequestLook.objects.update(attempts=5, error="odd", failed_date=clock.now)
    looks.ask([row.pk])
    assert (look().attempts, look().error, look().failed_date) == (0, None, None)
    clock.shift(seconds=looks.DELAY)
    world.work()
    assert not PullRequestLook.objects.exists()
    assert len(told(row, "look")) == 1


def test_b1_37_a_look_that_kills_its_worker_is_given_up_on_after_as_many_attempts(
    row: PullRequest, clock: DrivenClock
):
    leases = []
    for attempt in range(1, 6):
        taken = looking.take_due(max_attempts=5)
        # The worker is gone before anything else is written.
        assert taken is not None
        assert look().attempts == taken.attempts == attempt
        leases.append((look().due_at - clock.now) / timedelta(minutes=1))
        clock.move_to(look().due_at)
    assert leases == [5, 5, 25, 25, 5]
    assert looking.take_due(max_attempts=5) is None
    assert parked_looks().get().error == "its worker died 5 times"
    assert told(row, "look") == [("look", "look given up on after 5 attempts: its worker died 5 times")]


@pytest.mark.parametrize("kind", ["secondary_limit", "status"])
def test_f10_what_github_holds_up_counts_as_no_attempt(
    world: World, row: PullRequest, clock: DrivenClock, kind: str
):
    for _ in range(8):
        world.github.inject(rf"/repositories/{REPOSITORY}/pulls/1", kind, seconds=30, status=502, times=None)
        world.work()
        clock.shift(minutes=2)
    assert look().attempts == 0
    world.github.heal()
    world.work()
    assert not PullRequestLook.objects.exists()


def test_a_look_that_was_asked_for_meanwhile_is_not_given_up_on(row: PullRequest, clock: DrivenClock):
    PullRequestLook.objects.update(attempts=5)
    (due,) = due_looks()
    clock.shift(seconds=1)
    # Between the reading and the giving up, a check ends and asks anew.
    PullRequestLook.objects.update(attempts=0, due_at=clock.now)
    assert looking._park(due, "odd") == "given up on"
    assert not parked_looks().exists()
    assert told(row, "look") == []


def test_a_closed_pull_request_leaves_no_look_behind(world: World, row: PullRequest, clock: DrivenClock):
    PullRequestLook.objects.update(attempts=5, error="odd", failed_date=clock.now)
    world.changes.close_pull_request(REPOSITORY, 1)
    world.deliver()
    world.work()
    assert not PullRequestLook.objects.exists()
