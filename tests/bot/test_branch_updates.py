"""Bringing branches up to date, over HTTP: what is sent, what is not, and what each answer leads to."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from core.models import Setting
from githubapi.client import InstallationClient
from tests.bot.world import FINALIZED, UPDATE, World, columns, reason, told
from tests.clock import DrivenClock
from tests.github_app import REPOSITORY
from webhooks.models import PullRequest


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
    assert reason(waiting.first()) == "all 2 branch updates of this repository used today"
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
