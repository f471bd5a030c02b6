"""Events about a repository's rules and about checks: the first wake every open pull request, the second none."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from sandbox import ci, payloads
from tests.clock import DrivenClock
from tests.factories import PullRequestFactory
from tests.webhooks.hook import ALICE, INSTALLATION, OUR_BOT, PULL, TOOLS, Hook, at, pull
from webhooks.models import Delivery, PullRequest, PullRequestHistory, PullRequestLook, WorkflowRun
from webhooks.values import ProcessingState

RULE_EVENTS = {
    "branch_protection_rule": ("created", "edited", "deleted"),
    "branch_protection_configuration": ("enabled", "disabled"),
    "repository_ruleset": ("created", "edited", "deleted"),
}
RULE_CASES = [(event, action) for event, actions in RULE_EVENTS.items() for action in actions]


def rule(action: str = "edited", sender: Any = ALICE) -> dict[str, Any]:
    return payloads.branch_protection_rule(action, TOOLS, "main", sender)


@pytest.mark.parametrize("event, action", RULE_CASES)
def test_b1_29_changed_rules_re_request_every_open_pull_request_of_the_repository(
    hook: Hook, clock: DrivenClock, event: str, action: str
) -> None:
    old = clock.now - timedelta(days=9)
    states = ["NEW", "UPDATED", "RE_REQUESTED", "IDLE", "PROCESSING", "PROCESSED"]
    mine = [
        PullRequestFactory(processing_state=state, idle_retry_count=4, updated_at=old) for state in states
    ]
    closed = PullRequestFactory(state="CLOSED", idle_retry_count=4, updated_at=old)
    other = PullRequestFactory(repository_name="other", repository_id=9, idle_retry_count=4, updated_at=old)
    answer = hook.send(event, rule(action))
    assert (answer.status_code, Delivery.objects.get().status) == (202, "applied")
    after = PullRequest.objects.in_bulk()
    assert [after[row.pk].processing_state for row in mine] == ["NEW", *["RE_REQUESTED"] * 5]
    assert {(after[row.pk].idle_retry_count, after[row.pk].updated_at) for row in mine} == {(0, clock.now)}
    for row in (closed, other):
        assert (after[row.pk].idle_retry_count, after[row.pk].processing_state) == (4, "PROCESSED")
        assert after[row.pk].updated_at == old
    lines = PullRequestHistory.objects.values_list("pull_request_sequence", "from_state", "to_state")
    assert sorted(lines) == [(row.pk, row.processing_state, after[row.pk].processing_state) for row in mine]


def test_changed_rules_reach_rows_of_outside_writers_by_name(hook: Hook) -> None:
    row = PullRequestFactory(
        repository_id=None, repository_owner="OCTO", repository_name="Tools", idle_retry_count=1
    )
    stranger = PullRequestFactory(repository_id=None, repository_name="tools-2", idle_retry_count=1)
    hook.send("branch_protection_rule", rule())
    assert PullRequest.objects.get(pk=row.pk).processing_state == "RE_REQUESTED"
    assert PullRequest.objects.get(pk=stranger.pk).processing_state == "PROCESSED"


def test_changed_rules_take_a_claim_back(hook: Hook) -> None:
    PullRequestFactory(
        processing_state="PROCESSING", claim_token="t", claimed_from="NEW", processing_date=at(0)
    )
    hook.send("branch_protection_rule", rule())
    row = PullRequest.objects.get()
    assert (row.claim_token, row.claimed_from, row.processing_date) == (None, None, None)


def test_an_organizations_ruleset_is_ignored_by_name(hook: Hook) -> None:
    PullRequestFactory()
    payload = {key: value for key, value in rule().items() if key != "repository"}
    answer = hook.send("repository_ruleset", payload)
    assert (answer.status_code, answer.json()["status"]) == (200, "ignored")
    assert "organization" in Delivery.objects.get().note
    assert PullRequest.objects.get().processing_state == "PROCESSED"


def test_rules_that_our_own_app_changed_wake_nobody(hook: Hook) -> None:
    PullRequestFactory(idle_retry_count=3)
    assert hook.send("branch_protection_rule", rule(sender=OUR_BOT)).json()["status"] == "echo"
    assert PullRequest.objects.get().idle_retry_count == 3


# ---------------------------------------------------------------------------------------------------------------------
FINISHED = {
    "check_suite": ci.check_suite("completed", PULL, INSTALLATION, conclusion="success"),
    "status": ci.status(PULL, "failure", at(0)),
}
UNFINISHED = [
    ("check_suite", ci.check_suite("requested", PULL, INSTALLATION, conclusion=None)),
    ("check_suite", ci.check_suite("rerequested", PULL, INSTALLATION, conclusion=None)),
    ("status", ci.status(PULL, "pending", at(0))),
    ("check_run", {"action": "completed", **payloads.common(TOOLS, ALICE)}),
    ("check_run", {"action": "created", **payloads.common(TOOLS, ALICE)}),
]


def one_head(**columns: Any) -> PullRequest:
    row: PullRequest = PullRequestFactory(
        head_sha=PULL.head_sha, idle_retry_count=2, updated_at=at(0), **columns
    )
    return row


@pytest.mark.parametrize("event", FINISHED)
def test_a_finished_check_asks_for_one_look_and_makes_nothing_pending(
    hook: Hook, clock: DrivenClock, event: str
) -> None:
    row = one_head()
    for _ in range(3):
        assert hook.send(event, FINISHED[event]).status_code == 202
        clock.shift(seconds=5)
    look = PullRequestLook.objects.get()
    assert look.pull_request_sequence == row.pk
    assert look.due_at == clock.now + timedelta(seconds=30 - 15)
    after = PullRequest.objects.get()
    assert (after.processing_state, after.idle_retry_count, after.updated_at) == ("PROCESSED", 2, at(0))


@pytest.mark.parametrize("event", FINISHED)
def test_a_finished_check_finds_every_open_pull_request_of_that_head(hook: Hook, event: str) -> None:
    """By repository and sha: the list of pull requests is empty where the head is in a fork."""
    expected = {one_head().pk, one_head(processing_state="IDLE").pk}
    one_head(state="CLOSED")
    one_head(repository_id=9)
    PullRequestFactory(head_sha="b" * 40)
    payload = FINISHED[event]
    if "check_suite" in payload:
        payload = payload | {"check_suite": payload["check_suite"] | {"pull_requests": []}}
    hook.send(event, payload)
    assert set(PullRequestLook.objects.values_list("pull_request_sequence", flat=True)) == expected


@pytest.mark.parametrize("event", FINISHED)
def test_a_finished_check_of_an_unknown_head_is_ignored(hook: Hook, event: str) -> None:
    answer = hook.send(event, FINISHED[event])
    assert (answer.status_code, answer.json()["status"]) == (200, "ignored")
    assert not PullRequestLook.objects.exists()


@pytest.mark.parametrize("event, payload", UNFINISHED)
def test_an_unfinished_check_is_ignored(hook: Hook, event: str, payload: dict) -> None:
    one_head()
    answer = hook.send(event, payload)
    assert (answer.status_code, answer.json()["status"]) == (200, "ignored")
    assert not PullRequestLook.objects.exists()


# ---------------------------------------------------------------------------------------------------------------------
def workflow_run(action: str, **changes: Any) -> dict[str, Any]:
    payload = ci.workflow_run(action, PULL, conclusion="success" if action == "completed" else None)
    return payload | {"workflow_run": payload["workflow_run"] | changes}


def test_a_workflow_run_has_one_row_with_its_facts_and_wakes_no_pull_request(hook: Hook) -> None:
    one_head()
    for action in ("requested", "in_progress", "completed"):
        assert hook.send("workflow_run", workflow_run(action)).status_code == 202
    run = WorkflowRun.objects.get()
    assert (run.name, run.display_title, run.run_number, run.run_attempt) == (
        "CI",
        PULL.title,
        PULL.number,
        1,
    )
    assert (run.status, run.conclusion, run.event) == ("completed", "success", "pull_request")
    assert (run.head_sha, run.head_branch, run.actor_login) == (PULL.head_sha, PULL.head_ref, "alice")
    assert (run.repository_owner, run.repository_name, run.repository_id) == ("octo", "tools", TOOLS.id)
    assert run.html_url.startswith("https://github.com/octo/tools/actions/runs/")
    assert PullRequest.objects.get().processing_state == ProcessingState.PROCESSED


def at_text(second: int) -> str:
    return at(second).strftime("%Y-%m-%dT%H:%M:%SZ")


@pytest.mark.parametrize(
    "late, shown",
    [
        (workflow_run("completed", run_attempt=1, conclusion="failure", updated_at=at_text(99)), "success"),
        (workflow_run("completed", run_attempt=2, conclusion="failure", updated_at=at_text(1)), "success"),
        (workflow_run("in_progress", run_attempt=2, updated_at=at_text(5)), "success"),
        (workflow_run("completed", run_attempt=2, conclusion="failure", updated_at=at_text(9)), "failure"),
        (workflow_run("requested", run_attempt=3, updated_at=at_text(1)), None),
    ],
)
def test_the_latest_attempt_and_its_latest_state_win(hook: Hook, late: dict, shown: str | None) -> None:
    hook.send("workflow_run", workflow_run("completed", run_attempt=2, updated_at=at_text(5)))
    hook.send("workflow_run", late)
    assert WorkflowRun.objects.get().conclusion == shown


def test_a_workflow_run_of_a_ghost_with_nothing_but_an_id_is_kept(hook: Hook) -> None:
    nothing = dict.fromkeys(("name", "head_branch", "actor", "conclusion", "display_title", "updated_at"))
    payload = workflow_run("requested", **nothing) | {"workflow": None}
    assert hook.send("workflow_run", payload).status_code == 202
    assert WorkflowRun.objects.get().actor_login == ""


def test_a_check_makes_a_look_only_for_rows_that_still_have_that_head(hook: Hook) -> None:
    hook.send("pull_request", payloads.pull_request("opened", PULL, ALICE))
    moved = pull(head_sha="c" * 40, updated_at=at(3))
    hook.send("pull_request", payloads.pull_request("synchronize", moved, ALICE))
    assert hook.send("status", FINISHED["status"]).json()["status"] == "ignored"
