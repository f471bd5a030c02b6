"""It is merged when that is wanted and safe, with the head that was judged, and only then."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from tests.github_app import REPOSITORY
from tests.submissions.world import BRANCH, READY, World, green, item, opened, told


def test_the_base_is_put_right_and_merging_is_judged_anew(world: World) -> None:
    world.branches["release"] = world.branches["main"]
    opened(world, **READY)
    world.changes.edit_pull_request(REPOSITORY, 1, base_ref="release")
    green(world)
    world.deliver()
    world.work()
    assert (world.pull().base_ref, world.pull().merged, item().phase) == ("main", False, "active")
    world.settle()
    assert world.pull().merged


def test_a_person_who_holds_it_by_its_title_is_respected(world: World) -> None:
    opened(world, **READY)
    world.changes.edit_pull_request(REPOSITORY, 1, title="Add a bulb (HELD)")
    green(world)
    world.settle()
    assert (world.pull().title, world.pull().merged) == ("Add a bulb (HELD)", False)
    assert "it is held" in told()[-1]


def test_b5_52_it_is_merged_with_the_head_that_was_judged(world: World) -> None:
    opened(world, **READY)
    head = world.branches[BRANCH]
    green(world)
    world.settle()
    (merge,) = world.github.requests(".*/merge", verb="PUT")
    assert json.loads(merge.sent) == {"sha": head, "merge_method": "squash"}
    assert (world.pull().merged, item().phase) == (True, "completed")


def test_nobody_who_did_not_ask_is_merged(world: World) -> None:
    opened(world)
    green(world)
    world.settle()
    assert (world.pull().state, item().phase) == ("open", "active")


def test_f01_nothing_reported_is_not_merged(world: World) -> None:
    opened(world, **READY)
    assert "no check has reported on its head" in told()[-1]
    assert not world.pull().merged


@pytest.mark.parametrize("word", ["failure", "cancelled", "timed_out", "action_required"])
def test_f02_one_check_that_did_not_pass_is_enough(world: World, word: str) -> None:
    opened(world, **READY)
    world.changes.finish_check(REPOSITORY, 1, "success", name="lint")
    world.changes.finish_check(REPOSITORY, 1, word, name="build")
    world.changes.set_status(REPOSITORY, 1, "success")
    world.settle()
    assert not world.pull().merged
    assert "not passed: build" in told()[-1]


def test_f02_one_that_still_runs_is_waited_for(world: World) -> None:
    opened(world, **READY)
    world.changes.start_check(REPOSITORY, 1, name="slow")
    world.changes.finish_check(REPOSITORY, 1, "success", name="lint")
    world.settle()
    assert "still waiting for slow" in told()[-1]
    assert not world.pull().merged


@pytest.mark.parametrize(
    "mergeable,state", [(True, "blocked"), (True, "unstable"), (False, "dirty"), (True, "behind")]
)
def test_b5_52_what_github_does_not_call_clean_is_not_merged(
    world: World, mergeable: bool, state: str
) -> None:
    opened(world, **READY)
    world.changes.judge(REPOSITORY, 1, mergeable, state)
    green(world)
    world.settle()
    assert (world.pull().state, item().phase) == ("open", "active")
    assert not world.github.requests(".*/merge", verb="PUT")


def test_f14_null_is_asked_again_a_few_times_and_is_neither_yes_nor_no(world: World) -> None:
    opened(world, **READY)
    world.changes.judge(REPOSITORY, 1, None, "unknown")
    green(world)
    world.settle()
    reads = 1
    for _ in range(10):
        before = len(world.github.requests(".*/pulls/1", verb="GET"))
        world.shift(seconds=31)
        world.settle()
        reads += len(world.github.requests(".*/pulls/1", verb="GET")) - before
    assert (reads, item().attempts, world.pull().merged) == (5, 0, False)
    world.changes.judge(REPOSITORY, 1, mergeable=True, state="clean")
    world.shift(minutes=40)
    world.settle()
    assert world.pull().merged


def test_f05_a_head_that_moves_before_the_merge_is_judged_anew(world: World) -> None:
    opened(world, **READY)
    world.github.inject(
        ".*/merge",
        "body",
        verb="PUT",
        status=409,
        text='{"message": "Head branch was modified. Review and try"}',
    )
    green(world)
    world.settle()
    assert (world.pull().merged, item().phase, item().attempts) == (False, "active", 0)
    assert "head moved" in told()[-1]
    world.shift(seconds=31)
    world.settle()
    assert world.pull().merged


def test_f05_a_commit_of_somebody_else_is_never_merged(world: World) -> None:
    opened(world, **READY)
    theirs = world.changes.commit_file(REPOSITORY, "theirs.txt", "theirs", branch=BRANCH)
    pull = world.pull()

    world.github.state.add_thing(replace(pull, head_sha=theirs))
    green(world)
    world.changes.edit_pull_request(REPOSITORY, 1, draft=False)
    world.settle()
    assert not world.pull().merged
    assert "its head is not the commit that was submitted" in told()[-1]


def test_a_lost_answer_to_the_merge_is_read_back(world: World) -> None:
    opened(world, **READY)
    world.github.inject(".*/merge", "disconnect", verb="PUT")
    green(world)
    world.deliver()
    world.work()
    world.shift(seconds=61)
    world.settle()
    assert (world.pull().merged, item().phase) == (True, "completed")
    assert len(world.github.requests(".*/merge", verb="PUT")) == 1
