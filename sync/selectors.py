"""Reading stored rows as the values that the decisions compare."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from django.db.models import Exists, OuterRef, Q, QuerySet

from core.functions import CurrentTimestamp, ago
from sync.values import StoredBranch, StoredInstallation, StoredIssue, StoredPull, StoredRepository
from webhooks.models import Branch, Installation, Issue, PullRequest, Repository
from webhooks.values import OpenState, RefEvent

HOUR = 3600
# An IN list of this many values fits every database.
CHUNK = 1000
SEEN = ("pk", "updated_at", "processing_state")


def current_repositories() -> QuerySet[Repository]:
    """Return the current row of every repository: the highest Sequence of its Id."""
    newer = Repository.objects.filter(github_id=OuterRef("github_id"), pk__gt=OuterRef("pk"))
    return Repository.objects.filter(~Exists(newer))


def current_installations() -> QuerySet[Installation]:
    """Return the current row of every installation."""
    newer = Installation.objects.filter(installation_id=OuterRef("installation_id"), pk__gt=OuterRef("pk"))
    return Installation.objects.filter(~Exists(newer))


def removed() -> Q:
    """Return the condition of a repository row that says "gone"."""
    return Q(last_action="deleted") | Q(installation_action="removed")


def active_repositories() -> QuerySet[Repository]:
    """Return current rows that the App can reach: not gone, and their installation active and not throttled."""
    reachable = current_installations().filter(
        Q(throttled_until=None) | Q(throttled_until__lte=CurrentTimestamp()),
        installation_id=OuterRef("installation_id"),
        status=Installation.ACTIVE,
    )
    return current_repositories().exclude(removed()).filter(Exists(reachable))


def next_repository() -> Repository | None:
    """Return the active repository whose last sync is the oldest, never synced ones first."""
    never = active_repositories().filter(last_sync_date=None).order_by("pk").first()
    return never or active_repositories().order_by("last_sync_date", "pk").first()


def hour_has_passed() -> bool:
    """Tell whether the newest LastSyncDate is an hour old, by the database's clock (B3.20)."""
    return not Repository.objects.filter(last_sync_date__gt=ago(HOUR)).exists()


def of_repository(model: type[Any], repository: Repository) -> QuerySet[Any]:
    """Return a table's rows of a repository, those without an id (outside writers) by its name."""
    by_name = Q(repository_id=None, repository_owner=repository.owner_login, repository_name=repository.name)
    rows: QuerySet[Any] = model.objects.filter(Q(repository_id=repository.github_id) | by_name)
    return rows


def stored_pulls(repository: Repository, node_ids: Iterable[str]) -> list[StoredPull]:
    """Return the pull requests that the comparison needs: the open ones, and those GitHub lists as open."""
    facts = ("title", "ref", "head_sha", "draft", "auto_merge_enabled", "github_updated_at")
    rows = _open_or_listed(PullRequest, repository, node_ids, (*SEEN, "node_id", "state", "merged", *facts))
    return [StoredPull(is_open=row.pop("state") == OpenState.OPEN, **row) for row in rows]


def stored_issues(repository: Repository, node_ids: Iterable[str]) -> list[StoredIssue]:
    """Return the issues that the comparison needs."""
    rows = _open_or_listed(Issue, repository, node_ids, (*SEEN, "node_id", "state", "title", "github_updated_at"))
    return [StoredIssue(is_open=row.pop("state") == OpenState.OPEN, **row) for row in rows]


def _open_or_listed(
    model: type[Any], repository: Repository, node_ids: Iterable[str], columns: tuple[str, ...]
) -> Iterator[dict[str, Any]]:
    """Yield the repository's open rows, then the rows of listed node ids that were not among them."""
    missing = set(node_ids)
    for row in of_repository(model, repository).filter(state=OpenState.OPEN).order_by("pk").values(*columns):
        missing.discard(row["node_id"])
        yield row
    for chunk in batched(sorted(missing), CHUNK):
        yield from model.objects.filter(node_id__in=chunk).order_by("pk").values(*columns)


def stored_branches(repository: Repository) -> list[StoredBranch]:
    """Return all branches (no tags) that were ever seen."""
    rows = of_repository(Branch, repository).filter(ref_type="branch").order_by("pk").values(*SEEN, "event", "ref")
    return [StoredBranch(exists=row.pop("event") == RefEvent.CREATE, name=row.pop("ref"), **row) for row in rows]


def stored_repositories(installation_id: int, listed: Iterable[int]) -> list[StoredRepository]:
    """Return the current rows of an installation's repositories, and of those it lists."""
    wanted = Q(installation_id=installation_id) | Q(github_id__in=list(listed))
    return [stored_repository(row) for row in current_repositories().filter(wanted).order_by("pk")]


def stored_repository(row: Repository) -> StoredRepository:
    """Return a current row as the comparison's value."""
    return StoredRepository(
        pk=row.pk,
        updated_at=row.updated_at,
        processing_state=row.processing_state,
        github_id=row.github_id,
        owner=row.owner_login,
        name=row.name,
        private=row.private,
        archived=row.archived,
        owner_id=row.owner_id,
        installation_id=row.installation_id,
        removed=row.last_action == "deleted" or row.installation_action == "removed",
    )


def stored_installations() -> list[StoredInstallation]:
    """Return the current row of every installation."""
    return [
        StoredInstallation(
            pk=row.pk,
            updated_at=row.updated_at,
            processing_state=row.processing_state,
            installation_id=row.installation_id,
            account_id=row.account_id,
            account_login=row.account_login,
            account_type=row.account_type,
            repository_selection=row.repository_selection,
            active=row.status == Installation.ACTIVE,
            suspended=row.suspended_date is not None,
        )
        for row in current_installations().order_by("pk")
    ]


def batched(values: Sequence[str], size: int) -> Iterator[Sequence[str]]:
    """Yield the values in pieces of at most `size`."""
    return (values[start : start + size] for start in range(0, len(values), size))
