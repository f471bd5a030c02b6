"""Which pull requests to consider: GitHub's search, or, where it does not know all, every repository's own list."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import structlog

from githubapi.client import AppClient
from githubapi.errors import Disabled, Forbidden, Gone, Moved
from githubapi.merging_values import SearchHit
from merge import selectors
from merge.services import turns
from merge.services.places import Place, place_of_repository
from sync.services.github import asked
from webhooks.models import Installation, Repository

log = structlog.get_logger(__name__)


@dataclass(frozen=True)
class Candidate:
    """An open pull request as a listing knows it."""

    place: Place
    number: int
    title: str
    draft: bool

    @property
    def key(self) -> tuple[int, int]:
        return self.place.repository_id, self.number

    @property
    def name(self) -> str:
        return f"{self.place.full_name}#{self.number}"

    @property
    def identity(self) -> str:
        return selectors.identity_of(*self.key)


def candidates_of(app: AppClient, account: Installation) -> Iterator[list[Candidate]]:
    """Yield the open pull requests of an account that are said to be no drafts; raises GithubError.

    All at once where the search knows them, else repository by repository, each in its turn and not before it is asked
    for: an account that the search does not know whole may have more of them than a run has time for.
    """
    client = app.for_installation(account.installation_id)
    repositories = selectors.repositories_of(account.installation_id)
    found = asked(lambda: client.search_open_pull_requests(account.account_login))
    if found.complete:
        yield list(_found(app, found.hits, repositories))
        return
    for row in turns.in_line(repositories, _key_of_repository):
        turns.take(_key_of_repository(row))
        yield _listed(place_of_repository(app, row))


def _key_of_repository(row: Repository) -> str:
    return turns.repository_key(row.github_id)


def _found(
    app: AppClient, hits: Sequence[SearchHit], repositories: Sequence[Repository]
) -> Iterator[Candidate]:
    """Yield the hits in repositories that we know: the others come with their Event or with the next sync."""
    places = {
        (row.owner_login.lower(), row.name.lower()): place_of_repository(app, row) for row in repositories
    }
    for hit in hits:
        if place := places.get((hit.owner.lower(), hit.repository.lower())):
            yield Candidate(place, hit.number, hit.title, hit.draft)


def _listed(place: Place) -> list[Candidate]:
    """Return a repository's open pull requests; one that is gone, moved or closed to us has none, the others go on."""
    try:
        pulls = asked(lambda: place.client.open_pull_requests(place.repository_id))
    except (Gone, Moved, Forbidden, Disabled) as error:
        log.warning(
            "repository not listed", repository=place.full_name, reason=error.reason, error=str(error)
        )
        return []
    return [Candidate(place, pull.number, pull.title, pull.draft) for pull in pulls]
