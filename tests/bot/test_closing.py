"""Closed and reopened pull requests at work, and whose turn is next."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from core.models import Setting
from core.passes import find_pass, run_pass
from githubapi.client import InstallationClient
from tests.bot.world import World, columns, reason, told
from tests.clock import DrivenClock
from tests.factories import RepositoryFactory
from tests.github_app import INSTALLATION, REPOSITORY
from webhooks.models import Notification, PullRequest


def test_a_closed_pull_request_is_closed_cleaned_up_and_wakes_the_next_one(world: World):
    Setting.objects.create(name="bot.own-labels", value="Waiting, stale")
    row, other = world.row(1), world.row(2, processing_state="PROCESSED", idle_retry_count=4)
    Notification.objects.create(pull_request_node_id=row.node_id, notification_type="ready_to_merge")
    world.github.state.add_thing(replace(world.pull(), labels=("bug", "waiting")))
    world.changes.close_pull_request(REPOSITORY, 1, merged=True)
    world.work()
    assert columns(row, "state", "merged") == {"state": "CLOSED", "merged": True}
    assert reason(row) == "merged on GitHub; next in line: #2; removed waiting"
    assert world.pull().labels == ("bug",)
    assert Notification.objects.count() == 0
    assert ("close", "now CLOSED on GitHub") in told(row)
    # It was woken, and worked on in the same run.
    assert columns(other, "processing_state", "idle_retry_count") == {
        "processing_state": "PROCESSED",
        "idle_retry_count": 0,
    }
    assert told(other, "re_request") == [("re_request", "next in line after #1")]


def test_the_next_one_is_open_sound_not_pending_and_was_left_alone_the_longest(
    world: World, clock: DrivenClock
):
    hours = {2: 5, 3: 9, 4: 9, 6: 1}
    for number, age in hours.items():
        then = clock.now - timedelta(hours=age)
        world.row(number, processing_state="PROCESSED", processed_date=then, auto_merge_enabled=False)
    then = clock.now
    failed = {"processed_date": then, "failed_date": then, "processing_error": "no good"}
    world.row(5, processing_state="PROCESSED", **failed, auto_merge_enabled=True)
    world.row(1, REPOSITORY + 1, processing_state="PROCESSED", repository_name="REPOSITORY-2")
    order = []
    for number in (1, 3, 4):
        closed = PullRequest.objects.filter(number=number, repository_id=REPOSITORY).first() or world.row(
            number
        )
        PullRequest.objects.filter(pk=closed.pk).update(processing_state="UPDATED", updated_at=clock.now)
        world.changes.close_pull_request(REPOSITORY, number)
        world.work()
        order.append(reason(closed).rpartition(" ")[2])
        clock.shift(minutes=1)
    assert order == ["#3", "#4", "#2"]


def test_auto_merge_comes_first(world: World, clock: DrivenClock):
    closed = world.row(1)
    world.row(2, processing_state="PROCESSED", processed_date=clock.now - timedelta(days=9))
    world.row(5, processing_state="PROCESSED", processed_date=clock.now)
    assert world.pull(5).auto_merge
    world.changes.close_pull_request(REPOSITORY, 1)
    world.work()
    assert reason(closed) == "closed on GitHub; next in line: #5"


def test_a_closing_is_followed_once_and_the_next_closing_again(world: World, clock: DrivenClock):
    row, other = world.row(1), world.row(2, processing_state="PROCESSED")
    world.changes.close_pull_request(REPOSITORY, 1)
    for _ in range(2):
        PullRequest.objects.filter(pk=row.pk).update(processing_state="UPDATED", updated_at=clock.now)
        world.work()
    assert reason(row) == "closed on GitHub; what follows was done before"
    assert len(told(other, "re_request")) == 1
    clock.shift(hours=1)
    world.changes.reopen_pull_request(REPOSITORY, 1)
    world.changes.close_pull_request(REPOSITORY, 1)
    world.deliver()
    world.work()
    assert len(told(other, "re_request")) == 2


def test_a_row_closed_here_and_open_there_is_reopened(world: World, clock: DrivenClock):
    row = world.row(state="CLOSED", updated_at=clock.now - timedelta(days=3))
    world.work()
    assert columns(row, "state", "updated_at") == {"state": "OPEN", "updated_at": clock.now}
    assert told(row, "reopen") == [("reopen", "now OPEN on GitHub")]


def test_b1_36_closing_one_moves_the_next_and_the_counts_agree_at_each_step(world: World, client, admin_user):
    rows = [world.row(1), *(world.row(number, processing_state="PROCESSED") for number in (2, 3))]
    world.changes.close_pull_request(REPOSITORY, 1)
    world.deliver()
    client.force_login(admin_user)
    seen = []
    original = InstallationClient.pull_request_detail

    def counting(self: InstallationClient, repository_id: int, number: int) -> Any:
        page = client.get("/processing/")
        shown = {line.slug: line.counts for line in page.context["tables"]}["pull_requests"]
        stored = [row.processing_state for row in PullRequest.objects.all()]
        seen.append(
            (number, stored.count("PROCESSING"), {state: stored.count(state) for state in shown} == shown)
        )
        return original(self, repository_id, number)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(InstallationClient, "pull_request_detail", counting)
        world.work()
    assert seen == [(1, 1, True), (2, 1, True)]
    assert [row.state for row in PullRequest.objects.order_by("pk")] == ["CLOSED", "OPEN", "OPEN"]
    assert told(rows[2]) == []


def test_b3_24_a_closing_whose_event_was_lost_is_found_by_the_sync_and_followed_like_any_other(
    world: World, clock: DrivenClock
):
    Setting.objects.create(name="bot.own-labels", value="waiting")
    RepositoryFactory(
        github_id=REPOSITORY, owner_login="account-1", name="repository-1", installation_id=INSTALLATION
    )
    long_ago = clock.now - timedelta(days=1)
    done = {"processing_state": "PROCESSED", "processed_date": long_ago, "updated_at": long_ago}
    row, other = (world.row(number, **done, idle_retry_count=3) for number in (1, 2))
    Notification.objects.create(pull_request_node_id=row.node_id, notification_type="ready_to_merge")
    world.github.state.add_thing(replace(world.pull(), labels=("waiting",)))
    world.changes.close_pull_request(REPOSITORY, 1, merged=True)
    run_pass(find_pass("sync-repositories"), force=True)
    assert columns(row, "state", "merged", "processing_state") == {
        "state": "OPEN",
        "merged": False,
        "processing_state": "RE_REQUESTED",
    }
    assert (world.pull().labels, Notification.objects.count()) == (("waiting",), 1)
    world.work()
    assert columns(row, "state", "merged") == {"state": "CLOSED", "merged": True}
    assert (world.pull().labels, Notification.objects.count()) == ((), 0)
    assert reason(row) == "merged on GitHub; next in line: #2; removed waiting"
    assert told(other, "re_request") == [("re_request", "next in line after #1")]


def test_what_another_program_has_finished_since_its_failure_is_next_in_line_again(
    world: World, clock: DrivenClock
):
    hour_ago = clock.now - timedelta(hours=1)
    failed = {"processing_state": "PROCESSED", "processing_error": "gone", "failed_date": hour_ago}
    closed = world.row(1)
    world.row(2, **failed, processed_date=hour_ago)
    world.row(3, **failed, processed_date=clock.now)
    world.changes.close_pull_request(REPOSITORY, 1)
    world.work()
    assert reason(closed) == "closed on GitHub; next in line: #3"
