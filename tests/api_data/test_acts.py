"""What is done over the API stands on the page Actions, beside what people click."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.admin.models import LogEntry

from core.access import tokens
from core.models import ApiToken, Setting
from tests.api.surface import calls, needed
from tests.api_data.world import workflow_run
from tests.factories import InstallationFactory, IssueFactory, PullRequestFactory, RepositoryFactory
from tests.github_app import INSTALLATION, REPOSITORY
from tests.merge import rows

pytestmark = pytest.mark.django_db
API = "/api/v1"
# A submission is work handed in: its item says who did, and its audit keeps what became of it.
NO_ACTS = {"work-items/<word:item_type>"}


@pytest.fixture
def operator(caller):
    return caller("operator", name="olga")


def kept() -> list[str]:
    lines = LogEntry.objects.order_by("pk").select_related("user")
    return [f"{line.user.username}: {line.object_repr}: {line.change_message}" for line in lines]


def by_olga(*acts: str) -> list[str]:
    return [f"olga: {act}, over the API as olga (token test)" for act in acts]


@pytest.mark.parametrize("path", ["passes/idle/runs", "workers/idle/run"])
def test_a_run_asked_for_is_kept_and_one_refused_is_not(operator, path):
    assert operator.post(f"{API}/{path}").status_code == 202
    assert kept() == by_olga("pass idle: asked for a run")
    Setting.objects.update_or_create(name="idle.enabled", defaults={"value": "off"})
    assert operator.post(f"{API}/{path}").status_code == 409
    assert len(kept()) == 1


def test_a_reset_and_a_re_request_are_kept_by_their_names(operator):
    pull, issue = PullRequestFactory(number=12, idle_retry_count=10), IssueFactory()
    assert operator.post(f"{API}/idle-pull-requests/{pull.pk}/reset").status_code == 200
    assert operator.post(f"{API}/issues/{issue.pk}/re-request").status_code == 200
    assert kept() == by_olga(
        "octo/tools#12: had its Idle Retries counted from 0 again, after 10",
        f"row {issue.pk} of github_issues: re-requested",
    )


def test_what_is_decided_about_merges_and_work_items_is_kept(operator):
    made = rows.one_of_each("fine")
    for status, act in (("pending", "approve"), ("approved", "reject"), ("failed", "retry")):
        path = f"{API}/merges/{made[status].pk}/{act}"
        assert operator.post(path, {"reason": "No."} if act == "reject" else {}).status_code == 200
    pending, cancelled = made["pending"].pk, made["cancelled"].pk
    assert operator.post(f"{API}/work-items/{pending}/cancel", {"reason": "No."}).status_code == 200
    assert operator.post(f"{API}/work-items/{cancelled}/retry").status_code == 200
    assert operator.post(f"{API}/merges/{made['done'].pk}/approve").status_code == 409
    assert kept() == by_olga(
        "octo/tools#1: merge approved",
        "octo/tools#2: merge rejected",
        "octo/tools#5: merge tried again",
        f"work item {pending}: cancelled it",
        f"work item {cancelled}: retried it",
    )


def test_a_merge_asked_for_is_kept(operator, github):
    InstallationFactory(installation_id=INSTALLATION, account_login="account-1")
    RepositoryFactory(
        github_id=REPOSITORY, owner_login="account-1", name="repository-1", installation_id=INSTALLATION
    )
    asked = {"repository": "account-1/repository-1", "number": 1}
    answer = operator.post(f"{API}/merges", asked, format="json")
    assert answer.status_code in {201, 202}, answer.content
    assert kept() == by_olga(f"account-1/repository-1#1: asked for its merge: {answer.data['outcome']}")


def test_what_is_done_to_workflow_runs_is_kept(operator, github):
    def run(pull: int) -> Any:
        number = github.changes.run_workflow(REPOSITORY, pull, conclusion="failure")
        where = {"repository_id": REPOSITORY, "installation_id": INSTALLATION}
        return workflow_run(workflow_run_id=number, **where)

    again, gone = run(1), run(2)
    assert operator.post(f"{API}/workflow-runs/{again.workflow_run_id}/retry").status_code == 202
    assert operator.put(f"{API}/github/workflow", {"sequence": again.pk}).status_code == 202
    assert operator.delete(f"{API}/github/workflow/{gone.pk}").status_code == 202
    assert kept() == by_olga(
        f"workflow run {again.workflow_run_id} of octo/tools: started it again: rerun-failed-jobs",
        f"workflow run {again.workflow_run_id} of octo/tools: read it from GitHub again",
        f"workflow run {gone.workflow_run_id} of octo/tools: deleted it at GitHub and here",
    )


def test_a_token_made_and_revoked_is_kept_without_its_key(caller):
    chief = caller("administrator", name="olga")
    made = chief.post(f"{API}/tokens", {"name": "night", "days": 7}).json()
    assert chief.delete(f"{API}/tokens/{made['sequence']}").status_code == 200
    assert kept() == by_olga("token night: made it for olga", "token night: revoked it")
    assert not any(made["key"] in line for line in kept())
    assert tokens.find(made["key"]) is None
    assert ApiToken.objects.get(name="night").revoked_at is not None


def test_what_is_read_and_a_workers_daily_work_is_not_kept(caller):
    PullRequestFactory(processing_state="NEW")
    caller("viewer").get(f"{API}/passes")
    caller("operator").post(f"{API}/pull-requests/claim", {"worker": "bot"})
    assert kept() == []


def test_every_endpoint_that_acts_keeps_it():
    """Whoever adds one writes down what it does (core.api.acts.note_act), or here why not."""
    acting = {call for call in calls() if call.method != "get" and needed(call) in {"operate", "admin"}}
    forgetful = {
        call.route.removeprefix("api/v1/").rstrip("/")
        for call in acting
        if not _names_of(getattr(call.view, call.method)) & {"note_act"}
    }
    assert forgetful == NO_ACTS


def _names_of(function: Any) -> set[str]:
    """Return the names that a function uses, and those of its module's functions that it calls."""
    names = set(
        function.__wrapped__.__code__.co_names
        if hasattr(function, "__wrapped__")
        else function.__code__.co_names
    )
    for name in set(names):
        found = function.__globals__.get(name)
        if getattr(found, "__module__", None) == function.__module__ and hasattr(found, "__code__"):
            names |= set(found.__code__.co_names)
    return names
