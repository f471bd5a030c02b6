"""Reading stored rows as the values that the decisions compare."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import fields
from datetime import datetime
from itertools import islice
from typing import Any, TypeVar

from django.db.models import Exists, OuterRef, Q, QuerySet

from core.functions import CurrentTimestamp, ago
from sync.models import Redelivery
from sync.values import (
    Asked,
    BranchColumns,
    F,
    InstallationMetadata,
    IssueColumns,
    PullColumns,
    RepositoryMetadata,
    StoredBranch,
    StoredInstallation,
    StoredRepository,
    StoredThread,
)
from webhooks.models import Branch, Delivery, Installation, Issue, PullRequest, Repository

# Named twice, so that whoever reads the line of the syncs finds them here as well.
from webhooks.selectors.current import current_installations as current_installations  # noqa: PLC0414
from webhooks.selectors.current import current_repositories as current_repositories  # noqa: PLC0414
from webhooks.selectors.current import removed as removed  # noqa: PLC0414
from webhooks.values import DeliveryStatus, OpenState, RefEvent

HOUR = 3600
CHUNK = 1000
SEEN = ("sequence", "updated_at", "processing_state", "delivery_id")
BRANCH = "branch"

T = TypeVar("T")


# --- whose turn it is -------------------------------------------------------------------------------------------------
def active_repositories() -> QuerySet[Repository]:
    """Return current rows that the App can ask about now: in reach, and their installation not throttled."""
    return repositories_in_reach(not_throttled())


def repositories_in_reach(*conditions: Q) -> QuerySet[Repository]:
    """Return current rows that are not gone, and whose installation is active and meets the conditions."""
    reachable = current_installations().filter(
        *conditions, installation_id=OuterRef("installation_id"), status=Installation.ACTIVE
    )
    return current_repositories().exclude(removed()).filter(Exists(reachable))


def not_throttled() -> Q:
    """Return the condition of an installation that GitHub lets us ask now, by the database's clock."""
    return Q(throttled_until=None) | Q(throttled_until__lte=CurrentTimestamp())


def next_repository() -> Repository | None:
    """Return the active repository whose last sync is the oldest, never synced ones first (NULL sorts first)."""
    found: Repository | None = active_repositories().order_by("last_sync_date", "pk").first()
    return found


def hour_has_passed() -> bool:
    """Tell whether the newest LastSyncDate is an hour old, by the database's clock (B3.20)."""
    return not Repository.objects.filter(last_sync_date__gt=ago(HOUR)).exists()


def due_installations(*, older_than: datetime, after: int = 0) -> list[Installation]:
    """Return active installations never listed, or not since that instant, whose Sequence is beyond `after`."""
    due = Q(last_sync_date=None) | Q(last_sync_date__lt=older_than)
    return list(current_installations().filter(due, status=Installation.ACTIVE, pk__gt=after).order_by("pk"))


# --- pull requests, issues, branches ----------------------------------------------------------------------------------
def open_pulls(repository: Repository) -> list[StoredThread[PullColumns]]:
    """Return the repository's open pull requests."""
    return [row for rows in _of(PullRequest, repository) for row in _pulls(rows.filter(state=OpenState.OPEN))]


def pulls_of(node_ids: Iterable[str]) -> list[StoredThread[PullColumns]]:
    """Return the pull requests of those node ids, open or not, wherever they are."""
    return [row for rows in _by("node_id", PullRequest.objects.all(), node_ids) for row in _pulls(rows)]


def open_issues(repository: Repository) -> list[StoredThread[IssueColumns]]:
    """Return the repository's open issues."""
    return [row for rows in _of(Issue, repository) for row in _issues(rows.filter(state=OpenState.OPEN))]


def issues_of(node_ids: Iterable[str]) -> list[StoredThread[IssueColumns]]:
    """Return the issues of those node ids, open or not, wherever they are."""
    return [row for rows in _by("node_id", Issue.objects.all(), node_ids) for row in _issues(rows)]


def branches(repository: Repository) -> list[StoredBranch]:
    """Return all branches (no tags) that were ever seen, those with a repository's id last."""
    return [
        StoredBranch(**_seen(row), exists=row["event"] == RefEvent.CREATE, facts=_facts(BranchColumns, row))
        for rows in _of(Branch, repository)
        for row in _read(rows.filter(ref_type=BRANCH), BranchColumns, "event")
    ]


def _of(model: type[Any], repository: Repository) -> Iterator[QuerySet[Any]]:
    """Yield a repository's rows: those without an id (outside writers) by its name, then those with it.

    Two queries, because no one index serves both conditions.
    """
    owner, name = repository.owner_login, repository.name
    yield model.objects.filter(repository_id=None, repository_owner=owner, repository_name=name)
    yield model.objects.filter(repository_id=repository.github_id)


