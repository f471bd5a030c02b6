"""What a bot asks of a pull request, and what it writes: answers that look alike are told apart."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace

import pytest

from githubapi.client import InstallationClient
from githubapi.errors import Forbidden, GithubError, Gone, Moved, Suspended, Throttled, Transient
from githubapi.values import BranchUpdate, Comparison, UpdateOutcome
from sandbox.server import SandboxGithub, worlds
from sandbox.world import PullRequest
from tests.github_app import INSTALLATION, REPOSITORY, app_client

PULL = f"/repositories/{REPOSITORY}/pulls/1"
UPDATE = f"{PULL}/update-branch"


@pytest.fixture
def github() -> Iterator[SandboxGithub]:
    with SandboxGithub(worlds.regular(installations=2, repositories=1, pull_requests=3, issues=1)) as running:
        yield running


@pytest.fixture
def client(github: SandboxGithub) -> Iterator[InstallationClient]:
    with app_client(github.url) as app:
        yield app.for_installation(INSTALLATION)


def head(github: SandboxGithub, number: int = 1) -> str:
    pull = github.state.things[REPOSITORY][number]
    assert isinstance(pull, PullRequest)
    return pull.head_sha


# --- reads -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("mergeable,word", [(True, "clean"), (False, "dirty"), (None, "unknown")])
def test_f14_whether_it_can_be_merged_has_three_answers(github, client, mergeable, word):
    github.changes.judge(REPOSITORY, 1, mergeable, word)
    detail = client.pull_request_detail(REPOSITORY, 1)
    assert (detail.mergeable, detail.mergeable_state, detail.facts.number) == (mergeable, word, 1)


def test_a_comparison_says_how_far_behind(github, client):
    assert client.compare(REPOSITORY, "main", head(github)) == Comparison(ahead_by=1, behind_by=0)
    github.changes.move_base(REPOSITORY)
    github.changes.move_base(REPOSITORY)
    assert client.compare(REPOSITORY, "main", head(github)) == Comparison(ahead_by=1, behind_by=2)


def test_a_base_with_slashes_and_percent_signs_is_one_name(github, client):
    client.compare(REPOSITORY, "release/1%2", head(github))
    (asked,) = github.requests(".*/compare/.*")
    assert asked.path.endswith(f"/compare/release%2F1%252...{head(github)}")


def test_f02_checks_are_read_from_both_systems_and_from_every_page(github, client):
    for number in range(35):
        github.changes.finish_check(
            REPOSITORY, 1, "failure" if number == 34 else "success", name=f"check {number:02}"
        )
    github.changes.start_check(REPOSITORY, 1, name="slow")
    github.changes.set_status(REPOSITORY, 1, "pending")
    found = client.head_checks(REPOSITORY, head(github))
    assert len(found.runs) == 36
    assert [run.name for run in found.runs if run.conclusion == "failure"] == ["check 34"]
    assert [(run.status, run.conclusion) for run in found.runs if run.name == "slow"] == [
        ("in_progress", None)
    ]
    assert [(status.context, status.state) for status in found.statuses] == [("ci/build", "pending")]


def test_f01_a_head_without_any_check_has_none(github, client):
    found = client.head_checks(REPOSITORY, head(github))
    assert (found.runs, found.statuses) == ((), ())


@pytest.mark.parametrize("part", ["check-runs", "status"])
def test_f12_checks_come_complete_or_not_at_all(github, client, part):
    for number in range(15):
        github.changes.finish_check(REPOSITORY, 1, "success", name=f"check {number}")
        github.changes.set_status(REPOSITORY, 1, "success", context=f"context {number}")
    github.inject(f".*/{part}", "empty", page=2, times=None)
    with pytest.raises(Transient):
        client.head_checks(REPOSITORY, head(github))


@pytest.mark.parametrize("permission", ["admin", "write", "read"])
def test_a_permission_is_githubs_word(github, client, permission):
    github.changes.permit(REPOSITORY, "Mira", permission)
    assert client.permission(REPOSITORY, "mira") == permission


def test_a_stranger_may_nothing_and_a_gone_installation_is_no_stranger(github, client):
    assert client.permission(REPOSITORY, "dependabot[bot]") == "none"
    github.changes.uninstall(INSTALLATION)
    with app_client(github.url) as app, pytest.raises(Gone) as caught:
        app.for_installation(INSTALLATION).permission(REPOSITORY, "mira")
    assert caught.value.reason == "no_installation"


def test_a_repository_is_found_by_its_old_name(github, client):
    github.changes.rename_repository(REPOSITORY, "renamed")
    found = client.repository_named("account-1", "repository-1")
    assert (found.id, found.name) == (REPOSITORY, "renamed")


# --- a branch update -------------------------------------------------------------------------------------


def test_f05_an_update_names_the_head_it_means(github, client):
    github.changes.move_base(REPOSITORY)
    before = head(github)
    assert client.update_branch(REPOSITORY, 1, before) == BranchUpdate(UpdateOutcome.ACCEPTED)
    (sent,) = github.requests(UPDATE)
    assert json.loads(sent.sent) == {"expected_head_sha": before}
    assert head(github) != before


def test_f24_an_update_has_four_outcomes(github, client):
    assert client.update_branch(REPOSITORY, 1, head(github)).outcome is UpdateOutcome.NOTHING_TO_UPDATE
    github.changes.move_base(REPOSITORY)
    assert client.update_branch(REPOSITORY, 1, "0" * 40).outcome is UpdateOutcome.HEAD_MOVED
    github.changes.judge(REPOSITORY, 1, False, "dirty")
    refused = client.update_branch(REPOSITORY, 1, head(github))
    assert refused == BranchUpdate(UpdateOutcome.REFUSED, "merge conflict between base and head")
    github.inject(UPDATE, "status", status=403, message="The fork does not allow it")
    refused = client.update_branch(REPOSITORY, 1, head(github))
    assert refused == BranchUpdate(UpdateOutcome.REFUSED, "The fork does not allow it")


def test_an_archived_repository_refuses(github, client):
    github.changes.move_base(REPOSITORY)
    github.changes.archive_repository(REPOSITORY)
    assert client.update_branch(REPOSITORY, 1, head(github)).outcome is UpdateOutcome.REFUSED


@pytest.mark.parametrize(
    "details,error",
    [
        ({"status": 403, "message": "Resource not accessible by integration"}, Forbidden),
        ({"status": 403, "message": "This installation has been suspended"}, Suspended),
        ({"status": 403, "message": "You have exceeded a secondary rate limit."}, Throttled),
        ({"status": 404, "message": "Not Found"}, Gone),
        ({"status": 502, "message": ""}, Transient),
    ],
)
def test_f10_f24_what_is_no_verdict_on_the_branch_is_an_error(github, client, details, error):
    github.inject(UPDATE, "status", **details)
    with pytest.raises(error):
        client.update_branch(REPOSITORY, 1, head(github))


@pytest.mark.parametrize("kind", ["disconnect", "html", "redirect"])
def test_no_write_is_sent_twice_or_elsewhere(github, client, kind):
    calls = [
        lambda: client.update_branch(REPOSITORY, 1, head(github)),
        lambda: client.edit_title(REPOSITORY, 1, "New"),
        lambda: client.remove_label(REPOSITORY, 1, "bug"),
        lambda: client.comment(REPOSITORY, 1, "Hello"),
        lambda: client.react(REPOSITORY, 7, "+1"),
    ]
    more = {"location": "/elsewhere"} if kind == "redirect" else {}
    github.inject(f"/repositories/{REPOSITORY}/.*", kind, times=None, **more)
    for call in calls:
        if kind == "html":
            call()  # a 200 whose body nobody reads
            continue
        with pytest.raises((Moved, GithubError)):
            call()
    written = [one for one in github.log if one.verb != "GET" and "access_tokens" not in one.path]
    assert len(written) == len(calls)


# --- the other writes ------------------------------------------------------------------------------------


def test_a_title_is_edited(github, client):
    client.edit_title(REPOSITORY, 1, "Ünïcode 🚀")
    assert client.pull_request(REPOSITORY, 1).title == "Ünïcode 🚀"


def test_a_label_is_removed_and_one_that_is_not_there_is_no_error(github, client):
    github.state.add_thing(replace(github.state.things[REPOSITORY][1], labels=("in work/next", "bug")))
    assert client.remove_label(REPOSITORY, 1, "in work/next") is True
    assert client.remove_label(REPOSITORY, 1, "in work/next") is False
    assert client.pull_request_detail(REPOSITORY, 1).labels == ("bug",)


def test_a_comment_is_written_and_only_the_first_reaction_is_new(github, client):
    comment_id = github.changes.comment(REPOSITORY, 1, "What now?", by="mira")
    assert client.react(REPOSITORY, comment_id, "eyes") is True
    assert client.react(REPOSITORY, comment_id, "eyes") is False
    assert client.react(REPOSITORY, comment_id, "+1") is True
    client.comment(REPOSITORY, 1, "This.")
    assert [one.text for one in github.state.comments.values()] == ["What now?", "This."]


def test_nothing_is_written_to_another_accounts_repository(github):
    with app_client(github.url) as app, pytest.raises(Forbidden):
        app.for_installation(INSTALLATION + 1).edit_title(REPOSITORY, 1, "Mine")
