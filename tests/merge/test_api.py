"""The API of merges: the queue, asking, approving, rejecting, trying again."""

from __future__ import annotations

from typing import Any

import pytest

from tests.github_app import REPOSITORY
from tests.merge.world import CODE

pytestmark = pytest.mark.django_db

MERGES = "/api/v1/merges"
NAME = "account-1/repository-1"


@pytest.fixture
def operator(caller) -> Any:
    return caller("operator")


def ask(client: Any, number: int, **more: Any) -> Any:
    return client.post(MERGES, {"repository": NAME, "number": number, **more}, format="json")


def test_asking_for_a_green_one_answers_created_and_approved(world, operator):
    answer = ask(operator, world.open())
    assert (answer.status_code, answer.data["outcome"]) == (201, "created")
    merge = answer.data["merge"]
    assert (merge["status"], merge["repository"], merge["number"]) == ("approved", NAME, 1)
    assert ask(operator, 1).status_code == 200


def test_asking_for_one_whose_checks_run_answers_202_and_stores_nothing(world, operator):
    number = world.open(green=False)
    world.changes.start_check(REPOSITORY, number)
    answer = ask(operator, number)
    assert (answer.status_code, answer.data["outcome"], answer.data["merge"]) == (202, "waiting", None)
    assert world.statuses(number) == []


def test_asking_for_code_answers_pending_until_somebody_approves(world, operator):
    number = world.open(files=CODE)
    merge = ask(operator, number).data["merge"]
    assert merge["status"] == "pending"
    assert "more than documents" in merge["reason"]
    approved = operator.post(f"{MERGES}/{merge['sequence']}/approve")
    assert (approved.status_code, approved.data["status"]) == (200, "approved")
    assert approved.data["approved_by"].startswith("operator-user")
    world.work()
    assert operator.get(f"{MERGES}/{merge['sequence']}").data["status"] == "done"


def test_rejecting_needs_a_reason_and_keeps_it(world, operator):
    merge = ask(operator, world.open(files=CODE)).data["merge"]
    path = f"{MERGES}/{merge['sequence']}/reject"
    assert operator.post(path).status_code == 400
    answer = operator.post(path, {"reason": "Not now."}, format="json")
    assert (answer.data["status"], answer.data["rejection"]) == ("rejected", "Not now.")
    assert operator.post(path, {"reason": "Again."}, format="json").status_code == 409


def test_retrying_a_rejected_merge_is_refused_over_the_generic_door_and_over_this_one(world, operator):
    merge = ask(operator, world.open(files=CODE)).data["merge"]
    operator.post(f"{MERGES}/{merge['sequence']}/reject", {"reason": "No."}, format="json")
    answer = operator.post(f"{MERGES}/{merge['sequence']}/retry")
    assert (answer.status_code, answer.data["code"]) == (409, "refused_by_type")
    assert "ask for the merge anew" in answer.data["detail"]


def test_a_failed_merge_is_tried_again(world, operator):
    merge = ask(operator, world.open()).data["merge"]
    world.github.inject(".*/merge", "status", status=405, message="Pull Request is not mergeable")
    world.work()
    failed = operator.get(f"{MERGES}/{merge['sequence']}").data
    assert (failed["status"], "not mergeable" in failed["error"]) == ("failed", True)
    assert operator.post(f"{MERGES}/{merge['sequence']}/retry").data["status"] == "approved"


def test_what_cannot_be_merged_answers_409_with_code_and_sentence(world, operator):
    answer = ask(operator, world.open("(HELD) a runbook"))
    assert (answer.status_code, answer.data["code"]) == (409, "held")
    assert "(HELD)" in answer.data["detail"]


def test_github_away_answers_502_and_throttled_503_with_the_wait(world, operator):
    number = world.open()
    world.github.inject(f".*/pulls/{number}", "status", status=502, times=3)
    assert ask(operator, number).status_code == 502
    world.github.inject(f".*/pulls/{number}", "secondary_limit", seconds=90)
    answer = ask(operator, number)
    assert (answer.status_code, answer.headers["Retry-After"]) == (503, "90")


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"repository": "nothing", "number": 1},
        {"repository": NAME},
        {"repository": NAME, "number": 0},
        {"repository": NAME, "number": "x"},
        {"repository": f"{NAME}/more", "number": 1},
        {"repository": NAME, "number": 1, "force": True},
    ],
)
def test_bad_input_is_refused_by_field(world, operator, body):
    answer = operator.post(MERGES, body, format="json")
    assert answer.status_code == 400
    assert answer.data["errors"]


def test_the_unknown_is_404(world, operator):
    assert operator.post(MERGES, {"repository": "a/b", "number": 1}, format="json").status_code == 404
    assert ask(operator, 99).status_code == 404
    for end in ("", "/approve", "/retry"):
        method = operator.post if end else operator.get
        assert method(f"{MERGES}/4711{end}").status_code == 404


def test_the_list_is_filtered_by_status_repository_and_number(world, operator):
    first, second = world.open(files=CODE), world.open()
    for number in (first, second):
        ask(operator, number)

    def numbers(query: str) -> list[int]:
        return [merge["number"] for merge in operator.get(f"{MERGES}?{query}").data["results"]]

    assert numbers("") == [second, first]
    assert numbers("status=pending") == [first]
    assert numbers("status=approved") == [second]
    assert numbers(f"repository={NAME}&number={first}") == [first]
    assert numbers("repository=a/b") == []
    assert operator.get(f"{MERGES}?status=lost").status_code == 400


@pytest.mark.parametrize(
    "status", ["pending", "approved", "executing", "done", "failed", "rejected", "cancelled"]
)
def test_each_status_can_be_filtered_by(world, operator, status):
    assert operator.get(f"{MERGES}?status={status}").status_code == 200


def test_who_reads_only_may_not_decide(world, caller):
    number = world.open(files=CODE)
    viewer = caller("viewer")
    assert ask(viewer, number).status_code == 403
    assert viewer.get(MERGES).status_code == 200
    assert viewer.post(f"{MERGES}/1/approve").status_code == 403
    assert caller("").get(MERGES).status_code == 403


def test_the_list_costs_the_same_however_long_it_is(world, operator, django_assert_max_num_queries):
    for number in range(6):
        ask(operator, world.open(f"Page {number}"))
    with django_assert_max_num_queries(16):
        assert len(operator.get(MERGES).data["results"]) == 6
