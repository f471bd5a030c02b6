"""GitHub as one installation sees it. Repositories are addressed by id, so that a rename disturbs nothing."""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any
from urllib.parse import quote

from githubapi.client import branch_update, reading
from githubapi.client.answers import Call
from githubapi.client.channel import Channel
from githubapi.client.git_data import GitCalls
from githubapi.client.jobs import JobCalls
from githubapi.client.listing import Listing, read_all
from githubapi.client.merging import MergeCalls
from githubapi.client.own_pulls import OwnPullCalls
from githubapi.client.usage import Usage
from githubapi.errors import Forbidden, Gone, Permanent
from githubapi.values import (
    BranchFacts,
    BranchUpdate,
    Comparison,
    HeadChecks,
    IssueFacts,
    PullRequestDetail,
    PullRequestFacts,
    RepositoryFacts,
    UpdateOutcome,
    WorkflowRunFacts,
)


class InstallationClient(MergeCalls, GitCalls, OwnPullCalls, JobCalls):
    """Calls as one installation; made by AppClient.for_installation. Use one AppClient in each thread.

    Every method raises GithubError: Suspended or Gone ("no_installation") as soon as a token is needed,
    Throttled, Transient, Forbidden. Listings are complete or raise.
    """

    def __init__(self, channel: Channel, installation_id: int) -> None:
        self._channel = channel
        self.installation_id = installation_id

    @property
    def usage(self) -> Usage:
        """What this installation has cost; its token requests count for the App's client only."""
        return self._channel.usage

    def repositories(self) -> list[RepositoryFacts]:
        """Return every repository that the installation can reach."""
        listing = Listing(path="/installation/repositories", member="repositories", confirm_empty=True)
        return self._list(listing, reading.repository)

    def repository(self, repository_id: int) -> RepositoryFacts:
        """Return one repository, or the one it was moved to: then its id is another. Raises Gone."""
        return reading.item(reading.repository, self._get(f"/repositories/{repository_id}"))

    def open_pull_requests(
        self, repository_id: int, *, some_expected: bool = False
    ) -> list[PullRequestFacts]:
        """Return every open pull request, oldest first. Raises Gone; Moved if it has a successor.

        `some_expected`: the caller knows of open ones, so that GitHub must say twice that there are none.
        """
        query = {"state": "open", "sort": "created", "direction": "asc"}
        path = f"/repositories/{repository_id}/pulls"
        listing = Listing(path=path, query=query, confirm_empty=some_expected)
        return self._list(listing, reading.pull_request)

    def open_issues(self, repository_id: int, *, some_expected: bool = False) -> list[IssueFacts]:
        """Return every open issue, oldest first, without pull requests. Raises Disabled, Gone, Moved.

        `some_expected`: the caller knows of open issues or pull requests, as above.
        """
        query = {"state": "open", "sort": "created", "direction": "asc"}
        path = f"/repositories/{repository_id}/issues"
        listing = Listing(path=path, query=query, confirm_empty=some_expected)
        return [issue for issue in self._list(listing, reading.issue) if not issue.is_pull_request]

    def branches(self, repository_id: int) -> list[BranchFacts]:
        """Return every branch. Raises Gone; Moved if it has a successor."""
        listing = Listing(path=f"/repositories/{repository_id}/branches", key="name", confirm_empty=True)
        return self._list(listing, reading.branch)

    def branch(self, repository_id: int, name: str) -> BranchFacts:
        """Return one branch by its short name. Raises Gone, which proves that a listing missed nothing."""
        return reading.item(
            reading.branch, self._get(f"/repositories/{repository_id}/branches/{quote(name, safe='')}")
        )

    def pull_request(self, repository_id: int, number: int) -> PullRequestFacts:
        """Return one pull request, open or closed. Raises Gone, Moved."""
        return reading.item(reading.pull_request, self._get(f"/repositories/{repository_id}/pulls/{number}"))

    def issue(self, repository_id: int, number: int) -> IssueFacts:
        """Return one issue or, told by `is_pull_request`, pull request. Raises Gone, Disabled, Moved.

        An issue that was transferred comes back as it is in its new repository only if that has the same id.
        """
        return reading.item(reading.issue, self._get(f"/repositories/{repository_id}/issues/{number}"))

    def repository_named(self, owner: str, name: str) -> RepositoryFacts:
        """Return the repository that bears a name, or bore it until it was renamed. Raises Gone."""
        path = f"/repos/{quote(owner, safe='')}/{quote(name, safe='')}"
        return reading.item(reading.repository, self._get(path))

    def pull_request_detail(self, repository_id: int, number: int) -> PullRequestDetail:
        """Return one pull request with what only itself says. Raises Gone, Moved.

        Asking makes GitHub work out whether it can be merged; the answer may be there at the next asking only.
        """
        data = self._get(f"/repositories/{repository_id}/pulls/{number}")
        return reading.item(reading.pull_request_detail, data)

    def compare(self, repository_id: int, base: str, head: str) -> Comparison:
        """Compare two commits, given as shas or branches of the repository. Raises Gone, Moved."""
        range_ = f"{quote(base, safe='')}...{quote(head, safe='')}"
        # The commits themselves are not wanted: as few of them as can be.
        data = self._get(f"/repositories/{repository_id}/compare/{range_}", {"per_page": "1"})
        return reading.item(reading.comparison, data)

    def head_checks(self, repository_id: int, sha: str) -> HeadChecks:
        """Return all check runs and commit statuses of a commit, complete or not at all. Raises Gone, Moved."""
        path = f"/repositories/{repository_id}/commits/{sha}"
        runs = Listing(path=f"{path}/check-runs", member="check_runs")
        statuses = Listing(path=f"{path}/status", member="statuses")
        return HeadChecks(
            runs=tuple(self._list(runs, reading.check_run)),
            statuses=tuple(self._list(statuses, reading.commit_status)),
        )

    def permission(self, repository_id: int, login: str) -> str:
        """Return what an account may do in a repository: "admin", "write", "read" or "none"."""
        path = f"/repositories/{repository_id}/collaborators/{quote(login, safe='')}/permission"
        try:
            return reading.item(reading.permission, self._get(path))
        except Gone as error:
            if error.reason == "no_installation":
                raise
            return "none"

    # --- writes: each is sent once ---------------------------------------------------------------------------

    def update_branch(self, repository_id: int, number: int, expected_head_sha: str) -> BranchUpdate:
        """Ask GitHub to merge the base into the branch of a pull request, if its head is still that one.

        A refusal is a value (field case F24). Raises Gone, Moved, Throttled, Transient, and Forbidden when the
        App itself may not.
        """
        path = f"/repositories/{repository_id}/pulls/{number}/update-branch"
        try:
            self._write("PUT", path, {"expected_head_sha": expected_head_sha})
        except (Forbidden, Permanent) as error:
            return branch_update.outcome_of(error)
        return BranchUpdate(UpdateOutcome.ACCEPTED)

    def edit_title(self, repository_id: int, number: int, title: str) -> None:
        """Give a pull request another title. Raises Gone, Moved, Forbidden, Permanent."""
        self._write("PATCH", f"/repositories/{repository_id}/pulls/{number}", {"title": title})

    def remove_label(self, repository_id: int, number: int, label: str) -> bool:
        """Take a label away from an issue or pull request; False if it did not have it."""
        try:
            self._write(
                "DELETE", f"/repositories/{repository_id}/issues/{number}/labels/{quote(label, safe='')}"
            )
        except Gone as error:
            if error.reason == "no_installation":
                raise
            return False
        return True

    def comment(self, repository_id: int, number: int, text: str) -> None:
        """Comment on an issue or pull request. Raises Gone, Moved, Forbidden, Permanent."""
        self._write("POST", f"/repositories/{repository_id}/issues/{number}/comments", {"body": text})

    def react(self, repository_id: int, comment_id: int, reaction: str) -> bool:
        """React to a comment on an issue or pull request ("+1", "eyes", ...); False if we had done so before."""
        path = f"/repositories/{repository_id}/issues/comments/{comment_id}/reactions"
        return self._write("POST", path, {"content": reaction}) == HTTPStatus.CREATED

    # --- workflow runs ---------------------------------------------------------------------------------------

    def workflow_run(self, repository_id: int, run_id: int) -> WorkflowRunFacts:
        """Return one run, in its latest attempt. Raises Gone, Moved."""
        return reading.item(reading.workflow_run, self._get(_run_path(repository_id, run_id)))

    def rerun_workflow(self, repository_id: int, run_id: int) -> None:
        """Start all jobs of a run again. Raises Gone, Moved, and Forbidden when it runs or is over a month old."""
        self._write("POST", f"{_run_path(repository_id, run_id)}/rerun")

    def rerun_failed_jobs(self, repository_id: int, run_id: int) -> None:
        """Start the failed jobs of a run again, and those that depend on them. Raises what rerun_workflow raises."""
        self._write("POST", f"{_run_path(repository_id, run_id)}/rerun-failed-jobs")

    def delete_workflow_run(self, repository_id: int, run_id: int) -> bool:
        """Delete a run with its logs; False if it was gone already. Raises Moved, Forbidden, Permanent."""
        try:
            self._write("DELETE", _run_path(repository_id, run_id))
        except Gone as error:
            if error.reason == "no_installation":
                raise
            return False
        return True

    def _get(self, path: str, query: Mapping[str, str] | None = None) -> reading.Json:
        call = Call(verb="GET", path=path, query=query or {}, shape=dict, repeatable=True)
        data: reading.Json = self._channel.ask(call).data
        return data

    def _write(self, verb: str, path: str, body: Mapping[str, Any] | None = None) -> int:
        """Send a write once and return its status."""
        return self._channel.ask(Call(verb=verb, path=path, body=body)).status

    def _list(self, listing: Listing, read: reading.Reader[reading.T]) -> list[reading.T]:
        return read_all(self._channel, listing, read)


def _run_path(repository_id: int, run_id: int) -> str:
    return f"/repositories/{repository_id}/actions/runs/{run_id}"
