"""The executor: the head that was judged or none, GitHub's own state after every doubt, never a second merge."""

from __future__ import annotations

import json
from datetime import timedelta

import pytest

from core.passes import run_pass
from merge import setting_specs
from tests.github_app import INSTALLATION, REPOSITORY
from tests.merge.world import CODE, reasons
from webhooks.models import Installation
from workqueue.passes import WORK_SWEEP

pytestmark = pytest.mark.django_db


@pytest.fixture
def approved(world):
    """The number of a pull request whose merge the poller has approved."""
    number = world.open()
    world.tick()
    assert world.statuses(number) == ["approved"]
    return number


def again(world, clock, **step: float) -> None:
    """Let time pass and the worker look once more."""
    clock.shift(**step)
    run_pass(WORK_SWEEP, force=True)
    world.work()


def sent(world, number: int) -> list[dict[str, str]]:
    return [json.loads(call.sent) for call in world.merge_calls(number)]


def test_f05_the_merge_names_the_head_that_was_judged(world, approved):
    head = world.pull(approved).head_sha
    world.work()
    assert sent(world, approved) == [{"sha": head, "merge_method": "squash"}]


def test_f05_a_head_that_moved_before_the_work_is_not_merged_and_fails_with_that_reason(world, approved):
    world.push(approved)
    world.work()
    assert (world.statuses(approved), world.merge_calls()) == (["failed"], [])
    assert "head moved" in world.newest(approved).error


def test_f05_a_head_that_moves_between_the_last_look_and_the_merge_is_refused_by_github(world, approved):
    world.github.inject(
        ".*/merge", "status", status=409, message="Head branch was modified. Review and try again."
    )
    world.work()
    assert (world.statuses(approved), world.pull(approved).merged) == (["failed"], False)
    assert "head moved" in world.newest(approved).error
    assert len(world.merge_calls()) == 1


def test_f05_a_new_head_is_judged_from_the_start_before_it_is_merged(world, approved, clock):
    world.set(setting_specs.BACKOFF_SCOPE, "head_sha")
    old = world.pull(approved).head_sha
    world.push(approved, green=False)
    world.work()
    assert world.tick()["waiting: checks_missing"] == 1
    world.changes.finish_check(REPOSITORY, approved, "success")
    world.tick_and_work()
    assert [call["sha"] for call in sent(world, approved)] == [world.pull(approved).head_sha]
    assert world.pull(approved).head_sha != old


@pytest.mark.parametrize(
    "spoil,words",
    [
        (lambda changes, n: changes.edit_pull_request(REPOSITORY, n, title="(HELD) stop"), "held"),
        (lambda changes, n: changes.edit_pull_request(REPOSITORY, n, draft=True), "draft"),
        (lambda changes, n: changes.finish_check(REPOSITORY, n, "failure"), "Not passed: build"),
        (lambda changes, n: changes.review(REPOSITORY, n, "CHANGES_REQUESTED"), "Changes are requested"),
        (lambda changes, n: changes.close_pull_request(REPOSITORY, n), "closed"),
        (lambda changes, n: changes.demand(REPOSITORY, merge_queue=True), "merge queue"),
    ],
)
def test_what_was_approved_must_still_be_green_open_and_free_when_it_is_carried_out(
    world, approved, spoil, words
):
    spoil(world.changes, approved)
    world.work()
    assert (world.statuses(approved), world.merge_calls()) == (["failed"], [])
    assert words in world.newest(approved).error


def test_checks_that_run_again_are_waited_for_without_an_attempt(world, approved, clock):
    world.changes.start_check(REPOSITORY, approved)
    world.work()
    assert (world.statuses(approved), world.newest(approved).attempts) == (["approved"], 0)
    world.changes.finish_check(REPOSITORY, approved, "success")
    again(world, clock, minutes=2)
    assert world.statuses(approved) == ["done"]


def test_f14_not_known_is_asked_again_a_few_times_and_then_called_unknown(world, approved, clock):
    world.changes.judge(REPOSITORY, approved, None, "unknown")
    world.work()
    again(world, clock, minutes=2)
    assert (world.statuses(approved), world.newest(approved).attempts) == (["approved"], 0)
    again(world, clock, minutes=2)
    assert (world.statuses(approved), world.merge_calls()) == (["failed"], [])
    assert "GitHub did not say 3 times" in world.newest(approved).error


def test_f14_one_that_becomes_known_in_time_is_merged(world, approved, clock):
    world.changes.judge(REPOSITORY, approved, None, "unknown")
    world.work()
    world.changes.judge(REPOSITORY, approved, True, "clean")
    again(world, clock, minutes=2)
    assert world.statuses(approved) == ["done"]


def test_after_an_unclear_answer_github_decides_whether_it_was_merged(world, approved):
    world.github.inject(".*/merge", "disconnect")
    world.work()
    assert (world.statuses(approved), len(world.merge_calls())) == (["done"], 1)
    assert "answer was lost" in world.told(approved)[-1]


def test_an_unclear_answer_without_a_merge_costs_an_attempt_and_is_tried_again(world, approved, clock):
    world.github.inject(".*/merge", "status", status=502)
    world.work()
    assert (world.statuses(approved), world.newest(approved).attempts) == (["approved"], 1)
    again(world, clock, minutes=5)
    assert (world.statuses(approved), len(world.merge_calls())) == (["done"], 2)


