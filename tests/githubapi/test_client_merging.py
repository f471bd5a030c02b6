"""The merge call: GitHub's answers to it are told apart, and it goes out once."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from githubapi.client import InstallationClient
from githubapi.errors import Forbidden, Gone, Throttled, Transient
from githubapi.merging_values import MergeMethod, MergeOutcome
from sandbox.server import SandboxGithub, worlds
from sandbox.world import PullRequest
from tests.github_app import INSTALLATION, REPOSITORY, app_client

MERGE = f"/repositories/{REPOSITORY}/pulls/1/merge"


@pytest.fixture
def github() -> Iterator[SandboxGithub]:
    with SandboxGithub(worlds.regular(installations=2, repositories=1, pull_requests=3)) as running:
        yield running


@pytest.fixture
def client(github: SandboxGithub) -> Iterator[InstallationClient]:
    with app_client(github.url) as app:
        yield app.for_installation(INSTALLATION)


def pull(github: SandboxGithub, number: int = 1) -> PullRequest:
    found = github.state.things[REPOSITORY][number]
    assert isinstance(found, PullRequest)
    return found


def merge(github: SandboxGithub, client: InstallationClient, *, sha: str = "", method: str = "squash"):
    return client.merge_pull_request(REPOSITORY, 1, sha or pull(github).head_sha, MergeMethod(method))


def test_a_merge_is_done_once_with_the_head_and_the_method_that_were_meant(github, client):
    head = pull(github).head_sha
    answer = merge(github, client)
    assert (answer.outcome, len(answer.sha)) == (MergeOutcome.MERGED, 40)
    assert (pull(github).merged, pull(github).state) == (True, "closed")
    (sent,) = github.requests(MERGE, verb="PUT")
    assert json.loads(sent.sent) == {"sha": head, "merge_method": "squash"}


def test_f05_a_head_that_moved_is_not_merged(github, client):
    judged = pull(github).head_sha
    github.changes.push(REPOSITORY, 1)
    assert merge(github, client, sha=judged).outcome is MergeOutcome.HEAD_MOVED
    assert not pull(github).merged


@pytest.mark.parametrize(
    "prepare,outcome,words",
    [
        (lambda changes: changes.edit_pull_request(REPOSITORY, 1, draft=True), MergeOutcome.REFUSED, "draft"),
        (lambda changes: changes.judge(REPOSITORY, 1, False, "dirty"), MergeOutcome.REFUSED, "not mergeable"),
        (lambda changes: changes.demand(REPOSITORY, merge_queue=True), MergeOutcome.QUEUE_DEMANDED, "queue"),
        (
            lambda changes: changes.demand(REPOSITORY, methods=["merge"]),
            MergeOutcome.REFUSED,
            "Squash merges",
        ),
        (
            lambda changes: changes.demand(REPOSITORY, required=[["build", None]]),
            MergeOutcome.REFUSED,
            '"build" is expected',
        ),
        (lambda changes: changes.close_pull_request(REPOSITORY, 1), MergeOutcome.REFUSED, "not mergeable"),
    ],
)
def test_f24_each_refusal_comes_with_githubs_reason(github, client, prepare, outcome, words):
    prepare(github.changes)
    answer = merge(github, client)
    assert (answer.outcome, words in answer.message) == (outcome, True)
    assert not pull(github).merged


def test_a_base_that_moved_meanwhile_is_no_refusal_of_the_pull_request(github, client):
    words = "Base branch was modified. Review and try the merge again."
    github.inject(MERGE, "status", status=405, message=words)
    assert merge(github, client).outcome is MergeOutcome.BASE_MOVED


@pytest.mark.parametrize(
    "fault,error",
    [
        ({"status": 403, "message": "Resource not accessible by integration"}, Forbidden),
        ({"status": 404, "message": "Not Found"}, Gone),
        ({"status": 502}, Transient),
    ],
)
def test_what_is_no_verdict_on_the_pull_request_is_an_error(github, client, fault, error):
    github.inject(MERGE, "status", **fault)
    with pytest.raises(error):
        merge(github, client)


def test_f10_a_throttled_merge_says_when_to_try_again(github, client):
    github.inject(MERGE, "secondary_limit", seconds=90)
    with pytest.raises(Throttled) as caught:
        merge(github, client)
    assert caught.value.wait.total_seconds() == 90


def test_an_answer_that_is_lost_is_not_asked_for_again(github, client):
    """The merge has happened all the same: only reading it back tells."""
    github.inject(MERGE, "disconnect", times=None)
    with pytest.raises(Transient):
        merge(github, client)
    assert len(github.requests(MERGE, verb="PUT")) == 1
    assert client.pull_request(REPOSITORY, 1).merged
