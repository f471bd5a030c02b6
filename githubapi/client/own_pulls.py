"""Pull requests that we open and keep as they should be."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from urllib.parse import quote

from githubapi.client import git_reading, reading, refusals
from githubapi.client.answers import Call
from githubapi.client.channel import Channel
from githubapi.client.listing import Listing, read_all
from githubapi.errors import Permanent
from githubapi.pull_values import NewPullRequest, OpenAnswer, OpenOutcome, OwnPullRequest
from githubapi.values import PullRequestFacts


class OwnPullCalls:
    """The part of an installation's client that opens pull requests; every method raises GithubError."""

    _channel: Channel

    def pull_requests_of(self, repository_id: int, owner: str, branch: str) -> list[PullRequestFacts]:
        """Return the pull requests of a branch of the repository itself, open and closed, the newest first.

        `owner`: the repository's owner as it is called now. Raises Gone, Moved.
        """
        query = {"state": "all", "head": f"{owner}:{branch}"}
        path = f"/repositories/{repository_id}/pulls"
        found = read_all(self._channel, Listing(path=path, query=query), reading.pull_request)
        # A filter that GitHub cannot read is no filter at all, so what it lets through is looked at.
        return [
            pull for pull in found if pull.head_ref == branch and pull.head_repository_id == repository_id
        ]

    def own_pull_request(self, repository_id: int, number: int) -> OwnPullRequest:
        """Return one pull request with its text. Raises Gone, Moved."""
        path = f"/repositories/{repository_id}/pulls/{number}"
        data = self._channel.ask(Call(verb="GET", path=path, shape=dict, repeatable=True)).data
        return reading.item(git_reading.own_pull_request, data)

    def open_pull_request(self, repository_id: int, new: NewPullRequest) -> OpenAnswer:
        """Open a pull request. A refusal is a value. Sent once: after Transient, `pull_requests_of` tells."""
        body = {"title": new.title, "body": new.body, "head": new.head, "base": new.base, "draft": new.draft}
        call = Call(verb="POST", path=f"/repositories/{repository_id}/pulls", body=body, shape=dict)
        try:
            data = self._channel.ask(call).data
        except Permanent as error:
            return refusals.open_answer(error)
        return OpenAnswer(OpenOutcome.OPENED, reading.item(git_reading.number, data))

    def edit_pull_request(self, repository_id: int, number: int, changes: Mapping[str, str]) -> None:
        """Change title, body, base or state of a pull request. Raises Gone, Moved, Forbidden, Permanent."""
        path = f"/repositories/{repository_id}/pulls/{number}"
        self._channel.ask(Call(verb="PATCH", path=path, body=dict(changes)))

    def close_pull_request(self, repository_id: int, number: int) -> None:
        """Close a pull request without merging it; one that is closed stays so. Raises as edit_pull_request."""
        self.edit_pull_request(repository_id, number, {"state": "closed"})

    def add_labels(self, repository_id: int, number: int, labels: Sequence[str]) -> None:
        """Put labels on an issue or pull request; GitHub makes those it does not know. Raises as above."""
        path = f"/repositories/{repository_id}/issues/{number}/labels"
        self._channel.ask(Call(verb="POST", path=path, body={"labels": list(labels)}))

    def changed_files(self, repository_id: int, base: str, head: str) -> int:
        """Return how many files a head changes against where it left the base, at most 300. Raises Gone, Moved."""
        range_ = f"{quote(base, safe='')}...{quote(head, safe='')}"
        path = f"/repositories/{repository_id}/compare/{range_}"
        call = Call(verb="GET", path=path, query={"per_page": "1"}, shape=dict, repeatable=True)
        return reading.item(git_reading.changed_files, self._channel.ask(call).data)
