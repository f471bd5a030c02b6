"""GitHub as one installation sees it. Repositories are addressed by id, so that a rename disturbs nothing."""

from __future__ import annotations

from urllib.parse import quote

from githubapi.client import reading
from githubapi.client.answers import Call
from githubapi.client.channel import Channel
from githubapi.client.listing import Listing, read_all
from githubapi.client.usage import Usage
from githubapi.values import BranchFacts, IssueFacts, PullRequestFacts, RepositoryFacts


class InstallationClient:
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

    def _get(self, path: str) -> reading.Json:
        data: reading.Json = self._channel.ask(Call(verb="GET", path=path, shape=dict, repeatable=True)).data
        return data

    def _list(self, listing: Listing, read: reading.Reader[reading.T]) -> list[reading.T]:
        return read_all(self._channel, listing, read)
