"""A pretended GitHub with pull requests of every kind, our tables beside it, the poller and the worker between."""

from __future__ import annotations

from typing import Any

from core import registry
from core.passes import run_pass
from merge import selectors
from merge.models import Merge, MergeVerdict
from merge.passes import MERGE
from sandbox.server import SandboxGithub
from sandbox.server.service import Logged
from sandbox.world import PullRequest as GithubPull
from tests.factories import PullRequestFactory
from tests.github_app import INSTALLATION, REPOSITORY
from webhooks.models import PullRequest, PullRequestHistory
from workqueue.services.working import work

DOCS = [{"filename": "docs/guide.md"}]
CODE = [{"filename": "src/guide.py"}]
MERGES = r"/repositories/\d+/pulls/\d+/merge"


class World:
    """GitHub, and what we make of it. Deliveries wait until `deliver`."""

    def __init__(self, github: SandboxGithub) -> None:
        self.github = github
        self.changes = github.changes
        github.hook.held = True

    # --- at GitHub ---------------------------------------------------------------------------------------------------

    def open(
        self, title: str = "Explain it", *, files: Any = None, green: bool = True, draft: bool = False
    ) -> int:
        """Open a pull request, of documents unless told otherwise, and return its number."""
        number = self.changes.open_pull_request(REPOSITORY, title, draft=draft).number
        self.changes.change_files(REPOSITORY, number, files or DOCS)
        if green:
            self.changes.finish_check(REPOSITORY, number, "success")
        return int(number)

    def pull(self, number: int) -> GithubPull:
        found = self.github.state.thing(REPOSITORY, number)
        assert isinstance(found, GithubPull)
        return found

    def push(self, number: int, *, green: bool = True) -> str:
        self.changes.push(REPOSITORY, number)
        if green:
            self.changes.finish_check(REPOSITORY, number, "success")
        return self.pull(number).head_sha

    def merge_calls(self, number: int | None = None) -> list[Logged]:
        pattern = MERGES if number is None else rf"/repositories/\d+/pulls/{number}/merge"
        return self.github.requests(pattern, verb="PUT")

    def calls(self, number: int) -> list[str]:
        """Return what was asked about one pull request, by the end of its path ("" = the pull request itself)."""
        start = f"/repositories/{REPOSITORY}/pulls/{number}"
        found = [
            logged.path.removeprefix(start) for logged in self.github.log if logged.path.startswith(start)
        ]
        return [end for end in found if not end or end.startswith("/")]

    # --- here --------------------------------------------------------------------------------------------------------

    def row(self, number: int, **columns: Any) -> PullRequest:
        """Store a pull request of GitHub's as a row."""
        pull = self.pull(number)
        facts = {
            "repository_owner": pull.repository.owner.login,
            "repository_name": pull.repository.name,
            "repository_id": REPOSITORY,
            "installation_id": INSTALLATION,
            "number": number,
            "node_id": pull.node_id,
            "title": pull.title,
            "head_sha": pull.head_sha,
        }
        row: PullRequest = PullRequestFactory(**facts | columns)
        return row

    def set(self, spec: Any, value: str) -> None:
        registry.write(spec, value)

    def tick(self) -> dict[str, int]:
        """Run the poller once and return its counters."""
        result = run_pass(MERGE, force=True)
        assert result.run is not None, result.sentence
        self.last = result.run
        return dict(result.run.counters)

    def work(self) -> None:
        work()

    def tick_and_work(self) -> dict[str, int]:
        counters = self.tick()
        self.work()
        return counters

    def deliver(self) -> None:
        self.github.hook.flush()

    def statuses(self, number: int) -> list[str]:
        """Return the statuses of a pull request's merges, the newest first."""
        return [str(past.status) for past in selectors.past_merges(REPOSITORY, number)]

    def newest(self, number: int) -> Any:
        return selectors.newest_merge(REPOSITORY, number)

    def verdict(self, number: int) -> MergeVerdict:
        found = selectors.verdict_of(REPOSITORY, number)
        assert found is not None
        return found

    def verdict_after_tick(self, number: int) -> str:
        """Run the poller once and return the code of the newest verdict on a pull request."""
        self.tick()
        return self.verdict(number).code

    def told(self, number: int) -> list[str]:
        """Return the history that merging has left, in order."""
        rows = PullRequest.objects.filter(repository_id=REPOSITORY, number=number).values("pk")
        lines = PullRequestHistory.objects.filter(pull_request_sequence__in=rows, kind="merge_verdict")
        return list(lines.order_by("pk").values_list("reason", flat=True))


def reasons(merge: Merge) -> list[str]:
    return list(merge.audit.order_by("pk").values_list("sentence", flat=True))
