"""Its deliveries: signed, recorded, repeated."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from githubapi.protocol import verify_signature
from sandbox.server import SandboxGithub, worlds
from tests.github_app import INSTALLATION, REPOSITORY
from tests.sandbox.caller import Caller

SECRET = "the hook's secret"
PULLS = f"/repositories/{REPOSITORY}/pulls"


@pytest.fixture
def github() -> Iterator[SandboxGithub]:
    state = worlds.regular(installations=2, repositories=2, pull_requests=12, issues=3)
    with SandboxGithub(state, secret="the hook's secret") as running:
        yield running


@pytest.fixture
def ask(github: SandboxGithub) -> Iterator[Caller]:
    caller = Caller(github.url)
    yield caller
    caller.connection.close()


class Inbox:
    def __init__(self) -> None:
        self.got: list[tuple[str, dict[str, Any]]] = []
        self.status = 202

    def __call__(self, headers, body):
        verify_signature(body, headers, [SECRET])
        self.got.append((headers["X-GitHub-Event"], json.loads(body)))
        return self.status


def test_every_change_is_delivered_signed_before_it_returns(github):
    inbox = Inbox()
    github.deliver_to(inbox)
    made = github.changes.open_pull_request(REPOSITORY, "New")
    github.changes.push(REPOSITORY, made.number, by="someone")
    github.changes.close_pull_request(REPOSITORY, made.number, merged=True)
    github.changes.close_issue(REPOSITORY, 13)
    github.changes.create_branch(REPOSITORY, "b")
    github.changes.delete_branch(REPOSITORY, "b")
    github.changes.transfer_repository(REPOSITORY, "another")
    github.changes.suspend(INSTALLATION + 1)
    said = [(event, body.get("action")) for event, body in inbox.got]
    assert said == [
        ("pull_request", "opened"),
        ("pull_request", "synchronize"),
        ("pull_request", "closed"),
        ("issues", "closed"),
        ("create", None),
        ("push", None),
        ("delete", None),
        ("push", None),
        ("repository", "transferred"),
        ("installation", "suspend"),
    ]
    assert inbox.got[1][1]["sender"]["login"] == "someone"
    assert inbox.got[2][1]["pull_request"]["merged"] is True
    assert inbox.got[-2][1]["repository"]["full_name"] == "another/repository-1"
    assert "installation" not in inbox.got[-2][1]
    assert len(github.hook.attempts) == len(said)


def test_what_a_change_says_is_what_is_answered_afterwards(github, ask):
    ask.become(INSTALLATION)
    inbox = Inbox()
    github.deliver_to(inbox)
    github.changes.edit_pull_request(REPOSITORY, 1, title="Edited", auto_merge=True)
    # Whether it can be merged is worked out when somebody asks: an Event does not say.
    unsaid = {"mergeable": None, "mergeable_state": "unknown"}
    assert ask(f"{PULLS}/1")[1] | unsaid == inbox.got[0][1]["pull_request"]


def test_without_a_receiver_a_delivery_is_lost_for_good(github):
    github.changes.open_issue(REPOSITORY, "Lost")
    assert github.hook.attempts == {}


def test_a_held_hook_delivers_in_order_when_it_is_flushed(github, ask):
    inbox = Inbox()
    github.deliver_to(inbox)
    github.hook.held = True
    github.changes.open_issue(REPOSITORY, "One")
    github.changes.open_issue(REPOSITORY, "Two")
    ask("/app")
    assert inbox.got == []
    github.hook.flush()
    assert [body["issue"]["title"] for _, body in inbox.got] == ["One", "Two"]


def test_a_redelivery_is_a_second_attempt_under_the_first_guid(github, ask):
    inbox = Inbox()
    inbox.status = 500
    github.deliver_to(inbox)
    github.changes.open_issue(REPOSITORY, "One")
    (first,) = ask("/app/hook/deliveries")[1]
    assert (first["status_code"], first["redelivery"]) == (500, False)
    inbox.status = 202
    assert ask(f"/app/hook/deliveries/{first['id']}/attempts", "POST")[0] == 202
    second, _ = ask("/app/hook/deliveries")[1]
    assert (second["status_code"], second["redelivery"], second["guid"]) == (202, True, first["guid"])
    assert inbox.got[0] == inbox.got[1]


def test_deliveries_are_paged_by_a_cursor(github, ask):
    github.deliver_to(lambda headers, body: 202)
    for number in range(5):
        github.changes.open_issue(REPOSITORY, str(number))
    found, path = [], "/app/hook/deliveries?per_page=2"
    while path:
        found += [one["id"] for one in ask(path)[1]]
        link = ask.headers.get("link", "")
        path = link[1 : link.index(">")].removeprefix(github.url) if link else ""
    assert found == sorted(github.hook.attempts, reverse=True)
