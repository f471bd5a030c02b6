"""Workflow runs at GitHub: read, started again, deleted."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from githubapi.client import InstallationClient
from githubapi.errors import Forbidden, Gone, Transient
from sandbox.server import SandboxGithub, store, worlds
from tests.github_app import INSTALLATION, REPOSITORY, app_client


@pytest.fixture
def github() -> Iterator[SandboxGithub]:
    with SandboxGithub(worlds.regular(installations=2, repositories=1, pull_requests=2)) as running:
        yield running


@pytest.fixture
def client(github: SandboxGithub) -> Iterator[InstallationClient]:
    with app_client(github.url) as app:
        yield app.for_installation(INSTALLATION)


@pytest.mark.parametrize(
    "conclusion,status,read", [("failure", "completed", "failure"), ("", "in_progress", None)]
)
def test_a_run_is_read_as_it_stands(github, client, conclusion, status, read):
    run_id = github.changes.run_workflow(REPOSITORY, 1, name="Build", conclusion=conclusion)
    facts = client.workflow_run(REPOSITORY, run_id)
    assert (facts.id, facts.name, facts.status, facts.conclusion) == (run_id, "Build", status, read)
    assert (facts.run_attempt, facts.event) == (1, "pull_request")


def test_a_run_may_lack_a_name_a_branch_an_actor_and_a_status(github, client):
    run_id = github.changes.run_workflow(REPOSITORY, 1)
    members = {
        "id": run_id,
        "display_title": "t",
        "run_number": 1,
        "event": "push",
        "head_sha": "a" * 40,
        "html_url": "https://github.com/o/r/actions/runs/1",
        "updated_at": "2026-03-01T00:00:00Z",
    }
    nulls = dict.fromkeys(("name", "status", "conclusion", "head_branch", "actor"))
    github.inject(f".*/runs/{run_id}", "body", text=json.dumps(members | nulls))
    facts = client.workflow_run(REPOSITORY, run_id)
    assert (facts.name, facts.status, facts.conclusion, facts.head_branch, facts.actor_login) == (
        "",
        "",
        None,
        "",
        "ghost",
    )


@pytest.mark.parametrize("again", ["rerun_workflow", "rerun_failed_jobs"])
def test_a_failed_run_starts_again_once_and_not_while_it_runs(github, client, again):
    run_id = github.changes.run_workflow(REPOSITORY, 1, conclusion="failure")
    getattr(client, again)(REPOSITORY, run_id)
    facts = client.workflow_run(REPOSITORY, run_id)
    assert (facts.status, facts.conclusion, facts.run_attempt) == ("in_progress", None, 2)
    with pytest.raises(Forbidden, match="already running"):
        getattr(client, again)(REPOSITORY, run_id)


def test_a_rerun_is_sent_once_even_if_github_fails(github, client):
    run_id = github.changes.run_workflow(REPOSITORY, 1, conclusion="failure")
    github.inject(".*/rerun", "status", status=502, times=None)
    with pytest.raises(Transient):
        client.rerun_workflow(REPOSITORY, run_id)
    assert len(github.requests(".*/rerun")) == 1


def test_a_deleted_run_is_gone_and_may_be_deleted_again(github, client):
    run_id = github.changes.run_workflow(REPOSITORY, 1, conclusion="success")
    assert client.delete_workflow_run(REPOSITORY, run_id) is True
    assert client.delete_workflow_run(REPOSITORY, run_id) is False
    with pytest.raises(Gone):
        client.workflow_run(REPOSITORY, run_id)


def test_a_gone_installation_is_no_deleted_run(github):
    run_id = github.changes.run_workflow(REPOSITORY, 1, conclusion="success")
    github.changes.uninstall(INSTALLATION)
    with app_client(github.url) as app, pytest.raises(Gone) as caught:
        app.for_installation(INSTALLATION).delete_workflow_run(REPOSITORY, run_id)
    assert caught.value.reason == "no_installation"


def test_another_installation_may_read_a_public_run_and_not_start_it(github):
    run_id = github.changes.run_workflow(REPOSITORY, 1, conclusion="failure")
    with app_client(github.url) as app:
        other = app.for_installation(INSTALLATION + 1)
        assert other.workflow_run(REPOSITORY, run_id).id == run_id
        with pytest.raises(Forbidden):
            other.rerun_workflow(REPOSITORY, run_id)


def test_runs_outlive_the_sandboxs_process(github):

    run_id = github.changes.run_workflow(REPOSITORY, 1, conclusion="failure")
    assert store.read(store.plain(github.state)).workflow_runs == github.state.workflow_runs
    assert run_id in github.state.workflow_runs
