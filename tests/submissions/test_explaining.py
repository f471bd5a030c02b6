"""What a person is told about a submission when asking why its pull request is where it is."""

from __future__ import annotations

from datetime import timedelta

import pytest

from core import clock as database_clock
from core import registry
from submissions.explaining import explain
from sync.services import github as way
from tests.factories import PullRequestFactory
from tests.github_app import REPOSITORY
from tests.submissions.world import World, green, hand_in, item, opened
from webhooks.models import PullRequest
from workqueue import setting_specs
from workqueue.models import WorkItem
from workqueue.services import control, leases

PULL = rf"/repositories/{REPOSITORY}/pulls/1"


def row() -> PullRequest:
    """The pull request's row; it is stored once the Event of its opening has come."""
    return PullRequest.objects.get(repository_id=REPOSITORY, number=1)


def reasons():
    return {reason.code: reason for reason in explain(row(), database_clock.now())}


def test_a_pull_request_of_nobodys_submission_is_asked_for_once(world: World, django_assert_num_queries):
    other = PullRequestFactory(repository_id=REPOSITORY, number=99)
    now = world.clock.now
    with django_assert_num_queries(1):
        assert list(explain(other, now)) == []


def test_one_that_is_put_off_says_what_for_and_when_it_is_looked_at_again(
    world: World, django_assert_max_num_queries
):
    opened(world)
    pull, now = row(), world.clock.now
    with django_assert_max_num_queries(6):
        (told,) = explain(pull, now)
    assert told.code == "submission_put_off"
    assert "needs_empty_check not before 2026-03-04 09:3" in told.text
    assert timedelta(minutes=30) <= told.next.at - world.clock.now <= timedelta(minutes=36)


def test_one_that_a_worker_holds_says_what_is_done_and_until_when_the_lease_lasts(world: World):
    opened(world)
    WorkItem.objects.update(actionable=True)
    hand_in(title="Add two bulbs")
    leases.claim(["pull_request"], 5)
    told = reasons()["submission_working"]
    assert "held by a worker until 2026-03-04 09:01:00 UTC" in told.text
    assert (
        "To be done: ensure_pr, because the branch and its pull request are to be as submitted." in told.text
    )


def test_one_that_waits_for_a_worker_says_what_for(world: World):
    opened(world)
    hand_in(title="Add two bulbs")
    assert "waits for a worker: ensure_pr" in reasons()["submission_due"].text


def test_after_a_failure_it_says_why_how_often_and_when_it_is_tried_again(world: World):
    opened(world)
    world.github.inject(".*", "status", status=500, times=None, message="Unicorn")
    hand_in(title="Add two bulbs")
    world.work()
    told = reasons()["submission_retrying"]
    assert told.passed is False
    assert "Failures in a row: 1 of 10 at most; the last one:" in told.text
    assert told.next.at == world.clock.now + timedelta(seconds=15)


def test_events_that_wait_are_counted(world: World):
    opened(world)
    green(world)
    world.deliver()
    assert "wait" in reasons()["submission_events"].text


def test_a_failed_one_says_why_and_who_must_act(world: World):
    opened(world)
    WorkItem.objects.update(phase="failed", error="There is no base branch.", actionable=False)
    told = reasons()["submission_failed"]
    assert (told.passed, told.next) == (False, None)
    assert told.text.endswith("has failed and waits for a retry by a person: There is no base branch.")


def test_of_one_that_has_ended_nothing_is_said(world: World):
    opened(world)
    control.cancel(item().pk, actor="mira")
    assert reasons() == {}


@pytest.mark.parametrize(
    "handled,why", [("merge", "workqueue.handled-types leaves them out"), ("", "leaves them")]
)
def test_a_type_that_is_switched_off_is_said_to_be(world: World, handled, why):
    opened(world)
    registry.write(setting_specs.HANDLED_TYPES, handled)
    found = reasons()["submission_not_handled"]
    assert (found.passed, why in found.text) == (False, True)


def test_an_installation_without_an_app_is_named(world: World, settings):
    opened(world)
    settings.GITHUB_APP_ID = ""
    assert reasons()["submission_not_handled"].text == (
        f"Nobody can work on it here: {way.why_not_configured()}."
    )


def test_the_pull_requests_page_and_api_say_it(world: World, caller):
    opened(world)
    answer = caller("viewer").get("/api/v1/pull-requests/account-1/repository-1/1/explain").json()
    assert "submission_put_off" in [reason["code"] for reason in answer["reasons"]]
