"""A person or an agent asks for a merge: what is approved at once, what waits for whom, and what is refused."""

from __future__ import annotations

from datetime import timedelta

import pytest

from core import clock as database_clock
from githubapi.errors import Throttled
from merge import setting_specs
from merge.services import approving
from merge.services.asking import Unknown, ask
from tests.github_app import REPOSITORY
from tests.merge.world import CODE, World, reasons
from webhooks.models import PullRequest
from workqueue.services import control
from workqueue.values import Refused

pytestmark = pytest.mark.django_db

PLACE = ("account-1", "repository-1")


def asked(number: int, caller: str = "mira"):
    return ask(*PLACE, number, caller=caller)


def test_what_the_classifier_approves_is_approved_at_once(world):
    number = world.open()
    answer = asked(number)
    assert (answer.word, world.statuses(number)) == ("created", ["approved"])
    world.work()
    assert world.pull(number).merged


def test_what_is_out_of_scope_waits_for_a_person_who_approves_it(world):
    number = world.open(files=CODE)
    answer = asked(number)
    assert (answer.word, world.statuses(number)) == ("created", ["pending"])
    world.tick_and_work()
    assert (world.merge_calls(), world.statuses(number)) == ([], ["pending"])
    approving.approve(answer.merge, actor="tomas")
    assert world.statuses(number) == ["approved"]
    world.work()
    assert (world.pull(number).merged, world.newest(number).approved_by) == (True, "tomas")


def test_where_only_time_is_missing_nothing_is_stored_and_the_poller_looks_again(world):
    number = world.open(green=False)
    world.changes.start_check(REPOSITORY, number)
    answer = asked(number)
    assert (answer.word, answer.merge, world.statuses(number)) == ("waiting", None, [])
    assert "looks again by itself" in answer.sentence
    world.changes.finish_check(REPOSITORY, number, "success")
    world.tick_and_work()
    assert world.pull(number).merged


def test_f10_a_limit_is_no_unknown_repository_and_is_heeded_and_noted(world, clock):
    number = world.open()
    world.github.inject(rf".*/pulls/{number}", "secondary_limit", seconds=300)
    with pytest.raises(Throttled, match="rate limit"):
        asked(number)
    calls = len(world.github.log)
    clock.shift(minutes=4)
    with pytest.raises(Throttled, match="takes no requests of installation") as met:
        asked(number)
    assert (met.value.wait, len(world.github.log)) == (timedelta(minutes=1), calls)
    clock.shift(minutes=1)
    assert asked(number).word == "created"


def test_nobody_is_promised_a_look_that_will_not_come(world):
    number = world.open(green=False)
    world.set(setting_specs.SWITCH.enabled, "off")
    assert "switched off" in asked(number).sentence


@pytest.mark.parametrize(
    "spoil,code",
    [
        (lambda changes, n: changes.edit_pull_request(REPOSITORY, n, title="(HELD) no"), "held"),
        (lambda changes, n: changes.edit_pull_request(REPOSITORY, n, draft=True), "draft"),
        (lambda changes, n: changes.close_pull_request(REPOSITORY, n), "closed"),
        (lambda changes, n: changes.judge(REPOSITORY, n, False, "dirty"), "conflict"),
        (lambda changes, n: changes.finish_check(REPOSITORY, n, "failure"), "checks_failed"),
        (lambda changes, n: changes.review(REPOSITORY, n, "CHANGES_REQUESTED"), "changes_requested"),
        (lambda changes, n: changes.demand(REPOSITORY, merge_queue=True), "merge_queue"),
    ],
)
def test_what_cannot_be_merged_as_it_is_is_refused_with_the_reason(world, spoil, code):
    number = world.open()
    spoil(world.changes, number)
    with pytest.raises(Refused) as caught:
        asked(number)
    assert (caught.value.code, world.statuses(number)) == (code, [])


def test_an_error_of_githubs_refuses_and_its_reason_is_kept(world):
    number = world.open()
    world.github.inject(".*/check-runs", "status", status=500, times=None)
    with pytest.raises(Refused) as caught:
        asked(number)
    assert caught.value.code == "unanswered"
    assert "500" in world.verdict(number).sentence


def test_what_is_unknown_here_is_said_to_be_unknown(world):
    with pytest.raises(Unknown):
        ask("account-1", "nowhere", 1, caller="mira")
    with pytest.raises(Unknown):
        asked(99)


def test_asking_twice_makes_one_merge(world):
    number = world.open()
    first, second = asked(number), asked(number, caller="tomas")
    assert (second.word, second.merge) == ("unchanged", first.merge)


def test_a_merge_that_was_asked_for_means_the_present_head_when_it_is_asked_for_again(world):
    number = world.open(files=CODE)
    first = asked(number)
    world.push(number)
    second = asked(number)
    assert (second.word, second.merge) == ("updated", first.merge)
    assert world.newest(number).head_sha == world.pull(number).head_sha


def test_an_approval_is_for_one_head(world):
    number = world.open(files=CODE)
    made = asked(number)
    approving.approve(made.merge, actor="tomas")
    approved = world.pull(number).head_sha
    world.push(number)
    world.work()
    assert (world.statuses(number), world.pull(number).merged) == (["failed"], False)
    assert approved[:7] in world.newest(number).error


