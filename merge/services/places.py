"""Where a pull request is: a repository, seen through one installation."""

from __future__ import annotations

from dataclasses import dataclass

from githubapi.client import AppClient, InstallationClient
from webhooks.models import PullRequest, Repository


@dataclass(frozen=True)
class Place:
    """A repository at GitHub, with the names it has for people."""

    client: InstallationClient
    repository_id: int
    owner: str
    name: str

    @property
    def full_name(self) -> str:
        return f"{self.owner}/{self.name}"


def place_of_repository(app: AppClient, row: Repository) -> Place:
    """Return the place of a stored repository."""
    client = app.for_installation(row.installation_id or 0)
    return Place(client, row.github_id, row.owner_login, row.name)


def place_of_pull_request(client: InstallationClient, repository_id: int, row: PullRequest) -> Place:
    """Return the place of a stored pull request."""
    return Place(client, repository_id, row.repository_owner, row.repository_name)
