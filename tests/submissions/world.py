"""A pretended GitHub with one empty repository, our receiver at its hook, and the work queue between the two."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from typing import Any

from core.passes import run_pass
from sandbox.git import Objects
from sandbox.server import SandboxGithub
from sandbox.server.service import Logged
from sandbox.world import PullRequest
from submissions.api.serializers import SubmissionInput
from submissions.models import PullRequestItem
from submissions.services.submitting import submit
from tests.clock import DrivenClock
from tests.github_app import REPOSITORY
from workqueue.models import AuditEntry
from workqueue.passes import WORK_SWEEP
from workqueue.services.working import work
from workqueue.values import Submitted

BRANCH = "auto/bulbs"
NAME = "account-1/repository-1"
CALLER = "token:importer"
MAIN = "main"


def body(**members: Any) -> dict[str, Any]:
    """Return the body of a submission; a test names only what it is about."""
    return {
        "repository": NAME,
        "head_branch": BRANCH,
        "base_branch": MAIN,
        "title": "Add a bulb",
        "body": "It was dark.",
        "commit_message": "Add a bulb\n\nIt was dark.",
        "file_actions": [{"action": "create", "path": "bulbs/one.txt", "content": "lit\n"}],
        **members,
    }


def checked(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return a body as the REST endpoint hands it on; raises ValidationError."""
    serializer = SubmissionInput(data=given)
    serializer.is_valid(raise_exception=True)
    return dict(serializer.validated_data)


def hand_in(**members: Any) -> Submitted:
    """Submit as the REST endpoint does."""
    return submit(checked(body(**members)), CALLER)


class World:
    """GitHub and our items. Deliveries wait until `deliver`, because rows belong to the thread of the test."""

    def __init__(self, github: SandboxGithub, clock: DrivenClock) -> None:
        self.github = github
        self.clock = clock
        self.changes = github.changes
        github.hook.held = True

    def work(self) -> str:
        return work()

    def deliver(self) -> None:
        """Let GitHub deliver what has happened so far."""
        self.github.hook.flush()

    def settle(self) -> None:
        """Deliver and work until both have nothing left."""
        for _ in range(20):
            self.deliver()
            if self.work().endswith("nothing to do.") and not self.github.hook._waiting:
                return
        raise AssertionError("It never comes to rest.")

    def shift(self, **step: float) -> None:
        """Let time pass, and the minute's sweep with it."""
        self.clock.shift(**step)
        run_pass(WORK_SWEEP, force=True)

    @property
    def objects(self) -> Objects:
        return self.github.state.objects(REPOSITORY)

    @property
    def branches(self) -> dict[str, str]:
        return self.github.state.branches[REPOSITORY]

    def files(self, branch: str = BRANCH) -> dict[str, tuple[str, str]]:
        """Return mode and text of every file in a branch."""
        held = self.objects.files_of(self.branches[branch])
        return {path: (mode, _text(self.objects, sha)) for path, (mode, sha) in held.items()}

    def changed(self, branch: str = BRANCH) -> dict[str, str]:
        """Return what a branch changes against its base."""
        return self.objects.changed(self.branches[MAIN], self.branches[branch])

    def commits(self, branch: str = BRANCH) -> list[str]:
        """Return the commits of a branch that its base lacks, the newest first."""
        base = set(self.objects.history(self.branches[MAIN]))
        return [sha for sha in self.objects.history(self.branches[branch]) if sha not in base]

    def pulls(self) -> list[PullRequest]:
        return list(self.github.state.pull_requests_of(REPOSITORY))

    def pull(self) -> PullRequest:
        (only,) = self.pulls()
        return only

    def asked(self, since: int = 0) -> list[str]:
        """Return what was asked of GitHub, tokens aside, in order."""
        log = [one for one in self.github.log[since:] if not one.path.endswith("/access_tokens")]
        return [_short(one) for one in log]

    def writes(self, since: int = 0) -> list[str]:
        return [call for call in self.asked(since) if not call.startswith("GET")]


def item(sequence: int | None = None) -> PullRequestItem:
    """Return an item as it is stored now; the only one unless named."""
    return PullRequestItem.objects.get(**({"pk": sequence} if sequence else {}))


def needs(sequence: int | None = None) -> dict[str, str]:
    rows = item(sequence).dimensions.all()
    return {f"{row.dimension}[{row.variant}]" if row.variant else row.dimension: row.status for row in rows}


def told(kind: str = "outcome") -> list[str]:
    """Return the sentences of the audit, in order."""
    return list(AuditEntry.objects.filter(kind=kind).order_by("pk").values_list("sentence", flat=True))


READY = {"options": {"merge_when_ready": True}}


def opened(world: World, **members: object) -> None:
    hand_in(**members)
    world.settle()


def green(world: World, number: int | None = None) -> None:
    """Let a check pass on the pull request's head."""
    world.changes.finish_check(REPOSITORY, number or world.pull().number, "success")


def _short(one: Logged) -> str:
    return f"{one.verb} {one.path.removeprefix(f'/repositories/{REPOSITORY}')}"


def _text(objects: Objects, sha: str) -> str:
    return base64.b64decode(objects.blobs[sha]).decode(errors="replace")
