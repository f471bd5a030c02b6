"""Merging a pull request at GitHub, and asking all that speaks for or against it."""

from __future__ import annotations

from urllib.parse import quote

from githubapi.client import merge_answer, merge_reading, reading
from githubapi.client.answers import Call
from githubapi.client.channel import Channel
from githubapi.client.listing import Listing, read_all
from githubapi.client.search import search_pull_requests
from githubapi.errors import Forbidden, Permanent
from githubapi.merging_values import (
    BranchDemands,
    ChangedFile,
    MergeAnswer,
    MergeMethod,
    Review,
    SearchResult,
    TreeEntry,
)


class MergeCalls:
    """The part of an installation's client that merges; every method raises GithubError as the others do."""

    _channel: Channel

    def search_open_pull_requests(self, account: str) -> SearchResult:
        """Return the open pull requests of an account that are no drafts, as far as GitHub's search knows."""
        return search_pull_requests(self._channel, f"is:pr state:open draft:false user:{account}")

    def changed_files(self, repository_id: int, number: int) -> tuple[ChangedFile, ...]:
        """Return the files of a pull request's diff, of which GitHub lists 3000 at most. Raises Gone, Moved."""
        path = f"/repositories/{repository_id}/pulls/{number}/files"
        listing = Listing(path=path, key="filename")
        return tuple(read_all(self._channel, listing, merge_reading.changed_file))

    def tree(self, repository_id: int, sha: str) -> tuple[TreeEntry, ...]:
        """Return what is in one folder: the root of a commit, or the folder of another tree's entry. Raises Gone."""
        data = self._object(f"/repositories/{repository_id}/git/trees/{sha}")
        return reading.item(merge_reading.tree, data)

    def reviews(self, repository_id: int, number: int) -> tuple[Review, ...]:
        """Return the reviews of a pull request in the order they were handed in. Raises Gone, Moved."""
        listing = Listing(path=f"/repositories/{repository_id}/pulls/{number}/reviews")
        return tuple(read_all(self._channel, listing, merge_reading.review))

    def branch_rules(self, repository_id: int, branch: str) -> BranchDemands:
        """Return what active rulesets demand of a branch. Raises Gone, and Forbidden if they are hidden from us."""
        path = f"/repositories/{repository_id}/rules/branches/{quote(branch, safe='')}"
        rules: list[reading.Json] = []
        query = {"per_page": "100", "page": "1"}
        while query:
            call = Call(verb="GET", path=path, query=query, shape=list, repeatable=True, listing=True)
            reply = self._channel.ask(call)
            rules += reply.data
            query = reply.query_of("next") or {}
        return reading.item(merge_reading.branch_demands, {"rules": rules})

    def branch_protection(self, repository_id: int, branch: str) -> BranchDemands | None:
        """Return what the branch protection demands, None if the branch hides it from us. Raises Gone, Forbidden."""
        data = self._object(f"/repositories/{repository_id}/branches/{quote(branch, safe='')}")
        return reading.item(merge_reading.protection, data)

    def merge_methods(self, repository_id: int) -> tuple[MergeMethod, ...]:
        """Return the ways in which a repository may be merged into, squash first. Raises Gone."""
        return reading.item(merge_reading.merge_methods, self._object(f"/repositories/{repository_id}"))

    def merge_pull_request(
        self, repository_id: int, number: int, sha: str, method: MergeMethod
    ) -> MergeAnswer:
        """Merge a pull request if its head is still `sha`; GitHub checks that by itself. Sent once, never repeated.

        A refusal is a value (field cases F05, F24). Raises Gone, Moved, Throttled, Forbidden when the App itself may
        not; and Transient, after which nobody knows whether it was merged: `pull_request` tells.
        """
        path = f"/repositories/{repository_id}/pulls/{number}/merge"
        body = {"sha": sha, "merge_method": method.value}
        call = Call(verb="PUT", path=path, body=body, shape=dict)
        try:
            data = self._channel.ask(call).data
        except (Forbidden, Permanent) as error:
            return merge_answer.outcome_of(error)
        return reading.item(merge_reading.merge, data)

    def report_check(self, repository_id: int, sha: str, name: str, title: str, summary: str) -> None:
        """Add a neutral, completed check run of ours to a commit. Raises Gone, Moved, Forbidden. Sent once."""
        body = {
            "name": name,
            "head_sha": sha,
            "status": "completed",
            "conclusion": "neutral",
            "output": {"title": title, "summary": summary},
        }
        self._channel.ask(Call(verb="POST", path=f"/repositories/{repository_id}/check-runs", body=body))

    def _object(self, path: str) -> reading.Json:
        data: reading.Json = self._channel.ask(Call(verb="GET", path=path, shape=dict, repeatable=True)).data
        return data
