"""Looks: considered soon, none lost, and nothing of the row's way through the bot is touched."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from bot import looks as look_functions
from bot.services import working
from tests.bot.world import World, told
from tests.clock import DrivenClock
from tests.github_app import INSTALLATION, REPOSITORY
from webhooks.models import Installation, Notification, PullRequest, PullRequestLook
from webhooks.services import looks

UNTOUCHED = ("processing_state", "updated_at", "idle_retry_count", "processed_date", "claim_token")


@pytest.fixture
def row(world: World, clock: DrivenClock) -> PullRequest:
    """An idle pull request, and a look at it that is due."""
    row = world.row(
        processing_state="PROCESSED", idle_retry_count=3, updated_at=clock.now - timedelta(days=2)
    )
    looks.ask([row.pk])
    clock.shift(seconds=30)
    return row


def way(row: PullRequest) -> dict[str, Any]:
    return dict(PullRequest.objects.values(*UNTOUCHED).get(pk=row.pk))


def test_a_finished_check_raises_the_notification_and_touches_nothing_else(
    world: World, row: PullRequest, clock: DrivenClock
):
    PullRequestLook.objects.all().delete()
    before = way(row)
    world.changes.finish_check(REPOSITORY, 1, "success")
    world.deliver()
    world.work()
    assert Notification.objects.count() == 0
    clock.shift(seconds=30)
    world.work()
    assert Notification.objects.get().pull_request_node_id == row.node_id
    assert told(row, "look") == [("look", "ready to merge: its only check passed")]
    assert PullRequestLook.objects.count() == 0
    assert way(row) == before
    assert world.writes() == []


def test_a_failed_check_withdraws_it(world: World, row: PullRequest, clock: DrivenClock):
    world.changes.finish_check(REPOSITORY, 1, "success")
    world.work()
    assert Notification.objects.count() == 1
    world.changes.finish_check(REPOSITORY, 1, "failure", name="lint")
    world.deliver()
    clock.shift(seconds=30)
    world.work()
    assert Notification.objects.count() == 0


def test_a_look_is_deleted_only_when_every_function_succeeded(
    world: World, row: PullRequest, clock: DrivenClock, monkeypatch: pytest.MonkeyPatch
):
    def broken(*_: Any) -> str:
        raise ZeroDivisionError

    with monkeypatch.context() as patch:
        patch.setattr(look_functions, "ready_to_merge", broken)
        world.work()
    assert PullRequestLook.objects.get().due_at == clock.now + timedelta(minutes=1)
    clock.shift(minutes=1)
    world.work()
    assert PullRequestLook.objects.count() == 0


def test_a_look_asked_for_while_one_is_at_work_is_not_lost(
    world: World, row: PullRequest, clock: DrivenClock, monkeypatch: pytest.MonkeyPatch
):
    judged = look_functions.ready_to_merge

    def asked_meanwhile(*arguments: Any) -> str:
        looks.ask([row.pk])
        return judged(*arguments)

    with monkeypatch.context() as patch:
        patch.setattr(look_functions, "ready_to_merge", asked_meanwhile)
        world.work()
    assert PullRequestLook.objects.get().due_at == clock.now + timedelta(seconds=30)
    clock.shift(seconds=30)
    world.work()
    assert (PullRequestLook.objects.count(), len(told(row, "look"))) == (0, 2)


def test_a_look_whose_worker_died_is_taken_again(
    world: World, row: PullRequest, clock: DrivenClock, monkeypatch: pytest.MonkeyPatch
):
    def killed(*_: Any) -> str:
        raise SystemExit

    with monkeypatch.context() as patch:
        patch.setattr(look_functions, "ready_to_merge", killed)
        with pytest.raises(SystemExit):
            world.work()
    world.work()
    assert told(row, "look") == []
    clock.shift(minutes=5)
    world.work()
    assert len(told(row, "look")) == 1


def test_f10_a_throttled_look_waits_with_its_installation(world: World, row: PullRequest, clock: DrivenClock):
    world.github.inject(r"/repositories/\d+/pulls/1", "secondary_limit", seconds=120)
    world.work()
    until = clock.now + timedelta(seconds=120)
    assert PullRequestLook.objects.get().due_at == until
    assert Installation.objects.get(installation_id=INSTALLATION).throttled_until == until
    asked = len(world.github.log)
    PullRequestLook.objects.update(due_at=clock.now)
    world.work()
    assert len(world.github.log) == asked
    clock.move_to(until)
    world.work()
    assert PullRequestLook.objects.count() == 0


def test_while_github_is_down_a_look_comes_again_every_minute(
    world: World, row: PullRequest, clock: DrivenClock
):
    world.github.inject(r"/repositories/.*", "status", status=502, times=None)
    world.work()
    assert PullRequestLook.objects.get().due_at == clock.now + timedelta(minutes=1)


def test_f19_while_github_does_not_know_our_key_no_look_is_given_up(
    world: World, row: PullRequest, clock: DrivenClock
):
    world.github.inject(r"/app/installations/\d+/access_tokens", "status", status=401, times=None)
    for _ in range(7):
        world.work()
        clock.shift(minutes=1)
    look = PullRequestLook.objects.get()
    assert (look.failed_date, look.attempts) == (None, 0)
    world.github.heal()
    world.work()
    assert PullRequestLook.objects.count() == 0


def test_what_is_out_of_reach_is_not_looked_at_for_ever(world: World, row: PullRequest):
    world.changes.suspend(INSTALLATION)
    world.work()
    assert PullRequestLook.objects.count() == 0
    assert told(row, "look")[0][1].startswith("cannot be looked at")


def test_a_closed_or_deleted_row_needs_no_look(world: World, row: PullRequest):
    PullRequest.objects.update(state="CLOSED", updated_at=row.updated_at)
    world.work()
    assert (PullRequestLook.objects.count(), world.github.log) == (0, [])


def test_f14_a_look_while_github_does_not_say_changes_nothing(world: World, row: PullRequest):
    Notification.objects.create(pull_request_node_id=row.node_id, notification_type="ready_to_merge")
    world.changes.judge(REPOSITORY, 1, None, "unknown")
    world.work()
    assert Notification.objects.count() == 1


def test_a_notification_that_was_read_is_not_raised_again(world: World, row: PullRequest):
    Notification.objects.create(
        pull_request_node_id=row.node_id, notification_type="ready_to_merge", is_read=True
    )
    world.changes.finish_check(REPOSITORY, 1, "success")
    world.work()
    assert Notification.objects.filter(is_read=False).count() == 0


def test_looks_that_the_time_does_not_last_for_stay_due(
    world: World, row: PullRequest, clock: DrivenClock, monkeypatch: pytest.MonkeyPatch
):
    looks.ask([world.row(2, processing_state="PROCESSED").pk])
    clock.shift(seconds=30)
    monkeypatch.setattr(working.Shift, "is_over", lambda _: bool(told(row, "look")))
    world.work()
    left = PullRequestLook.objects.get()
    assert (left.due_at, left.attempts) == (clock.now, 0)