def _pulls(rows: QuerySet[Any]) -> Iterator[StoredThread[PullColumns]]:
    for row in _read(rows, PullColumns, "state", "merged", "github_updated_at"):
        yield _thread(PullColumns, row, merged=row["merged"])


def _issues(rows: QuerySet[Any]) -> Iterator[StoredThread[IssueColumns]]:
    for row in _read(rows, IssueColumns, "state", "github_updated_at"):
        yield _thread(IssueColumns, row, merged=False)


def _thread(columns: type[F], row: dict[str, Any], *, merged: bool) -> StoredThread[F]:
    return StoredThread(
        **_seen(row),
        facts=_facts(columns, row),
        is_open=row["state"] == OpenState.OPEN,
        merged=merged,
        github_updated_at=row["github_updated_at"],
    )


# --- repositories and installations -----------------------------------------------------------------------------------
def repositories_of(installation_id: int) -> list[StoredRepository]:
    """Return the current rows of an installation's repositories."""
    return [stored_repository(row) for row in current_repositories().filter(installation_id=installation_id)]


def repositories_by_id(github_ids: Iterable[int]) -> list[StoredRepository]:
    """Return the current rows of those repositories, whoever sees them."""
    return [
        stored_repository(row)
        for found in _by("github_id", current_repositories(), github_ids)
        for row in found
    ]


def stored_repository(row: Repository) -> StoredRepository:
    """Return a current row as the comparison's value."""
    return StoredRepository(
        **_seen(vars(row)),
        facts=_facts(RepositoryMetadata, vars(row)),
        removed=row.last_action == "deleted" or row.installation_action == "removed",
        github_updated_at=row.github_updated_at,
    )


def current_repository(github_id: int) -> Repository | None:
    """Return the current row of a repository unless it is gone."""
    found: Repository | None = current_repositories().filter(github_id=github_id).exclude(removed()).first()
    return found


def installation_of_account(account_id: int) -> int | None:
    """Return the id of the active installation on an account."""
    rows = current_installations().filter(account_id=account_id, status=Installation.ACTIVE).order_by("-pk")
    return rows.values_list("installation_id", flat=True).first()


def installations() -> list[StoredInstallation]:
    """Return the current row of every installation."""
    return [stored_installation(row) for row in current_installations().order_by("pk")]


def installation(installation_id: int) -> StoredInstallation | None:
    """Return the current row of one installation."""
    row = current_installations().filter(installation_id=installation_id).first()
    return stored_installation(row) if row else None


def stored_installation(row: Installation) -> StoredInstallation:
    """Return a current row as the comparison's value."""
    return StoredInstallation(**_seen(vars(row)), facts=_facts(InstallationMetadata, vars(row)))


# --- deliveries -------------------------------------------------------------------------------------------------------
def processed_guids(guids: Iterable[str]) -> set[str]:
    """Return those of the GUIDs whose Delivery was stored and did not fail."""
    rows = Delivery.objects.exclude(status=DeliveryStatus.FAILED)
    return {guid for found in _by("guid", rows, guids) for guid in found.values_list("guid", flat=True)}


def asked_before(guids: Iterable[str]) -> dict[str, Asked]:
    """Return how often GitHub was asked for each of the GUIDs, as far as it was."""
    rows = (row for found in _by("guid", Redelivery.objects.all(), guids) for row in found)
    return {row.guid: Asked(attempts=row.attempts, next_at=row.next_at) for row in rows}


# --- how rows become values -------------------------------------------------------------------------------------------
def _read(rows: QuerySet[Any], columns: type[Any], *more: str) -> Iterator[dict[str, Any]]:
    """Yield the columns that the comparison needs, of each row, in the order of the rows' births."""
    names = (*SEEN, *(column.name for column in fields(columns)), *more)
    yield from rows.order_by("pk").values(*names)


def _seen(row: dict[str, Any]) -> dict[str, Any]:
    return {"pk": row["sequence"], **{name: row[name] for name in SEEN if name != "sequence"}}


def _facts(columns: type[F], row: dict[str, Any]) -> F:
    return columns(**{column.name: row[column.name] for column in fields(columns)})  # type: ignore[arg-type]


def _by(column: str, rows: QuerySet[Any], values: Iterable[Any]) -> Iterator[QuerySet[Any]]:
    """Yield the rows whose column has one of the values, in pieces that every database takes."""
    for piece in pieces(sorted(set(values)), CHUNK):
        yield rows.filter(**{f"{column}__in": piece})


def pieces(values: Iterable[T], size: int) -> Iterator[list[T]]:
    """Yield the values in lists of at most `size`."""
    rest = iter(values)
    while piece := list(islice(rest, size)):
        yield piece
