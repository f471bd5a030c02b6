"""From GitHub's JSON to values: what may be null is, what must not be is refused."""

from __future__ import annotations

from dataclasses import FrozenInstanceError, replace
from datetime import UTC, datetime

import pytest

from githubapi.client import reading
from githubapi.errors import Transient
from githubapi.values import GHOST
from sandbox import pulls, resources
from sandbox.server import SandboxGithub, answers, worlds
from sandbox.world import PullRequest
from tests.github_app import INSTALLATION, REPOSITORY, app_client

STATE = worlds.regular(pull_requests=11, issues=2)
PULL = next(iter(STATE.pull_requests_of(REPOSITORY)))
assert isinstance(PULL, PullRequest)


def test_every_fact_of_a_pull_request_is_read():
    pull = replace(PULL, title="Ünïcode 🚀", draft=True, auto_merge=True, state="closed", merged=True)
    facts = reading.item(reading.pull_request, pulls.pull_request(pull))
    assert (facts.id, facts.number, facts.node_id) == (pull.id, pull.number, pull.node_id)
    assert (facts.title, facts.draft, facts.auto_merge_enabled) == ("Ünïcode 🚀", True, True)
    assert (facts.state, facts.merged, facts.closed_at) == ("closed", True, pull.updated_at)
    assert (facts.head_ref, facts.head_sha) == (pull.head_ref, pull.head_sha)
    assert (facts.base_ref, facts.base_sha) == ("main", pull.base_sha)
    assert (facts.repository_id, facts.head_repository_id) == (REPOSITORY, REPOSITORY)
    assert facts.updated_at == pull.updated_at
    assert facts.updated_at.tzinfo is not None


def test_the_short_form_of_a_listing_says_the_same():
    for pull in STATE.pull_requests_of(REPOSITORY):
        short = reading.item(reading.pull_request, pulls.short_pull_request(pull))
        assert short == reading.item(reading.pull_request, pulls.pull_request(pull))


def test_f13_a_deleted_fork_and_a_deleted_author_are_normal():
    gone = replace(PULL, fork_deleted=True, author=None)
    facts = reading.item(reading.pull_request, pulls.short_pull_request(gone))
    assert (facts.head_repository_id, facts.author_login) == (None, GHOST)
    issue = {**pulls.issue(gone), "user": None}
    assert reading.item(reading.issue, issue).author_login == GHOST


def test_an_installation_of_a_deleted_account_keeps_its_target():
    data = {**resources.installation(STATE.installations[INSTALLATION]), "account": None}
    facts = reading.item(reading.installation, data)
    assert (facts.account_id, facts.account_login, facts.account_type) == (600_001, GHOST, "Organization")


def test_an_enterprise_is_named_by_its_slug():
    data = resources.installation(STATE.installations[INSTALLATION])
    account = {"id": 5, "slug": "the-enterprise", "node_id": "E_5"}
    facts = reading.item(reading.installation, {**data, "account": account, "target_type": "Enterprise"})
    assert (facts.account_login, facts.account_type) == ("the-enterprise", "Enterprise")


@pytest.mark.parametrize(
    "member,value",
    [
        ("id", "7"),
        ("id", True),
        ("id", None),
        ("number", 1.5),
        ("title", None),
        ("state", "merged"),
        ("draft", "no"),
        ("head", None),
        ("base", {"ref": "main", "sha": "aaa", "repo": None}),
        ("updated_at", "yesterday"),
        ("updated_at", "2026-03-04T09:00:00"),
        ("user", {"login": None}),
    ],
)
def test_a_member_that_is_not_as_documented_is_refused(member, value):
    with pytest.raises(Transient) as caught:
        reading.item(reading.pull_request, {**pulls.pull_request(PULL), member: value})
    assert caught.value.reason == "malformed_answer"


@pytest.mark.parametrize(
    "member", ["id", "node_id", "number", "title", "state", "head", "base", "user", "merged_at"]
)
def test_a_missing_member_is_named(member):
    data = pulls.pull_request(PULL)
    del data[member]
    with pytest.raises(Transient, match=member):
        reading.item(reading.pull_request, data)


@pytest.mark.parametrize("data", [None, [], "text", 7])
def test_what_is_no_object_is_refused(data):
    with pytest.raises(Transient):
        reading.item(reading.repository, data)


def test_facts_cannot_be_changed():
    facts = reading.item(reading.repository, answers.repository(STATE.repositories[REPOSITORY], STATE))
    with pytest.raises(FrozenInstanceError):
        facts.name = "another"  # type: ignore[misc]


@pytest.mark.parametrize("name", ["feature/a#1%2Fb+c", "機能/単位", "refs/heads/x", "with space", "a?b&c=d"])
def test_f38_a_branch_of_any_name_is_found_by_it(name):
    with SandboxGithub(worlds.regular()) as github, app_client(github.url) as app:
        github.changes.create_branch(REPOSITORY, name)
        client = app.for_installation(INSTALLATION)
        assert client.branch(REPOSITORY, name).name == name
        assert name in {branch.name for branch in client.branches(REPOSITORY)}


def test_open_issues_are_without_the_pull_requests_that_github_lists_among_them():
    with SandboxGithub(STATE) as github, app_client(github.url) as app:
        client = app.for_installation(INSTALLATION)
        assert [issue.number for issue in client.open_issues(REPOSITORY)] == [12, 13]
        assert client.issue(REPOSITORY, 1).is_pull_request
        assert not client.issue(REPOSITORY, 12).is_pull_request


def test_a_repository_is_read_with_its_owner():
    with SandboxGithub(STATE) as github, app_client(github.url) as app:
        facts = app.for_installation(INSTALLATION).repository(REPOSITORY)
    assert (facts.owner_id, facts.owner_login, facts.default_branch) == (600_001, "account-1", "main")
    assert facts.updated_at == datetime(2024, 2, 29, 9, 30, tzinfo=UTC)
