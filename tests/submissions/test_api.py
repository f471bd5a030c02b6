"""Submissions over REST: who may, what is refused how, what is shown."""

from __future__ import annotations

import json

import pytest
from rest_framework.test import APIClient

from submissions.decisions.actions import LARGEST_FILE
from submissions.models import PullRequestItem
from tests.submissions.world import BRANCH, World, body, item

SUBMIT = "/api/v1/work-items/pull_request"


def test_b5_14_who_submitted_is_known_from_authentication(world: World, caller):
    answer = caller("operator").post(SUBMIT, body(), format="json")
    assert (answer.status_code, answer.json()["word"]) == (202, "created")
    assert "operator" in item(answer.json()["item"]).caller_identity


def test_nobody_unknown_may_submit(world: World):
    assert APIClient().post(SUBMIT, body(), format="json").status_code == 401


@pytest.mark.parametrize("role,status", [("", 403), ("viewer", 403), ("operator", 202)])
def test_only_who_may_operate_may_submit(world: World, caller, role, status):
    assert caller(role).post(SUBMIT, body(), format="json").status_code == status
    assert PullRequestItem.objects.count() == int(status == 202)


@pytest.mark.parametrize(
    "wrong,field",
    [
        ({"title": ""}, "title"),
        ({"head_branch": "a..b"}, "head_branch"),
        ({"repository": "no name"}, "repository"),
        ({"file_actions": []}, "file_actions"),
        ({"file_actions": [{"action": "create", "path": "../x", "content": ""}]}, "file_actions"),
        ({"source": "me"}, "source"),
    ],
)
def test_bad_input_is_refused_by_field_and_nothing_is_stored(world: World, caller, wrong, field):
    answer = caller("operator").post(SUBMIT, body(**wrong), format="json")
    assert answer.status_code == 400
    assert [name for name in answer.json()["errors"] if name.startswith(field)]
    assert PullRequestItem.objects.count() == 0


def file(number: int, size: int) -> dict[str, str]:
    return {"action": "create", "path": f"bulbs/{number}.txt", "content": "é" * (size // 2)}


def test_f25_what_a_submission_may_hold_gets_through_the_door(world: World, caller):
    """Three of the largest files, each letter of them six bytes of JSON."""
    files = json.dumps(body(file_actions=[file(n, LARGEST_FILE) for n in range(3)]))
    assert len(files) > 9_000_000
    answer = caller("operator").post(SUBMIT, files, content_type="application/json")
    assert (answer.status_code, answer.json()["word"]) == (202, "created")


@pytest.mark.parametrize("size,status", [(LARGEST_FILE + 2, 400), (26_000_000, 413)])
def test_f25_what_is_larger_is_refused_with_a_sentence(world: World, caller, size, status):
    answer = caller("operator").post(SUBMIT, body(file_actions=[file(1, size)]), format="json")
    assert (answer.status_code, PullRequestItem.objects.count()) == (status, 0)
    assert "bytes" in str(answer.json())


@pytest.mark.parametrize("text", ["half \ud83d a pair", "nul \0 byte"])
@pytest.mark.parametrize("member", ["title", "body", "commit_message", "labels", "head_branch", "repository"])
def test_f27_text_that_no_column_holds_is_refused_by_field(world: World, caller, member, text):
    sent = json.dumps(body(**{member: [text] if member == "labels" else text}))
    answer = caller("operator").post(SUBMIT, sent, content_type="application/json")
    assert (answer.status_code, PullRequestItem.objects.count()) == (400, 0)
    assert answer.json()["detail"].startswith(member)


def test_b5_10_a_blocked_path_is_a_conflict_with_a_rule(world: World, caller):
    evil = [{"action": "create", "path": ".github/workflows/x.yml", "content": "on: push"}]
    answer = caller("operator").post(SUBMIT, body(file_actions=evil), format="json")
    assert (answer.status_code, answer.json()["code"]) == (409, "blocked_path")
    assert ".github/workflows/x.yml" in answer.json()["detail"]
    assert world.asked() == []


def test_an_item_is_shown_with_its_pull_request_and_its_needs(world: World, caller):
    made = caller("operator").post(SUBMIT, body(), format="json").json()["item"]
    world.settle()
    shown = caller("viewer").get(f"/api/v1/work-items/{made}").json()
    assert shown["subject"] == f"account-1/repository-1: {BRANCH}"
    assert shown["details"]["Pull request"] == "#1"
    assert {row["dimension"]: row["status"] for row in shown["dimensions"]}["needs_pr"] == "false"


def test_b5_40_a_cancelled_item_takes_no_event_and_comes_back_by_a_retry(world: World, caller):
    operator = caller("operator")
    made = operator.post(SUBMIT, body(), format="json").json()["item"]
    world.settle()
    assert operator.post(f"/api/v1/work-items/{made}/cancel", {}, format="json").status_code == 200
    world.changes.edit_pull_request(800_001, 1, title="Mine")
    world.settle()
    assert world.pull().title == "Mine"
    assert operator.post(f"/api/v1/work-items/{made}/retry", {}, format="json").status_code == 200
    world.settle()
    assert (item(made).phase, item(made).number, world.pull().title) == ("active", 1, "Add a bulb")


def test_a_completed_item_cannot_be_retried_or_cancelled(world: World, caller):
    operator = caller("operator")
    made = operator.post(SUBMIT, body(), format="json").json()["item"]
    world.settle()
    world.changes.close_pull_request(800_001, 1, merged=True)
    world.settle()
    for deed in ("retry", "cancel"):
        assert operator.post(f"/api/v1/work-items/{made}/{deed}", {}, format="json").status_code == 409
