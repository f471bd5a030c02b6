"""One look at GitHub: what differs is put right, what is empty is closed, what is ready is merged."""

from __future__ import annotations

import json
from contextlib import suppress
from datetime import timedelta

import pytest
from django.db import OperationalError, connection

from githubapi.client.channel import Channel
from submissions.handlers.events import concerned
from submissions.models import PullRequestItem
from tests.github_app import REPOSITORY
from tests.submissions.world import BRANCH, World, green, hand_in, item, needs, told
from workqueue.models import WorkItemDimension
from workqueue.values import Event

READY = {"options": {"merge_when_ready": True}}


def opened(world: World, **members: object) -> None:
    hand_in(**members)
    world.settle()


def test_b5_51_one_fetch_serves_all_the_cheap_corrections(world: World) -> None:
    opened(world, labels=["bulbs", "dark"])
    world.changes.edit_pull_request(REPOSITORY, 1, title="Mine", body="No.", labels=("other",))
    since = len(world.github.log)
    world.settle()
    assert world.asked(since)[:3] == ["GET /pulls/1", "PATCH /pulls/1", "POST /issues/1/labels"]
    pull = world.pull()
    assert (pull.title, pull.body) == ("Add a bulb", "It was dark.")
    assert pull.labels == ("other", "bulbs", "dark")


def test_b5_51_what_is_as_submitted_is_only_read(world: World) -> None:
    opened(world, labels=["bulbs"])
    since = len(world.github.log)
    world.changes.edit_pull_request(REPOSITORY, 1, draft=False)
    world.settle()
    assert world.asked(since) == ["GET /pulls/1"]


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


@pytest.mark.parametrize("event", ["check", "status", "review"])
def test_b5_53_a_finished_check_or_a_review_leads_to_a_look_at_once(world: World, event: str) -> None:
    opened(world, **READY)
    since = len(world.github.log)
    if event == "check":
        world.changes.finish_check(REPOSITORY, 1, "failure")
    elif event == "status":
        world.changes.set_status(REPOSITORY, 1, "failure")
    else:
        world.changes.review(REPOSITORY, 1, "APPROVED")
    world.settle()
    assert "GET /pulls/1" in world.asked(since)


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
    from dataclasses import replace

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


def test_b5_48_a_pull_request_that_the_base_has_emptied_is_closed_and_never_merged(world: World) -> None:
    opened(world, **READY)
    world.changes.commit_file(REPOSITORY, "bulbs/one.txt", "lit\n")
    _merge_base_into_branch(world)
    green(world)
    world.settle()
    pull = world.pull()
    assert (pull.state, pull.merged, item().phase) == ("closed", False, "completed")
    assert not world.github.requests(".*/merge", verb="PUT")
    assert told()[-1].endswith("closed #1: nothing is left to be changed: the base holds all of it")


def _merge_base_into_branch(world: World) -> None:
    from tests.github_app import INSTALLATION, app_client

    world.github.state.standing(REPOSITORY, 1).behind = 1
    with app_client(world.github.url) as app:
        app.for_installation(INSTALLATION).update_branch(REPOSITORY, 1, world.branches[BRANCH])


def test_b5_48_the_comparison_is_made_when_it_is_due_and_not_before(world: World) -> None:
    opened(world)
    since = len(world.github.log)
    world.changes.edit_pull_request(REPOSITORY, 1, draft=False)
    world.settle()
    assert not [call for call in world.asked(since) if "compare" in call]
    world.shift(minutes=20)
    world.settle()
    assert not [call for call in world.asked(since) if "compare" in call]
    world.shift(minutes=20)
    world.settle()
    assert len([call for call in world.asked(since) if "compare" in call]) == 1


def test_b5_41_a_closing_cancels_and_a_reopening_revives_nothing(world: World) -> None:
    opened(world)
    world.changes.close_pull_request(REPOSITORY, 1)
    world.settle()
    assert item().phase == "cancelled"
    world.changes.reopen_pull_request(REPOSITORY, 1)
    since = len(world.github.log)
    world.settle()
    assert (item().phase, world.asked(since)) == ("cancelled", [])


