"""Workflow runs over the REST API: listed, started again as the installation of their row, read again, deleted."""

from __future__ import annotations

import logging
from datetime import timedelta

import pytest

from tests.api_data.runs import BY_SEQUENCE, RUNS
from tests.api_data.world import AT, workflow_run
from tests.factories import InstallationFactory, RepositoryFactory
from tests.github_app import INSTALLATION
from webhooks.decisions import RetryType, decide_retry
from webhooks.models import Installation, WorkflowRun

pytestmark = pytest.mark.django_db


# --- the decision --------------------------------------------------------------------------------------------

DECIDED = [
    ("completed", "failure", RetryType.RERUN_FAILED_JOBS),
    ("completed", "timed_out", RetryType.RERUN_FAILED_JOBS),
    ("completed", "cancelled", RetryType.RERUN),
    ("completed", "startup_failure", RetryType.RERUN),
    ("completed", "stale", RetryType.RERUN),
    ("completed", "success", None),
    ("completed", "skipped", None),
    ("completed", "neutral", None),
    ("completed", "action_required", None),
    ("completed", "a word of tomorrow", None),
    ("completed", None, None),
    ("in_progress", None, None),
    ("queued", "failure", None),
    ("", None, None),
]


@pytest.mark.parametrize("status,conclusion,how", DECIDED)
def test_how_a_run_is_started_again(status, conclusion, how):
    verdict = decide_retry(status, conclusion)
    assert verdict.how is how
    assert verdict.reason.endswith(".")


# --- the list ------------------------------------------------------------------------------------------------


def test_a_run_has_exactly_the_members_of_the_contract(ask):
    workflow_run()
    assert ask("workflow-runs/") == [
        {
            "owner": "octo",
            "repo": "tools",
            "workflow_run_id": 77,
            "name": "CI",
            "display_title": "Add a lamp",
            "run_number": 5,
            "run_attempt": 2,
            "event": "push",
            "status": "completed",
            "conclusion": "failure",
            "actor_login": "alice",
            "updated_at": "2026-03-01 23:30:00",
        }
    ]


def test_a_conclusion_that_is_not_there_stays_null_and_dates_follow_the_zone(ask):
    workflow_run(conclusion=None, status="in_progress")
    (item,) = ask("workflow-runs", X_Timezone="Europe/Berlin")
    assert (item["conclusion"], item["updated_at"]) == (None, "2026-03-02 00:30:00")


def test_f37_runs_are_listed_newest_first_each_on_one_page_and_escaped(caller):
    for number in range(1, 26):
        workflow_run(workflow_run_id=number, name="<svg/onload=1>", updated_at=AT)
    client, seen, url = caller("viewer"), [], f"{RUNS}?limit=10"
    while url:
        answer = client.get(url)
        seen += answer.json()
        workflow_run(workflow_run_id=1000 + len(seen))
        url = answer.headers.get("Link", "").partition(">")[0].removeprefix("<")
    assert [item["workflow_run_id"] for item in seen] == list(range(25, 0, -1))
    assert {item["name"] for item in seen} == {"&lt;svg/onload=1&gt;"}


# --- with GitHub ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "conclusion,how,message",
    [
        ("failure", "rerun-failed-jobs", "The failed jobs of the run are started again."),
        ("cancelled", "rerun", "All jobs of the run are started again."),
    ],
)
def test_a_retry_runs_what_is_needed(runs, conclusion, how, message):
    row = runs.stored(conclusion)
    answer = runs.retry(row)
    assert answer.status_code == 202
    assert answer.json() == {
        "message": message,
        "workflow_run_id": row.workflow_run_id,
        "retry_type": how,
    }
    assert runs.asked() == [("GET", ""), ("POST", how)]
    assert runs.github.state.workflow_runs[row.workflow_run_id].attempt == 2


def test_the_event_of_the_new_attempt_finds_the_row(runs):
    row = runs.stored()
    runs.retry(row)
    runs.github.hook.flush()
    row.refresh_from_db()
    assert (row.run_attempt, row.status, row.conclusion) == (2, "queued", None)


def test_a_retry_goes_by_what_github_says_now_and_notes_it(runs):
    row = runs.stored("failure")
    runs.github.state.workflow_runs[row.workflow_run_id].conclusion = "success"
    answer = runs.retry(row)
    assert answer.status_code == 409
    assert (answer.json()["code"], answer.json()["error"]) == (
        "not_retryable",
        "Nothing failed: the run ended as success.",
    )
    row.refresh_from_db()
    assert row.conclusion == "success"
    assert runs.asked() == [("GET", "")]


def test_a_retry_is_made_as_the_installation_of_the_row(runs):
    row = runs.stored(installation_id=INSTALLATION + 1)
    refused = runs.retry(row)
    assert refused.status_code == 422
    assert "Resource not accessible by integration" in refused.json()["error"]
    tokens = runs.github.requests(r"/app/installations/\d+/access_tokens")
    assert {one.path for one in tokens} == {f"/app/installations/{INSTALLATION + 1}/access_tokens"}


def test_a_row_without_an_installation_is_reached_through_its_repositorys(runs):
    RepositoryFactory(installation_id=INSTALLATION, owner_login="octo", name="tools")
    assert runs.retry(runs.stored(installation_id=None)).status_code == 202


def test_a_row_of_another_program_is_found_by_its_repositorys_name(runs):
    row = runs.stored(repository_id=None, repository_owner="account-1", repository_name="repository-1")
    assert runs.retry(row).status_code == 202


