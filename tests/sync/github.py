"""A pretended GitHub beside the product's tables: how tests drive both, and how they compare them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from django.test import Client

from core import passes
from core.models import PassRun
from core.passes import PassResult, Verdict, run_pass
from sandbox.server.handle import SandboxGithub
from sandbox.server.state import State
from sandbox.world import Issue as GithubIssue
from sandbox.world import PullRequest as GithubPull
from sandbox.world import Repository as GithubRepository
from sync import selectors
from tests.clock import DrivenClock
from webhooks import models

INSTALLATIONS, REPOSITORIES, REDELIVER = "sync-installations", "sync-repositories", "redeliver"
SECRET = "the secret of the pretended hook"
# What a run may write although nothing changed on GitHub.
BOOKKEEPING = frozenset({"last_sync_date", "throttled_until"})


@dataclass
class Receiving:
    """Our receiver as GitHub sees it: `answers` instead of it while set, "down" for nobody there."""

    answers: int | str | None = None

    def __call__(self, headers: Mapping[str, str], body: bytes) -> int:
        if self.answers == "down":
            raise ConnectionRefusedError
        if self.answers is not None:
            return int(self.answers)
        sent = {name: value for name, value in headers.items() if name != "Content-Type"}
        answer = Client().post("/webhooks/github", body, content_type=headers["Content-Type"], headers=sent)
        return answer.status_code


@dataclass
class Pair:
    """GitHub and us, on one clock that stands still unless it is moved."""

    github: SandboxGithub
    clock: DrivenClock
    results: list[PassResult] = field(default_factory=list)

    @property
    def state(self) -> State:
        return self.github.state

    @property
    def last(self) -> PassRun:
        """The record of the newest run."""
        return PassRun.objects.order_by("-pk")[0]

    def run(self, name: str, *, force: bool = True, expected: Verdict | None = Verdict.RAN) -> PassRun:
        """Run a pass a second after whatever came before, so that the rows of before may be judged."""
        self.clock.shift(seconds=1)
        result = run_pass(passes.find_pass(name), force=force)
        assert expected in {None, result.verdict}, f"{result}\n{result.run.error if result.run else ''}"
        return result.run or PassRun()

    def connect(self, settings: Any) -> Receiving:
        """Have GitHub's deliveries sent to our receiver, in the thread of the test; returns its switch."""
        settings.GITHUB_WEBHOOK_SECRETS, settings.GITHUB_APP_SLUG = [SECRET], self.state.app_slug
        receiving = Receiving()
        self.github.hook.secret = SECRET
        self.github.deliver_to(receiving)
        return receiving

    def sync_everything(self, *, hours: bool = False) -> list[PassRun]:
        """Run the installations pass, then the repositories pass once for each active repository."""
        runs = [self.run(INSTALLATIONS)]
        for _ in range(selectors.active_repositories().count()):
            if hours:
                self.clock.shift(hours=1)
            runs.append(self.run(REPOSITORIES, force=not hours))
        return runs


def rows(model: type[Any], **condition: Any) -> list[Any]:
    return list(model.objects.filter(**condition).order_by("pk"))


def dump() -> dict[str, list[dict[str, Any]]]:
    """Return every row of every event table, without what syncs may write for themselves."""
    tables = (*models.CLAIMED, models.PullRequestHistory, models.Delivery)
    return {
        model._meta.db_table: [
            {name: value for name, value in row.items() if name not in BOOKKEEPING}
            for row in model.objects.order_by("pk").values()
        ]
        for model in tables
    }


# --- what GitHub says, as our tables would say it ---------------------------------------------------------------------
def truth(state: State) -> dict[str, set[Any]]:
    """Return GitHub's state in the terms of our tables, read from the pretended GitHub itself."""
    reachable = list(_reachable(state))
    return {
        "installations": {
            (i.id, i.account.login, "0" if i.suspended_at else "1") for i in state.installations.values()
        },
        "repositories": {
            (r.id, r.owner.login, r.name, r.private, r.archived, r.installation.id) for r in reachable
        },
        "pulls": {
            (r.id, r.owner.login, r.name, t.number, t.title, t.head_ref, t.head_sha, t.draft, t.auto_merge)
            for r in reachable
            for t in state.things_of(r.id)
            if isinstance(t, GithubPull) and t.state == "open"
        },
        "issues": {
            (r.id, r.owner.login, r.name, t.number, t.title)
            for r in reachable
            if r.id not in state.issues_off
            for t in state.things_of(r.id)
            if isinstance(t, GithubIssue) and t.state == "open"
        },
        "branches": {(r.id, name) for r in reachable for name in state.branches[r.id]},
    }


def _reachable(state: State) -> Iterator[GithubRepository]:
    """Yield the repositories that the App can ask about: a suspended installation says nothing."""
    for repository_id in state.repositories:
        repository = state.repository(repository_id)
        if repository and repository.installation and not repository.installation.suspended_at:
            yield repository


def ours() -> dict[str, set[Any]]:
    """Return what our tables say is there. An open row that waits for its handler to close it says "not open"."""
    active = list(selectors.active_repositories())
    seen = {row.github_id for row in active}
    return {
        "installations": {
            (row.installation_id, row.account_login, row.status)
            for row in selectors.current_installations()
            if row.status == "1" or row.suspended_date
        },
        "repositories": {
            (row.github_id, row.owner_login, row.name, row.private, row.archived, row.installation_id)
            for row in active
        },
        "pulls": {
            (
                p.repository_id,
                p.repository_owner,
                p.repository_name,
                p.number,
                p.title,
                p.ref,
                p.head_sha,
                p.draft,
                p.auto_merge_enabled,
            )
            for p in rows(models.PullRequest, state="OPEN", repository_id__in=seen)
            if p.processing_state != "RE_REQUESTED"
        },
        "issues": {
            (i.repository_id, i.repository_owner, i.repository_name, i.number, i.title)
            for i in rows(models.Issue, state="OPEN", repository_id__in=seen)
            if i.processing_state != "RE_REQUESTED"
        },
        "branches": {
            (b.repository_id, b.ref)
            for b in rows(models.Branch, event="create", ref_type="branch", repository_id__in=seen)
        },
    }


def differences(state: State) -> dict[str, tuple[list[Any], list[Any]]]:
    """Return, for each kind of thing, what GitHub has and we lack, and what we have and GitHub lacks."""
    theirs, here = truth(state), ours()
    return {
        kind: (sorted(theirs[kind] - here[kind]), sorted(here[kind] - theirs[kind]))
        for kind in theirs
        if theirs[kind] != here[kind]
    }
