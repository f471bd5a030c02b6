"""Whether GitHub lets us in to the repositories of pull requests: three queries, however many they are."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import fields
from typing import Any, TypeVar

from django.db.models import OuterRef, Subquery

from monitor.explain.decisions.reach import InstallationFacts, RepositoryFacts, reach
from monitor.explain.values import Reach
from webhooks.models import Installation, PullRequest, Repository
from webhooks.selectors.current import current_installations

T = TypeVar("T")


def reaches(rows: Iterable[PullRequest]) -> dict[int, Reach]:
    """Return what is known of the reach of each pull request, by its Sequence."""
    rows = list(rows)
    repositories = _repositories([row.pk for row in rows])
    through = {row.pk: _seen_by(row, repositories.get(row.pk)) for row in rows}
    newest = _installations({*through.values(), *(row.installation_id for row in rows)})
    return {
        row.pk: _reach(repositories.get(row.pk), newest.get(through[row.pk]), newest.get(row.installation_id))
        for row in rows
    }


def _reach(
    repository: Repository | None, installation: Installation | None, own: Installation | None
) -> Reach:
    return reach(
        _facts(RepositoryFacts, repository),
        _facts(InstallationFacts, installation),
        own.throttled_until if own else None,
    )


def _repositories(sequences: Collection[int]) -> Mapping[int, Repository]:
    """Return the newest row of each pull request's repository, by the pull request's Sequence."""
    named = Repository.objects.filter(
        owner_login=OuterRef("repository_owner"), name=OuterRef("repository_name")
    )
    newest = Subquery(named.order_by("-pk").values("pk")[:1])
    found = dict(PullRequest.objects.filter(pk__in=sequences).values_list("pk", newest))
    rows = Repository.objects.in_bulk({pk for pk in found.values() if pk})
    return {sequence: rows[pk] for sequence, pk in found.items() if pk in rows}


def _seen_by(row: PullRequest, repository: Repository | None) -> int | None:
    """Return the installation that sees it: its repository's, else its own."""
    return (repository.installation_id if repository else None) or row.installation_id


def _installations(ids: Iterable[int | None]) -> dict[int | None, Installation]:
    known = [number for number in ids if number is not None]
    return {row.installation_id: row for row in current_installations().filter(installation_id__in=known)}


def _facts(kind: type[T], row: Any | None) -> T | None:
    if row is None:
        return None
    return kind(**{each.name: getattr(row, each.name) for each in fields(kind)})  # type: ignore[arg-type]