def test_a_worker_that_died_after_the_merge_finds_it_done_and_merges_nothing(world, approved, clock):
    """As after a kill: GitHub has merged, and nobody here wrote it down."""
    world.changes.close_pull_request(REPOSITORY, approved, merged=True)
    world.work()
    assert (world.statuses(approved), world.merge_calls()) == (["done"], [])


def test_when_neither_the_merge_nor_the_reading_back_is_answered_the_next_attempt_reads_first(
    world, approved, clock
):
    world.github.inject(".*/merge", "disconnect")
    world.github.inject(rf".*/pulls/{approved}", "status", status=502, times=3, after=1)
    world.work()
    assert world.statuses(approved) == ["approved"]
    again(world, clock, minutes=5)
    assert (world.statuses(approved), len(world.merge_calls())) == (["done"], 1)


def test_f10_a_throttled_merge_waits_without_an_attempt(world, approved, clock):
    world.github.inject(".*/merge", "secondary_limit", seconds=120)
    world.work()
    assert (world.statuses(approved), world.newest(approved).attempts) == (["approved"], 0)
    again(world, clock, minutes=1)
    assert len(world.merge_calls()) == 1
    again(world, clock, minutes=2)
    assert world.statuses(approved) == ["done"]


def test_f10_whoever_meets_the_limit_keeps_everybody_away_from_that_installation(world, approved, clock):
    world.github.inject(".*/merge", "secondary_limit", seconds=120)
    world.work()
    limit = Installation.objects.get(installation_id=INSTALLATION).throttled_until
    assert limit == clock.now + timedelta(seconds=120)


def test_f10_a_limit_that_others_met_keeps_the_executor_away(world, approved, clock):
    until = clock.now + timedelta(minutes=10)
    Installation.objects.update(throttled_until=until, updated_at=clock.now)
    asked = len(world.github.log)
    world.work()
    assert (world.statuses(approved), world.newest(approved).attempts) == (["approved"], 0)
    assert len(world.github.log) == asked
    again(world, clock, minutes=9)
    assert len(world.github.log) == asked
    again(world, clock, minutes=2)
    assert world.statuses(approved) == ["done"]


def test_f24_each_refusal_of_githubs_fails_once_with_its_words(world, approved):
    words = "Merge commits are not allowed on this repository."
    world.github.inject(".*/merge", "status", status=405, message=words)
    world.work()
    assert (world.statuses(approved), len(world.merge_calls())) == (["failed"], 1)
    assert words in world.newest(approved).error


def test_f24_a_base_that_moved_is_tried_again(world, approved, clock):
    world.github.inject(
        ".*/merge", "status", status=405, message="Base branch was modified. Review and try again."
    )
    world.work()
    assert world.statuses(approved) == ["approved"]
    again(world, clock, minutes=5)
    assert world.statuses(approved) == ["done"]


def test_f24_an_app_without_the_permission_fails_with_that_reason(world, approved):
    world.github.inject(".*/merge", "status", status=403, message="Resource not accessible by integration")
    world.work()
    assert world.statuses(approved) == ["failed"]
    assert "not accessible" in world.newest(approved).error


@pytest.mark.parametrize(
    "setting,allowed,used",
    [
        ("squash", ["merge", "squash", "rebase"], "squash"),
        ("rebase", ["merge", "squash", "rebase"], "rebase"),
        ("squash", ["merge", "rebase"], "merge"),
        ("merge", ["rebase"], "rebase"),
    ],
)
def test_the_method_is_the_settings_or_the_first_that_the_repository_allows(
    world, approved, setting, allowed, used
):
    world.set(setting_specs.METHOD, setting)
    world.changes.demand(REPOSITORY, methods=allowed)
    world.work()
    assert [call["merge_method"] for call in sent(world, approved)] == [used]


def test_a_method_that_github_does_not_know_is_no_setting():
    with pytest.raises(ValueError, match="squash, merge, rebase"):
        setting_specs.METHOD.parse("fast-forward")


def test_a_repository_that_allows_no_way_of_merging_is_told_so(world, approved):
    world.changes.demand(REPOSITORY, methods=[])
    world.work()
    assert "no way of merging" in world.newest(approved).error


def test_only_one_attempt_is_made_of_many_that_were_proposed_at_once(world, clock):
    """One merge moves the base, the next one is judged anew: none is lost, none is done twice."""
    numbers = [world.open(f"Page {n}") for n in range(5)]
    world.tick_and_work()
    for _ in range(3):
        again(world, clock, minutes=5)
    assert [world.statuses(number) for number in numbers] == [["done"]] * 5
    assert len(world.merge_calls()) == 5


def test_the_audit_tells_each_step(world, approved):
    world.work()
    told = " ".join(reasons(world.newest(approved)))
    assert "created by" in told
    assert "active -> completed: merged" in told


def test_code_that_nobody_approved_is_never_carried_out(world):
    number = world.open(files=CODE)
    for _ in range(3):
        world.tick_and_work()
    assert (world.merge_calls(), world.statuses(number)) == ([], [])