def test_a_rejection_stands_until_somebody_asks_anew(world):
    number = world.open()
    made = asked(number)
    approving.reject(made.merge, actor="tomas", reason="Wait for the fair.")
    assert world.statuses(number) == ["rejected"]
    assert world.newest(number).rejection == "Wait for the fair."
    world.tick_and_work()
    assert (world.statuses(number), world.merge_calls()) == (["rejected"], [])
    again = asked(number)
    assert (again.word, world.statuses(number)) == ("created", ["approved", "rejected"])


def test_the_generic_retry_refuses_a_rejected_merge(world):
    number = world.open()
    made = asked(number)
    approving.reject(made.merge, actor="tomas", reason="No.")
    with pytest.raises(Refused) as caught:
        control.retry(made.merge, actor="mira")
    assert "ask for the merge anew" in str(caught.value)


def test_what_has_ended_is_neither_approved_nor_rejected(world):
    number = world.open(files=CODE)
    made = asked(number)
    approving.approve(made.merge, actor="tomas")
    with pytest.raises(Refused):
        approving.approve(made.merge, actor="tomas")
    world.work()
    for act in (
        lambda: approving.approve(made.merge, actor="tomas"),
        lambda: approving.reject(made.merge, actor="tomas", reason="late"),
        lambda: approving.retry(made.merge, actor="tomas"),
    ):
        with pytest.raises(Refused):
            act()


def test_inside_the_window_a_person_gives_the_failed_merge_a_further_attempt_and_never_a_second_row(
    world, clock
):
    number = world.open()
    failed = fail(world, number)
    clock.shift(minutes=30)
    answer = asked(number)
    assert (answer.word, answer.merge, world.statuses(number)) == ("retried", failed, ["approved"])
    world.work()
    assert world.statuses(number) == ["done"]


def test_after_the_window_a_person_asks_for_a_new_one(world, clock):
    number = world.open()
    failed = fail(world, number)
    clock.shift(hours=6)
    answer = asked(number)
    assert (answer.word, answer.merge != failed, world.statuses(number)) == (
        "created",
        True,
        ["approved", "failed"],
    )


def test_an_operators_retry_is_a_further_attempt_of_the_same_merge(world):
    number = world.open()
    failed = fail(world, number)
    approving.retry(failed, actor="mira")
    world.work()
    assert (world.statuses(number), world.newest(number).pk) == (["done"], failed)


def test_a_failed_merge_cannot_be_cancelled_out_of_the_pollers_way(world):
    failed = fail(world, world.open())
    with pytest.raises(Refused):
        control.cancel(failed, actor="mira")


def fail(world: World, number: int):
    made = asked(number)
    world.github.inject(".*/merge", "status", status=405, message="Pull Request is not mergeable")
    world.work()
    assert world.statuses(number) == ["failed"]
    return made.merge


def test_a_pull_request_whose_events_were_missed_gets_its_row_as_the_sync_would_make_it(world):
    number = world.open()
    assert not PullRequest.objects.exists()
    asked(number)
    row = PullRequest.objects.get()
    assert (row.node_id, row.processing_state, row.number) == (world.pull(number).node_id, "NEW", number)
    assert world.newest(number).pull_request_sequence == row.pk


def test_the_history_tells_who_asked_who_approved_and_what_became_of_it(world):
    number = world.open(files=CODE)
    row = world.row(number)
    made = asked(number)
    approving.approve(made.merge, actor="tomas")
    world.work()
    told = world.told(number)
    assert row.pk == world.newest(number).pull_request_sequence
    assert [line.split(":")[0] for line in told] == [
        "scope",
        "merge asked for by mira",
        "merge approved by tomas",
        "eligible",
        "merged",
    ]


def test_closing_it_cancels_a_merge_and_merging_it_by_hand_completes_it(world, clock):
    closed, merged = world.open(files=CODE), world.open("By hand", files=CODE)
    for number in (closed, merged):
        world.row(number)
        asked(number)
    clock.shift(minutes=1)
    world.changes.close_pull_request(REPOSITORY, closed)
    world.changes.close_pull_request(REPOSITORY, merged, merged=True)
    world.deliver()
    world.work()
    assert (world.statuses(closed), world.statuses(merged)) == (["cancelled"], ["done"])


def test_a_push_ends_a_merge_that_nobody_has_approved(world, clock):
    number = world.open(files=CODE)
    world.row(number)
    made = asked(number)
    world.deliver()
    clock.shift(minutes=1)
    world.push(number)
    world.deliver()
    world.work()
    assert world.statuses(number) == ["cancelled"]
    assert any("head moved before anybody approved" in line for line in reasons(world.newest(number)))
    assert made.merge == world.newest(number).pk


def test_hostile_text_in_a_rejection_is_kept_as_text(world):
    made = asked(world.open(files=CODE))
    approving.reject(made.merge, actor="tomas", reason="no\x00\ud83d <script>")
    assert "<script>" in world.newest(1).rejection
    assert "\x00" not in world.newest(1).rejection


def test_verdicts_remember_since_when_they_stand_and_since_when_the_head_is_known(world, clock):
    number = world.open(green=False)
    world.tick()
    began = database_clock.now()
    clock.shift(minutes=30)
    world.tick()
    found = world.verdict(number)
    assert (found.code, found.since, found.head_since) == ("checks_missing", began, began)
    assert found.judged_at - began == timedelta(minutes=30)
