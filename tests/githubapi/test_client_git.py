"""Git's own objects, own pull requests and jobs: answers that look alike are told apart."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from githubapi.client import InstallationClient
from githubapi.errors import Forbidden, Gone, Permanent, Transient
from githubapi.git_values import RefAnswer, RefOutcome, TreeWrite, blob_sha
from githubapi.job_values import Annotation
from githubapi.pull_values import NewPullRequest, OpenOutcome
from sandbox.server import SandboxGithub, worlds
from tests.github_app import INSTALLATION, REPOSITORY, app_client

REPO = f"/repositories/{REPOSITORY}"
NEW = NewPullRequest(title="Ours", body="Why", head="ours", base="main")


@pytest.fixture
def github() -> Iterator[SandboxGithub]:
    with SandboxGithub(worlds.regular(pull_requests=1)) as running:
        yield running


@pytest.fixture
def client(github: SandboxGithub) -> Iterator[InstallationClient]:
    with app_client(github.url) as app:
        yield app.for_installation(INSTALLATION)


def commit(client: InstallationClient, message: str = "A change", text: str = "x") -> str:
    """Store a commit upon the main branch."""
    base = client.branch_tip(REPOSITORY, "main") or ""
    tree = client.commit(REPOSITORY, base).tree_sha
    write = TreeWrite(path="new/file.txt", mode="100644", blob_sha=blob_sha(text.encode()), text=text)
    return client.write_commit(REPOSITORY, message, client.write_tree(REPOSITORY, tree, [write]), [base])


def test_a_blobs_id_is_the_one_that_git_gives_it(client):
    # `printf 'hello\n' | git hash-object --stdin`
    assert blob_sha(b"hello\n") == "ce013625030ba8dba906f756967f9e9ca394464a"
    assert client.write_blob(REPOSITORY, b"\xff\0") == blob_sha(b"\xff\0")


def test_a_branch_that_is_not_there_is_none_and_a_lost_installation_an_error(github, client):
    assert client.branch_tip(REPOSITORY, "none") is None
    github.changes.uninstall(INSTALLATION)
    with app_client(github.url) as app, pytest.raises(Gone):
        app.for_installation(INSTALLATION).branch_tip(REPOSITORY, "main")


@pytest.mark.parametrize("name", ["feature/a#1%2Fb+c", "日本", "refs/heads/x"])
def test_f38_a_branch_is_found_by_exactly_its_name(github, client, name):
    sha = commit(client)
    assert client.create_branch(REPOSITORY, name, sha) == RefAnswer(RefOutcome.DONE)
    assert github.state.branches[REPOSITORY][name] == sha == client.branch_tip(REPOSITORY, name)
    further = client.write_commit(REPOSITORY, "Next", client.commit(REPOSITORY, sha).tree_sha, [sha])
    assert client.forward_branch(REPOSITORY, name, further).outcome is RefOutcome.DONE
    assert github.state.branches[REPOSITORY][name] == further


def test_a_tree_is_read_directory_by_directory(client):
    tip = client.branch_tip(REPOSITORY, "main") or ""
    root = {
        entry.name: entry for entry in client.directory(REPOSITORY, client.commit(REPOSITORY, tip).tree_sha)
    }
    assert {name: entry.kind for name, entry in root.items()}["src"] == "tree"
    (lamp,) = client.directory(REPOSITORY, root["src"].sha)
    assert (lamp.name, lamp.kind) == ("lamp", "tree")
    (script,) = client.directory(REPOSITORY, root["tools"].sha)
    assert (script.mode, script.sha) == ("100755", blob_sha(b"#!/bin/sh\nexit 0\n"))


def test_f12_a_directory_that_is_cut_short_is_an_error(github, client):
    github.inject(".*/git/trees/.*", "body", text=json.dumps({"sha": "x", "tree": [], "truncated": True}))
    with pytest.raises(Permanent, match="too large"):
        client.directory(REPOSITORY, "a" * 40)


def test_a_branch_moves_forward_only(github, client):
    first, other = commit(client, text="1"), commit(client, text="2")
    client.create_branch(REPOSITORY, "ours", first)
    answer = client.forward_branch(REPOSITORY, "ours", other)
    assert (answer.outcome, answer.message) == (RefOutcome.NOT_FAST_FORWARD, "Update is not a fast forward")
    assert github.state.branches[REPOSITORY]["ours"] == first
    assert json.loads(github.requests(".*/git/refs/heads/.*", verb="PATCH")[0].sent)["force"] is False


def test_the_refusals_of_a_branch_are_told_apart(client):
    sha = commit(client)
    assert client.create_branch(REPOSITORY, "main", sha).outcome is RefOutcome.EXISTS
    assert client.forward_branch(REPOSITORY, "none", sha).outcome is RefOutcome.GONE
    assert client.create_branch(REPOSITORY, "ours", "f" * 40).outcome is RefOutcome.REFUSED


def test_the_app_itself_being_refused_is_an_error(github, client):
    sha = commit(client)
    message = "Resource not accessible by integration"
    github.inject(".*/git/refs", "status", verb="POST", status=403, message=message)
    with pytest.raises(Forbidden):
        client.create_branch(REPOSITORY, "ours", sha)


def test_a_pull_request_is_opened_once_and_found_again(github, client):
    client.create_branch(REPOSITORY, "ours", commit(client))
    assert client.pull_requests_of(REPOSITORY, "account-1", "ours") == []
    opened = client.open_pull_request(REPOSITORY, NEW)
    assert opened.outcome is OpenOutcome.OPENED
    assert [pull.number for pull in client.pull_requests_of(REPOSITORY, "account-1", "ours")] == [
        opened.number
    ]
    again = client.open_pull_request(REPOSITORY, NEW)
    assert (again.outcome, again.number) == (OpenOutcome.EXISTS, 0)
    assert again.message == "Validation Failed; A pull request already exists for account-1:ours."


def test_nothing_to_merge_and_a_wrong_base_are_told_apart(client):
    client.create_branch(REPOSITORY, "ours", commit(client))
    main = client.branch_tip(REPOSITORY, "main") or ""
    client.create_branch(REPOSITORY, "empty", client.write_commit(REPOSITORY, "x", _tree(client, main), []))
    wrong = NewPullRequest(title="x", body="", head="ours", base="none")
    assert client.open_pull_request(REPOSITORY, wrong).outcome is OpenOutcome.REFUSED
    same = NewPullRequest(title="x", body="", head="main", base="main")
    assert client.open_pull_request(REPOSITORY, same).outcome is OpenOutcome.NO_COMMITS


def _tree(client: InstallationClient, sha: str) -> str:
    return client.commit(REPOSITORY, sha).tree_sha


def test_a_filter_that_github_ignores_hides_nothing(github, client):
    """GitHub answers a head that it cannot read with every pull request there is."""
    client.create_branch(REPOSITORY, "ours", commit(client))
    assert client.pull_requests_of(REPOSITORY, "", "ours") == []
    assert len(github.state.things[REPOSITORY]) == 1


def test_an_opening_is_sent_once(github, client):
    client.create_branch(REPOSITORY, "ours", commit(client))
    github.inject(f"{REPO}/pulls", "disconnect", verb="POST")
    with pytest.raises(Transient):
        client.open_pull_request(REPOSITORY, NEW)
    assert len(github.requests(f"{REPO}/pulls", verb="POST")) == 1


def test_text_labels_and_closing(github, client):
    client.create_branch(REPOSITORY, "ours", commit(client))
    number = client.open_pull_request(REPOSITORY, NEW).number
    client.edit_pull_request(REPOSITORY, number, {"title": "Better", "body": "Because"})
    client.add_labels(REPOSITORY, number, ["a", "b"])
    seen = client.own_pull_request(REPOSITORY, number)
    assert (seen.detail.facts.title, seen.body, seen.detail.labels) == ("Better", "Because", ("a", "b"))
    assert client.changed_files(REPOSITORY, "main", "ours") == 1
    client.close_pull_request(REPOSITORY, number)
    facts = client.own_pull_request(REPOSITORY, number).detail.facts
    assert (facts.state, facts.merged) == ("closed", False)


def test_a_pull_request_without_text_has_an_empty_one(client):
    assert client.own_pull_request(REPOSITORY, 1).body == ""


def test_the_jobs_of_a_run_come_complete_with_what_their_runners_say(github, client):
    run_id = github.changes.run_workflow(REPOSITORY, 1)
    for number in range(13):
        github.changes.fail_job(run_id, says=f"Lost {number}.", step="Checkout")
    jobs = client.jobs(REPOSITORY, run_id)
    assert (len(jobs), jobs[0].conclusion, jobs[0].steps[1].name) == (13, "failure", "Checkout")
    assert client.annotations(REPOSITORY, jobs[12].id) == (
        Annotation(level="failure", title="", message="Lost 12."),
    )
    github.inject(".*/jobs", "empty", page=2, times=None)
    with pytest.raises(Transient):
        client.jobs(REPOSITORY, run_id)
