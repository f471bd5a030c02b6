"""A pretended GitHub with one receiver, our tables beside it, and the bot between the two."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.test import Client

from bot.tasks import work
from sandbox.server import SandboxGithub
from sandbox.server.service import Logged
from sandbox.world import PullRequest as GithubPull
from tests.factories import PullRequestFactory
from tests.github_app import INSTALLATION, REPOSITORY
from webhooks.models import PullRequest, PullRequestHistory

UPDATE = rf"/repositories/{REPOSITORY}/pulls/1/update-branch"
DETAIL = rf"/repositories/{REPOSITORY}/pulls/1"
FINALIZED = {"processing_state": "PROCESSED", "processing_error": None, "processing_attempts": 0}


def receive(headers: Mapping[str, str], body: bytes) -> int:
    """The product's receiver, asked in the thread of the test."""
    kind = headers["Content-Type"]
    named = {name: value for name, value in headers.items() if name not in {"Content-Type", "Accept"}}
    return Client().post("/webhooks/github", body, content_type=kind, headers=named).status_code


class World:
    """GitHub and our rows. Deliveries wait until `deliver`, because rows belong to the thread of the test."""

    def __init__(self, github: SandboxGithub) -> None:
        self.github = github
        self.changes = github.changes
        github.hook.held = True

    def pull(self, number: int = 1, repository_id: int = REPOSITORY) -> GithubPull:
        found = self.github.state.thing(repository_id, number)
        assert isinstance(found, GithubPull)
        return found

    def row(self, number: int = 1, within: int = REPOSITORY, **columns: Any) -> PullRequest:
        """Store a pull request of GitHub's as a row, pending unless told otherwise."""
        pull = self.pull(number, within)
        facts = {
            "repository_owner": pull.repository.owner.login,
            "repository_name": pull.repository.name,
            "repository_id": within,
            "installation_id": pull.repository.installation.id
            if pull.repository.installation
            else INSTALLATION,
            "github_id": pull.id,
            "number": pull.number,
            "node_id": pull.node_id,
            "title": pull.title,
            "ref": pull.head_ref,
            "head_sha": pull.head_sha,
            "draft": pull.draft,
            "auto_merge_enabled": pull.auto_merge,
            "github_updated_at": pull.updated_at,
            "processing_state": "UPDATED",
        }
        row: PullRequest = PullRequestFactory(**facts | columns)
        return row

    def work(self) -> str:
        return work()

    def deliver(self) -> None:
        """Let GitHub deliver what has happened so far."""
        self.github.hook.flush()

    def writes(self) -> list[Logged]:
        """Return what was asked of GitHub to change, tokens aside, in order."""
        return [
            one for one in self.github.log if one.verb != "GET" and not one.path.endswith("/access_tokens")
        ]


def told(row: PullRequest, *kinds: str) -> list[tuple[str, str]]:
    """Return (kind, reason) of a row's history, of those kinds (all unless named)."""
    lines = PullRequestHistory.objects.filter(pull_request_sequence=row.pk).order_by("pk")
    chosen = lines.filter(kind__in=kinds) if kinds else lines
    return list(chosen.values_list("kind", "reason"))


def columns(row: PullRequest, *names: str) -> dict[str, Any]:
    return dict(PullRequest.objects.values(*names).get(pk=row.pk))


def reason(row: PullRequest) -> str:
    """Return what the row was last finalized, deferred or failed with."""
    return told(row, "finalize", "defer", "fail")[-1][1]
