"""Pull requests at work, over HTTP: brought up to date, closed, reopened, judged."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from core.models import Setting
from githubapi.client import InstallationClient
from tests.bot.world import World, told
from tests.clock import DrivenClock
from tests.github_app import INSTALLATION, REPOSITORY
from webhooks.models import Notification, PendingAction, PullRequest

UPDATE = rf"/repositories/{REPOSITORY}/pulls/1/update-branch"
DETAIL = rf"/repositories/{REPOSITORY}/pulls/1"
FINALIZED = {"processing_state": "PROCESSED", "processing_error": None, "processing_attempts": 0}


def columns(row: PullRequest, *names: str) -> dict[str, Any]:
    return dict(PullRequest.objects.values(*names).get(pk=row.pk))


def reason(row: PullRequest) -> str:
    """Return what the row was last finalized, deferred or failed with."""
    return told(row, "finalize", "defer", "fail")[-1][1]


# --- the branch ------------------------------------------------------------------------------------------


def test_f05_a_branch_that_is_behind_is_updated_with_the_head_that_was_judged(world: World):
    row, head = world.row(), world.pull().head_sha
    world.changes.move_base(REPOSITORY)
    world.changes.move_base(REPOSITORY)
    world.work()
    assert [(one.verb, json.loads(one.sent)) for one in world.writes()] == [
        ("PUT", {"expected_head_sha": head})
    ]
    assert told(row, "branch_update", "finalize") == [
        ("branch_update", "branch updated: it was 2 commits behind main"),
        ("finalize", "branch updated: it was 2 commits behind main"),
    ]
    assert columns(row, *FINALIZED) == FINALIZED


def test_a_branch_that_is_not_behind_is_left_alone(world: World):
    row = world.row()
    world.work()
    assert world.writes() == []
    assert reason(row) == "up to date with main; no check has reported on its head"


def test_f05_a_head_that_moved_meanwhile_is_judged_again_and_then_updated(
    world: World, monkeypatch: pytest.MonkeyPatch
):
    row = world.row()
    world.changes.move_base(REPOSITORY)
    compare = InstallationClient.compare

    def push_after_comparing(*arguments: Any) -> Any:
        monkeypatch.undo()
        found = compare(*arguments)
        world.changes.push(REPOSITORY, 1)
        return found

    monkeypatch.setattr(InstallationClient, "compare", push_after_comparing)
    world.github.state.standing(REPOSITORY, 1)
    world.work()
    sent = [json.loads(one.sent)["expected_head_sha"] for one in world.writes()]
    assert [one.status for one in world.writes()] == [422, 202]
    assert len(set(sent)) == 2
    assert columns(row, *FINALIZED) == FINALIZED


def test_f24_a_head_that_keeps_moving_is_left_to_its_own_event(world: World):
    row = world.row()
    world.changes.move_base(REPOSITORY)
    world.github.inject(UPDATE, "status", times=None, status=422, message="expected head sha didn't match")
    world.work()
    assert len(world.writes()) == 2
    assert reason(row) == "branch not updated: its head moved meanwhile"
    assert columns(row, *FINALIZED) == FINALIZED


@pytest.mark.parametrize(
    "status,message,expected",
    [
        (422, "There are no new commits on the base branch.", "GitHub has nothing to update"),
        (403, "Must have push access to the fork", "GitHub refuses (Must have push access to the fork)"),
        (
            422,
            "merge conflict between base and head",
            "GitHub refuses (merge conflict between base and head)",
        ),
    ],
)
def test_f24_a_refused_update_is_a_reason_and_no_error(world: World, status, message, expected):
    row = world.row()
    world.changes.move_base(REPOSITORY)
    world.github.inject(UPDATE, "status", status=status, message=message)
    world.work()
    assert expected in reason(row)
    assert len(world.writes()) == 1
    assert columns(row, *FINALIZED) == FINALIZED
    assert told(row, "branch_update") == []


@pytest.mark.parametrize("kind,details,again", [("status", {"status": 502}, [202]), ("disconnect", {}, [])])
def test_an_update_whose_answer_is_lost_is_sent_once_and_looked_at_again_in_a_minute(
    world: World, clock: DrivenClock, kind, details, again
):
    """The first never reached the branch; of the second only the answer was lost, and nothing is left to do."""
    row = world.row()
    world.changes.move_base(REPOSITORY)
    world.github.inject(UPDATE, kind, **details)
    world.work()
    assert len(world.writes()) == 1
    assert columns(row, "processing_state", "processing_attempts", "not_before") == {
        "processing_state": "UPDATED",
        "processing_attempts": 0,
        "not_before": clock.now + timedelta(minutes=1),
    }
    world.work()
    assert len(world.writes()) == 1
    clock.shift(minutes=1)
    world.work()
    assert [one.status for one in world.writes()][1:] == again
    assert columns(row, *FINALIZED) == FINALIZED


def test_a_gone_fork_and_a_conflict_are_not_even_tried(world: World):
    rows = [world.row(1), world.row(2)]
    world.github.state.add_thing(replace(world.pull(1), fork_deleted=True))
    world.changes.judge(REPOSITORY, 2, False, "dirty")
    world.changes.move_base(REPOSITORY)
    world.work()
    assert world.writes() == []
    assert "the fork is gone" in reason(rows[0])
    assert "it conflicts with its base" in reason(rows[1])


def test_a_days_share_of_branch_updates_is_kept_and_the_rest_waits_for_midnight(
    world: World, clock: DrivenClock
):
    Setting.objects.create(name="bot.branch-updates-per-day", value="2")
    rows = [world.row(number) for number in range(1, 5)] + [world.row(1, REPOSITORY + 1)]
    world.changes.move_base(REPOSITORY)
    world.changes.move_base(REPOSITORY + 1)
    world.work()
    assert len(world.writes()) == 3
    waiting = PullRequest.objects.filter(processing_state="UPDATED")
    midnight = clock.now.replace(hour=0) + timedelta(days=1)
    assert list(waiting.values_list("not_before", "processing_attempts")) == [(midnight, 0)] * 2
    assert reason(waiting.first()) == "2 of 2 branch updates of this repository used today"
    clock.move_to(midnight)
    world.work()
    assert len(world.writes()) == 5
    assert {columns(row, "processing_state")["processing_state"] for row in rows} == {"PROCESSED"}


def test_a_dry_run_decides_everything_and_sends_nothing(world: World):
    Setting.objects.create(name="bot.dry-run", value="on")
    Setting.objects.create(name="bot.own-labels", value="waiting")
    row, closed = world.row(1), world.row(2)
    world.github.state.add_thing(replace(world.pull(2), labels=("waiting",)))
    world.changes.close_pull_request(REPOSITORY, 2)
    world.changes.move_base(REPOSITORY)
    world.work()
    assert world.writes() == []
    assert reason(row).startswith("dry run: would update its branch, 1 commit behind main")
    assert "dry run: would remove waiting" in reason(closed)


def test_b1_3_no_handler_knows_in_which_state_a_row_was_claimed(world: World):
    outcomes = []
    for number, state in enumerate(("NEW", "UPDATED", "RE_REQUESTED", "IDLE"), start=1):
        row = world.row(number, processing_state=state)
        world.work()
        outcomes.append((reason(row), columns(row, *FINALIZED)))
    assert outcomes == [("up to date with main; no check has reported on its head", FINALIZED)] * 4


# --- facts -----------------------------------------------------------------------------------------------


def test_what_github_says_is_taken_over_and_an_event_that_knows_better_is_not_overwritten(world: World):
    row = world.row(title="Old", head_sha="0" * 40, mergeable_reads=2)
    newer = world.pull(2).updated_at + timedelta(days=1)
    other = world.row(2, title="Newer", github_updated_at=newer)
    world.work()
    assert columns(row, "title", "head_sha", "mergeable_reads") == {
        "title": world.pull().title,
        "head_sha": world.pull().head_sha,
        "mergeable_reads": 0,
    }
    assert told(row, "sync") == [("sync", "refreshed from GitHub: head_sha, title")]
    assert columns(other, "title")["title"] == "Newer"


# --- closed and reopened ---------------------------------------------------------------------------------


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
    world.row(5, processing_state="PROCESSED", processing_error="no good", auto_merge_enabled=True)
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


# --- ready to merge --------------------------------------------------------------------------------------


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
    assert reason(row) == "up to date with main; ready to merge: all 1 checks passed"


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


# --- GitHub fails ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "kind,details,seconds",
    [
        ("secondary_limit", {}, 60),
        ("secondary_limit", {"status": 429, "seconds": 90}, 90),
        ("primary_limit", {"seconds": 55 * 60}, 55 * 60 + 1),
    ],
)
def test_f10_a_throttle_gives_the_row_back_and_holds_that_installation_only(
    world: World, clock: DrivenClock, kind, details, seconds
):
    row, other = world.row(1), world.row(2)
    world.github.inject(rf"/repositories/{REPOSITORY}/pulls/\d+", kind, **details)
    world.work()
    for one in (row, other):
        assert columns(one, "processing_state", "processing_attempts", "idle_retry_count") == {
            "processing_state": "UPDATED",
            "processing_attempts": 0,
            "idle_retry_count": 0,
        }
    assert len(world.github.requests(rf"/repositories/{REPOSITORY}/pulls/\d+")) == 1
    clock.shift(seconds=seconds - 1)
    world.work()
    assert columns(row, "processing_state")["processing_state"] == "UPDATED"
    clock.shift(seconds=1)
    world.work()
    assert columns(row, "processing_state")["processing_state"] == "PROCESSED"


def test_f10_a_plain_refusal_is_permanent_and_says_why(world: World):
    row = world.row()
    world.changes.move_base(REPOSITORY)
    world.github.inject(UPDATE, "status", status=403, message="Resource not accessible by integration")
    world.work()
    found = columns(row, "processing_state", "processing_error", "processed_date")
    assert found["processing_state"] == "PROCESSED"
    assert "Resource not accessible by integration" in found["processing_error"]


def test_out_of_reach_is_permanent_and_says_why(world: World):
    rows = {
        "not_found": world.row(1),
        "no_installation": world.row(2, installation_id=None, repository_id=None, repository_name="unknown"),
        "suspended": None,
    }
    world.github.state.things[REPOSITORY].pop(1)
    world.work()
    world.changes.suspend(INSTALLATION)
    rows["suspended"] = world.row(3)
    world.work()
    for word, row in rows.items():
        found = columns(row, "processing_state", "processing_error", "idle_retry_count")
        assert (found["processing_state"], found["processing_error"].partition(":")[0]) == ("PROCESSED", word)


def test_a_wrong_key_finalizes_nothing(world: World, clock: DrivenClock):
    row = world.row()
    world.github.inject(r"/app/installations/.*", "status", status=401, message="Bad credentials", times=None)
    world.work()
    assert columns(row, "processing_state", "processing_attempts") == {
        "processing_state": "UPDATED",
        "processing_attempts": 0,
    }


def test_a_row_of_another_program_is_found_by_name_and_follows_a_rename(world: World):
    world.changes.rename_repository(REPOSITORY, "renamed")
    row = world.row(repository_id=None, repository_name="repository-1")
    world.work()
    assert columns(row, "repository_name", "repository_id", "processing_state") == {
        "repository_name": "renamed",
        "repository_id": REPOSITORY,
        "processing_state": "PROCESSED",
    }


def test_a_redirect_whose_repository_has_another_name_now_takes_the_name_over(
    world: World, clock: DrivenClock
):
    row, sibling = world.row(1), world.row(2, processing_state="PROCESSED")
    world.changes.rename_repository(REPOSITORY, "renamed")
    world.github.inject(DETAIL, "redirect", location=f"{world.github.url}/repositories/999/pulls/1")
    world.work()
    assert columns(row, "repository_name", "processing_state", "processing_attempts") == {
        "repository_name": "renamed",
        "processing_state": "UPDATED",
        "processing_attempts": 0,
    }
    assert columns(sibling, "repository_name")["repository_name"] == "renamed"
    clock.shift(seconds=1)
    world.work()
    assert columns(row, *FINALIZED) == FINALIZED


def test_a_repository_that_another_one_took_the_place_of_is_out_of_reach(world: World):
    row = world.row()
    world.github.inject(DETAIL, "redirect", location=f"{world.github.url}/repositories/999/pulls/1")
    world.work()
    found = columns(row, "processing_state", "processing_error")
    assert (found["processing_state"], found["processing_error"].partition(":")[0]) == ("PROCESSED", "moved")


def test_an_event_during_the_work_is_not_swallowed(world: World, monkeypatch: pytest.MonkeyPatch):
    row = world.row()
    compare = InstallationClient.compare

    def edited_meanwhile(*arguments: Any) -> Any:
        monkeypatch.undo()
        world.changes.edit_pull_request(REPOSITORY, 1, title="Changed meanwhile")
        world.deliver()
        return compare(*arguments)

    monkeypatch.setattr(InstallationClient, "compare", edited_meanwhile)
    world.work()
    kinds = [kind for kind, _ in told(row)]
    assert kinds == ["claim", "event", "claim", "finalize"]
    assert columns(row, "title", "processing_state") == {
        "title": "Changed meanwhile",
        "processing_state": "PROCESSED",
    }
