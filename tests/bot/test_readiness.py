"""Ready to merge: one notification, raised and withdrawn as GitHub's answers change."""

from __future__ import annotations

from datetime import timedelta

from tests.bot.world import DETAIL, FINALIZED, World, columns, reason, told
from tests.clock import DrivenClock
from tests.github_app import REPOSITORY
from webhooks.models import Notification, PendingAction, PullRequest


def test_a_ready_pull_request_raises_one_notification_and_loses_it_when_it_is_not(world: World):
    row = world.row()
    world.changes.finish_check(REPOSITORY, 1, "success")
    world.changes.set_status(REPOSITORY, 1, "success")
    for _ in range(2):
        PullRequest.objects.filter(pk=row.pk).update(processing_state="UPDATED", updated_at=row.updated_at)
        world.work()
    assert reason(row) == "up to date with main; ready to merge: all 2 checks passed"
    (notification,) = Notification.objects.all()
    assert (notification.pull_request_number, notification.notification_type) == (1, "ready_to_merge")
    assert PendingAction.objects.get().notification == notification
    world.changes.set_status(REPOSITORY, 1, "failure")
    PullRequest.objects.filter(pk=row.pk).update(processing_state="UPDATED", updated_at=row.updated_at)
    world.work()
    assert (Notification.objects.count(), PendingAction.objects.count()) == (0, 0)
    assert told(row, "notification") == [
        ("notification", "raised: ready to merge: all 2 checks passed"),
        ("notification", "withdrawn: not passed: ci/build"),
    ]


def test_an_updated_branch_is_not_ready_until_its_new_head_was_checked(world: World):
    row = world.row()
    world.changes.finish_check(REPOSITORY, 1, "success")
    world.work()
    assert Notification.objects.count() == 1
    world.changes.move_base(REPOSITORY)
    PullRequest.objects.filter(pk=row.pk).update(processing_state="IDLE", updated_at=row.updated_at)
    world.work()
    assert Notification.objects.count() == 0


def test_f14_mergeable_null_is_asked_again_soon_and_then_known(world: World, clock: DrivenClock):
    row = world.row(idle_retry_count=3)
    world.changes.finish_check(REPOSITORY, 1, "success")
    world.changes.judge(REPOSITORY, 1, None, "unknown")
    for pause in (10, 60, 300):
        world.work()
        assert columns(row, "processing_state", "not_before", "processing_attempts", "idle_retry_count") == {
            "processing_state": "UPDATED",
            "not_before": clock.now + timedelta(seconds=pause),
            "processing_attempts": 0,
            "idle_retry_count": 3,
        }
        clock.shift(seconds=pause)
    world.changes.judge(REPOSITORY, 1, True, "clean")
    world.work()
    assert reason(row) == "up to date with main; ready to merge: its only check passed"


def test_f14_once_github_has_answered_the_next_null_is_asked_about_from_the_start(
    world: World, clock: DrivenClock
):
    row = world.row(mergeable_reads=3, updated_at=clock.now - timedelta(days=2))
    world.work()
    assert columns(row, "mergeable_reads") == {"mergeable_reads": 0}
    assert told(row, "sync") == []
    world.changes.judge(REPOSITORY, 1, None, "unknown")
    PullRequest.objects.update(processing_state="IDLE", updated_at=row.updated_at)
    world.work()
    assert columns(row, "processing_state", "mergeable_reads", "not_before", "updated_at") == {
        "processing_state": "IDLE",
        "mergeable_reads": 1,
        "not_before": clock.now + timedelta(seconds=10),
        "updated_at": clock.now,
    }


def test_f14_mergeable_null_for_ever_is_no_yes_and_no_no(world: World, clock: DrivenClock):
    row = world.row()
    world.changes.finish_check(REPOSITORY, 1, "success")
    world.work()
    assert Notification.objects.count() == 1
    world.changes.judge(REPOSITORY, 1, None, "unknown")
    PullRequest.objects.filter(pk=row.pk).update(processing_state="UPDATED", updated_at=row.updated_at)
    for _ in range(4):
        world.work()
        clock.shift(minutes=5)
    assert reason(row) == "GitHub does not say whether it can be merged"
    assert columns(row, *FINALIZED) == FINALIZED
    assert Notification.objects.count() == 1
    asked = len(world.github.requests(DETAIL))
    world.work()
    assert len(world.github.requests(DETAIL)) == asked