def test_b5_41_a_merge_by_a_person_completes_and_a_later_closing_cancels_nothing(world: World) -> None:
    opened(world)
    world.changes.close_pull_request(REPOSITORY, 1, merged=True)
    world.settle()
    assert item().phase == "completed"
    world.changes.edit_pull_request(REPOSITORY, 1, merged=False)
    world.changes.close_pull_request(REPOSITORY, 1)
    world.settle()
    assert item().phase == "completed"


def test_b5_40_a_closing_that_no_event_told_of_is_found_by_the_regular_look(world: World) -> None:
    opened(world)
    world.github.hook.receiver = None
    world.changes.close_pull_request(REPOSITORY, 1)
    world.shift(minutes=40)
    world.settle()
    assert item().phase == "cancelled"


def test_b5_42_what_an_event_asks_for_counts_even_when_its_phase_is_stale(world: World) -> None:
    opened(world)
    pull = world.pull()
    from dataclasses import replace
    from datetime import timedelta

    world.changes.close_pull_request(REPOSITORY, 1, merged=False)
    world.github.hook._waiting.clear()
    stale = replace(world.pull(), updated_at=pull.updated_at - timedelta(days=1))
    from sandbox import payloads
    from sandbox.server.changer import person
    from workqueue.models import WorkItem

    WorkItem.objects.update(last_event_at=pull.updated_at)
    world.github.state.add_thing(pull)
    world.github.hook.emit("pull_request", payloads.pull_request("closed", stale, person("mira")))
    since = len(world.github.log)
    world.settle()
    assert item().phase == "active"
    assert "GET /pulls/1" in world.asked(since)
    assert needs()["needs_reconcile"] == "false"


def test_b5_47_the_regular_looks_of_many_do_not_come_all_at_once(world: World) -> None:
    for number in range(5):
        path = f"bulbs/{number}.txt"
        hand_in(
            head_branch=f"auto/{number}", file_actions=[{"action": "create", "path": path, "content": "x"}]
        )
    world.settle()
    looks = WorkItemDimension.objects.filter(dimension="needs_empty_check").values_list(
        "pending_until", flat=True
    )
    assert len(set(looks)) == 5
    assert all(
        timedelta(minutes=30) <= look - world.clock.now <= timedelta(minutes=36) for look in looks if look
    )


def test_b5_58_no_dimension_describes_a_state_and_the_head_run_is_a_typed_column(world: World) -> None:
    opened(world, **READY)
    green(world)
    world.changes.review(REPOSITORY, 1, "APPROVED")
    world.changes.run_workflow(REPOSITORY, 1, conclusion="failure")
    world.settle()
    names = {name.partition("[")[0] for name in needs()}
    assert names == {"needs_pr", "needs_ci_retry", "needs_reconcile", "needs_empty_check"}
    assert PullRequestItem._meta.get_field("head_run_id").get_internal_type() == "PositiveBigIntegerField"


@pytest.mark.parametrize(
    "event,payload", [("check_suite", {}), ("push", {"repository": {"id": 1}}), ("status", [])]
)
def test_an_event_that_lacks_what_it_is_known_by_concerns_nobody(event, payload) -> None:
    asked = concerned(Event(event, "completed", dict(payload)))
    assert asked is None


def test_f18_a_connection_that_is_gone_after_every_call_fails_nothing(
    mariadb, transactional_db, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    ask = Channel.ask

    def cut_off(channel: Channel, *arguments: object) -> object:
        answer = ask(channel, *arguments)
        with suppress(OperationalError), connection.cursor() as cursor:
            cursor.execute("KILL CONNECTION_ID()")
        return answer

    monkeypatch.setattr(Channel, "ask", cut_off)
    hand_in(labels=["bulbs"], **READY)
    world.work()
    assert (world.pull().labels, item().phase, item().attempts) == (("bulbs",), "active", 0)
    assert not [sentence for sentence in told() if "done" not in sentence]
