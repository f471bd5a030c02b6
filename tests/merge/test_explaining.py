"""What a person is told about merging when asking why a pull request is where it is."""

from __future__ import annotations

from datetime import timedelta

import pytest

from core import clock as database_clock
from merge import setting_specs
from merge.explaining import explain
from merge.services import approving
from merge.services.asking import ask
from tests.github_app import REPOSITORY
from tests.merge.world import CODE
from webhooks.models import PullRequest
from workqueue.registry import TYPES
from workqueue.services import leases, turns

pytestmark = pytest.mark.django_db


def reasons(world, number: int):
    row = PullRequest.objects.get(repository_id=REPOSITORY, number=number)
    return {reason.code: reason for reason in explain(row, database_clock.now())}


def test_nothing_is_said_of_what_was_never_judged(world, django_assert_num_queries):
    row = world.row(world.open())
    now = database_clock.now()
    with django_assert_num_queries(2):
        assert list(explain(row, now)) == []


def test_a_refusal_is_a_closed_gate_with_its_sentence(world):
    number = world.open(files=CODE)
    world.row(number)
    world.tick()
    found = reasons(world, number)["merge_verdict_not_docs_only"]
    assert found.passed is False
    assert "more than documents" in found.text


def test_a_wait_says_when_it_is_looked_at_again(world, clock):
    number = world.open(green=False)
    world.row(number)
    world.tick()
    found = reasons(world, number)["merge_verdict_checks_missing"]
    assert found.passed is None
    assert found.next.at == clock.now + timedelta(minutes=1)


def test_a_failed_merge_says_why_and_when_it_may_be_proposed_again(world, clock):
    number = world.open()
    world.row(number)
    world.tick()
    world.github.inject(".*/merge", "status", status=405, message="Pull Request is not mergeable")
    world.work()
    found = reasons(world, number)["merge_failed"]
    assert found.passed is False
    assert "not mergeable" in found.text
    assert found.next.at == clock.now + timedelta(hours=6)
    clock.shift(hours=6)
    assert reasons(world, number)["merge_failed"].next is None


def test_each_state_of_a_merge_is_told(world):
    number = world.open(files=CODE)
    world.row(number)
    made = ask("account-1", "repository-1", number, caller="mira")
    assert reasons(world, number)["merge_pending"].passed is False
    approving.approve(made.merge, actor="tomas")
    assert reasons(world, number)["merge_approved"].passed
    approving.reject(made.merge, actor="tomas", reason="Wait.")
    assert "Rejected by tomas: Wait" in reasons(world, number)["merge_rejected"].text


def test_an_approved_merge_that_waits_says_for_what_and_until_when(world, clock):
    number = world.open(files=CODE, green=False)
    world.row(number)
    approving.approve(ask("account-1", "repository-1", number, caller="mira").merge, actor="tomas")
    assert "waits for a worker: merge" in reasons(world, number)["merge_item_due"].text
    world.work()
    told = reasons(world, number)["merge_item_put_off"]
    assert "needs_merge not before" in told.text
    assert told.next.at > clock.now


def test_a_merge_that_a_worker_holds_says_until_when(world):
    number = world.open(files=CODE)
    world.row(number)
    approving.approve(ask("account-1", "repository-1", number, caller="mira").merge, actor="tomas")
    leases.claim(["merge"], 5)
    assert "held by a worker until" in reasons(world, number)["merge_item_working"].text


def test_a_merge_that_rests_after_a_fault_of_ours_is_not_called_carried_out(world, clock):
    number = world.open(files=CODE)
    world.row(number)
    approving.approve(ask("account-1", "repository-1", number, caller="mira").merge, actor="tomas")
    lease = leases.claim(["merge"], 5)
    turns.stumble(turns.Place(TYPES["merge"], lease.items[0][0], lease.token, 10), "ZeroDivisionError")
    found = reasons(world, number)
    assert "merge_approved" in found
    told = found["merge_item_retrying"]
    assert told.text.endswith("Failures in a row: 1 of 10 at most; the last one: ZeroDivisionError")
    assert told.next.at == clock.now + timedelta(seconds=15)


def test_a_poller_that_is_off_is_said_to_be_off(world):
    number = world.open(files=CODE)
    world.row(number)
    world.tick()
    assert "merge_off" not in reasons(world, number)
    world.set(setting_specs.SWITCH.enabled, "off")
    assert "merge.enabled" in reasons(world, number)["merge_off"].text


def test_the_page_and_the_api_of_the_pull_request_show_it(world, caller):
    number = world.open(files=CODE)
    world.row(number)
    world.tick()
    answer = caller("viewer").get(f"/api/v1/pull-requests/account-1/repository-1/{number}/explain")
    assert "merge_verdict_not_docs_only" in [reason["code"] for reason in answer.json()["reasons"]]


def test_what_waits_for_a_person_is_in_the_sentence_and_leads_to_where_it_is_decided(world, see):
    number = world.open(files=CODE)
    world.row(number)
    merge = ask("account-1", "repository-1", number, caller="mira").merge
    address, wanted = f"/pull-requests/account-1/repository-1/{number}/", "waits for a person to approve"
    page = see(address)
    assert wanted in page.text[: page.text.index("What happens next")]
    assert "and a person is asked" in page.text
    (decide,) = [
        link["href"] for link in page.all("a") if link.get("href", "").startswith("/merges/?status=pending")
    ]
    assert f"account-1/repository-1#{number}" in see(decide).text
    approving.approve(merge, actor="tomas")
    page = see(address)
    assert wanted not in page.text
    assert "a person is asked" not in page.text