def test_a_run_that_no_installation_reaches_cannot_be_asked_about(runs):
    refused = runs.retry(runs.stored(installation_id=None))
    assert refused.status_code == 422
    assert refused.json()["error"] == "No installation of our App is known for octo/tools."


def test_a_run_that_is_starting_already_is_githubs_to_refuse(runs):
    row = runs.stored()
    runs.github.inject(
        ".*/rerun-failed-jobs", "status", status=403, message="This workflow is already running"
    )
    refused = runs.retry(row)
    assert refused.status_code == 422
    assert "already running" in refused.json()["error"]


@pytest.mark.parametrize(
    "path,kind,more",
    [
        (".*/rerun-failed-jobs", "status", {"status": 502}),
        (".*/actions/runs/.*", "status", {"status": 500}),
        (".*", "disconnect", {}),
        (".*/actions/runs/.*", "html", {}),
    ],
)
def test_github_out_of_order_is_502_with_an_error(runs, path, kind, more):
    row = runs.stored()
    runs.github.inject(path, kind, times=None, **more)
    refused = runs.retry(row)
    assert refused.status_code == 502
    assert refused.json()["error"] == refused.json()["detail"] != ""


def test_a_throttle_is_502_and_noted_for_everybody_elses_work(runs, clock):
    InstallationFactory(installation_id=INSTALLATION)
    row = runs.stored()
    runs.github.inject(".*/rerun-failed-jobs", "secondary_limit", seconds=90)
    refused = runs.retry(row)
    assert (refused.status_code, refused.json()["code"]) == (502, "secondary_rate_limit")
    until = Installation.objects.get().throttled_until
    assert 85 <= (until - clock.now).total_seconds() <= 91


def test_f10_while_a_limit_lasts_github_is_not_asked_again(runs, clock):
    InstallationFactory(installation_id=INSTALLATION, throttled_until=clock.now + timedelta(seconds=90))
    row = runs.stored()
    asked = len(runs.github.requests(".*"))
    refused = runs.retry(row)
    assert (refused.status_code, refused.json()["code"]) == (502, "known_rate_limit")
    assert len(runs.github.requests(".*")) == asked
    clock.shift(seconds=91)
    assert runs.retry(row).status_code != 502


def test_an_app_without_a_key_is_502_and_no_secret_is_shown(runs, settings, caplog):
    row = runs.stored()
    settings.GITHUB_APP_PRIVATE_KEY = "-----BEGIN RSA PRIVATE KEY-----\nnonsense"
    with caplog.at_level(logging.DEBUG):
        refused = runs.retry(row)
    assert (refused.status_code, refused.json()["code"]) == (502, "bad_private_key")
    assert "nonsense" not in refused.content.decode() + caplog.text


def test_f23_no_token_leaves_with_an_answer_or_a_log_line(runs, caplog):
    row = runs.stored()
    with caplog.at_level(logging.DEBUG):
        text = runs.retry(row).content.decode() + runs.retry(row).content.decode()
    for secret in ("ghs_", "x-access-token", "BEGIN RSA", "a secret for tests"):
        assert secret not in text + caplog.text


@pytest.mark.parametrize("call", ["post", "delete"])
def test_an_unknown_run_is_404_with_an_error(runs, call):
    path = f"{RUNS}/123456/retry" if call == "post" else f"{RUNS}/123456"
    refused = getattr(runs.client, call)(path)
    assert refused.status_code == 404
    assert refused.json()["error"] == "There is no such workflow run here."
    assert runs.github.requests() == []


def test_a_run_that_github_no_longer_has_is_404(runs):
    row = runs.stored()
    runs.github.state.workflow_runs.clear()
    assert runs.retry(row).json()["error"] == "GitHub no longer has this workflow run."


def test_a_run_is_deleted_at_github_and_here(runs):
    row = runs.stored()
    answer = runs.client.delete(f"{RUNS}/{row.workflow_run_id}/")
    assert (answer.status_code, answer.json()) == (200, {"message": "The run was deleted."})
    assert runs.github.state.workflow_runs == {}
    assert not WorkflowRun.objects.exists()


def test_a_delete_that_died_halfway_is_finished_by_the_next(runs):
    row = runs.stored()
    runs.github.state.workflow_runs.clear()
    assert runs.client.delete(f"{RUNS}/{row.workflow_run_id}").status_code == 200
    assert not WorkflowRun.objects.exists()


def test_a_run_that_github_will_not_delete_stays(runs):
    row = runs.stored("")
    refused = runs.client.delete(f"{RUNS}/{row.workflow_run_id}")
    assert refused.status_code == 422
    assert "not completed" in refused.json()["error"]
    assert WorkflowRun.objects.exists()


@pytest.mark.parametrize(
    "sent",
    [
        {},
        {"data": "null", "content_type": "application/json"},
        {"data": "a=b", "content_type": "application/x-www-form-urlencoded"},
        {"data": "<xml/>", "content_type": "text/xml"},
    ],
)
def test_a_retry_takes_any_body(runs, sent):
    assert runs.retry(runs.stored(), **sent).status_code == 202


def test_a_viewer_may_neither_start_nor_delete(runs, caller):
    row, viewer = runs.stored(), caller("viewer", name="someone")
    for refused in (
        viewer.post(f"{RUNS}/{row.workflow_run_id}/retry"),
        viewer.delete(f"{RUNS}/{row.workflow_run_id}"),
        viewer.post(BY_SEQUENCE, {"sequence": row.pk}, format="json"),
    ):
        assert refused.status_code == 403
        assert refused.json()["error"] == "This needs the permission operate."
    assert runs.asked() == []
