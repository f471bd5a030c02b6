"""GitHub promises no order: a short life ends in the same rows however it is told (field case F03)."""

from __future__ import annotations

import itertools
from dataclasses import replace
from typing import Any

import pytest

from sandbox import payloads
from tests.webhooks.hook import ALICE, ISSUE, TOOLS, Hook, at, pull
from webhooks.models import Branch, Issue, PullRequest, Repository

PullLife = list[tuple[str, dict[str, Any]]]


def pull_event(action: str, second: int, **facts: Any) -> tuple[str, dict[str, Any]]:
    return "pull_request", payloads.pull_request(action, pull(updated_at=at(second), **facts), ALICE)


def issue_event(action: str, second: int, **facts: Any) -> tuple[str, dict[str, Any]]:
    return "issues", payloads.issues(action, replace(ISSUE, updated_at=at(second), **facts), ALICE)


def review(second: int, **facts: Any) -> tuple[str, dict[str, Any]]:
    payload = payloads.pull_request_review("submitted", pull(updated_at=at(second), **facts), ALICE)
    return "pull_request_review", payload


MERGED = {"head_sha": "b" * 40, "title": "Better"}
PULL_LIVES: dict[str, PullLife] = {
    "merged": [
        pull_event("opened", 0),
        pull_event("synchronize", 5, head_sha="b" * 40),
        pull_event("edited", 9, **MERGED),
        pull_event("closed", 20, state="closed", merged=True, **MERGED),
    ],
    "closed and reopened": [
        pull_event("opened", 0),
        pull_event("closed", 5, state="closed"),
        pull_event("reopened", 60),
        pull_event("labeled", 61, labels=("bug",)),
    ],
    "merged within a second": [
        pull_event("opened", 0),
        pull_event("synchronize", 7, head_sha="b" * 40),
        pull_event("closed", 7, state="closed", merged=True, head_sha="b" * 40),
    ],
    "reviewed and merged": [
        pull_event("opened", 0),
        review(4),
        pull_event("closed", 9, state="closed", merged=True),
    ],
    "closed within a second": [
        pull_event("opened", 3),
        pull_event("closed", 3, state="closed"),
    ],
}
FACTS = (
    "state",
    "merged",
    "title",
    "head_sha",
    "ref",
    "draft",
    "number",
    "github_updated_at",
    "idle_retry_count",
)


@pytest.mark.parametrize("name", PULL_LIVES)
def test_f03_a_pull_requests_life_told_in_any_order_ends_in_the_same_row(hook: Hook, name: str) -> None:
    ends = set()
    for order in itertools.permutations(PULL_LIVES[name]):
        PullRequest.objects.all().delete()
        for event, payload in order:
            assert hook.send(event, payload).status_code == 202
        row = PullRequest.objects.get()
        ends.add(tuple(getattr(row, fact) for fact in FACTS))
        assert row.processing_state == "NEW"
    assert len(ends) == 1, ends


ISSUE_LIVES = {
    "closed in the end": [
        issue_event("opened", 0),
        issue_event("edited", 5, title="Better"),
        issue_event("closed", 9, title="Better", state="closed"),
    ],
    "labelled and closed within a second": [
        issue_event("opened", 0, title="Better"),
        issue_event("labeled", 9, title="Better"),
        issue_event("closed", 9, title="Better", state="closed"),
    ],
}


@pytest.mark.parametrize("name", ISSUE_LIVES)
def test_f03_an_issues_life_told_in_any_order_ends_in_the_same_row(hook: Hook, name: str) -> None:
    for order in itertools.permutations(ISSUE_LIVES[name]):
        Issue.objects.all().delete()
        for event, payload in order:
            assert hook.send(event, payload).status_code == 202
        row = Issue.objects.get()
        assert (row.title, row.state, row.github_updated_at) == ("Better", "CLOSED", at(9))


def test_a_repositorys_life_told_in_any_order_ends_deleted(hook: Hook) -> None:
    life = [
        payloads.repository(action, replace(TOOLS, name=name, updated_at=at(second)), ALICE, old_name=old)
        for action, name, second, old in (
            ("edited", "tools", 1, None),
            ("renamed", "new", 5, "tools"),
            ("deleted", "new", 9, None),
        )
    ]
    for order in itertools.permutations(life):
        Repository.objects.all().delete()
        for payload in order:
            assert hook.send("repository", payload).status_code == 202
        row = Repository.objects.latest("sequence")
        assert (row.last_action, row.name) == ("deleted", "new")


def test_a_push_told_before_its_branchs_creation_leaves_one_living_branch(hook: Hook) -> None:
    push = payloads.push(TOOLS, "refs/heads/lamp", [], ALICE, before="0" * 40) | {
        "deleted": False,
        "after": "a" * 40,
    }
    create = payloads.create(TOOLS, "lamp", ALICE)
    for order in itertools.permutations([("push", push), ("create", create)]):
        Branch.objects.all().delete()
        for event, payload in order:
            assert hook.send(event, payload).status_code == 202
        assert Branch.objects.get().event == "create"
