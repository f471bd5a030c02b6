"""Reading merges and verdicts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from django.db.models import BooleanField, Exists, ExpressionWrapper, OuterRef, Q, QuerySet

from core import clock
from core.functions import CurrentTimestamp, ago
from merge.decisions import NEEDS_APPROVAL, status_of
from merge.models import Merge, MergeVerdict
from merge.values import Failure, PastMerge, Status
from sync.selectors import active_repositories, current_installations, not_throttled, repositories_in_reach
from webhooks.models import Installation, Repository
from workqueue.models import NOBODY, WorkItemDimension
from workqueue.values import Phase

# Databases take so many values in one statement, and more.
CHUNK = 500
WEEK = 7 * 24 * 60 * 60


def identity_of(repository_id: int, number: int) -> str:
    """Return what a merge is about: a pull request, by its repository's id and its number (field case F20)."""
    return f"{repository_id}:{number}"


def merges() -> QuerySet[Any]:
    """Return all merges with what their status is made of."""
    waiting = WorkItemDimension.objects.filter(
        item=OuterRef("pk"), dimension=NEEDS_APPROVAL, status=WorkItemDimension.NEEDED
    )
    is_leased = ExpressionWrapper(
        Q(leased_until__isnull=False) & Q(leased_until__gt=CurrentTimestamp()) & ~Q(lease_token=NOBODY),
        output_field=BooleanField(),
    )
    return Merge.objects.annotate(waits_for_approval=Exists(waiting), is_leased=is_leased)


def status(merge: Any) -> Status:
    """Return the status of a row of merges()."""
    return status_of(
        merge.phase,
        approved=not merge.waits_for_approval,
        leased=merge.is_leased,
        rejected=merge.rejected_at is not None,
    )


# How each status is found; the inverse of decisions.status_of.
STATUS_CONDITIONS: Mapping[Status, Q] = {
    Status.PENDING: Q(phase=Phase.ACTIVE, waits_for_approval=True),
    Status.APPROVED: Q(phase=Phase.ACTIVE, waits_for_approval=False, is_leased=False),
    Status.EXECUTING: Q(phase=Phase.ACTIVE, waits_for_approval=False, is_leased=True),
    Status.DONE: Q(phase=Phase.COMPLETED),
    Status.FAILED: Q(phase=Phase.FAILED),
    Status.REJECTED: Q(phase=Phase.CANCELLED, rejected_at__isnull=False),
    Status.CANCELLED: Q(phase=Phase.CANCELLED, rejected_at__isnull=True),
}


def past_merges(repository_id: int, number: int) -> list[PastMerge]:
    """Return the merges of a pull request as the guards see them, the newest first."""
    rows = list(merges().filter(repository_id=repository_id, number=number).order_by("-pk"))
    now = clock.now() if rows else None
    return [_past(row, now) for row in rows]


def past_merges_of(keys: Iterable[tuple[int, int]]) -> dict[tuple[int, int], list[PastMerge]]:
    """Return the same for many pull requests (repository's id and number), as far as they have any merges."""
    wanted = set(keys)
    numbers = sorted({number for _, number in wanted})
    rows = merges().filter(repository_id__in={repository for repository, _ in wanted}).order_by("-pk")
    now = clock.now()
    found: dict[tuple[int, int], list[PastMerge]] = {}
    for start in range(0, len(numbers), CHUNK):
        for row in rows.filter(number__in=numbers[start : start + CHUNK]):
            if (key := (row.repository_id, row.number)) in wanted:
                found.setdefault(key, []).append(_past(row, now))
    return found


def _past(row: Any, now: datetime | None) -> PastMerge:
    ended_ago = now - row.ended_at if now and row.ended_at else None
    return PastMerge(status=status(row), head_sha=row.head_sha, ended_ago=ended_ago)


def failures_of_a_week() -> list[Failure]:
    """Return the merges that failed in the last seven days."""
    rows = Merge.objects.filter(phase=Phase.FAILED, ended_at__gt=ago(WEEK))
    return [
        Failure(row.repository_id, row.number, row.head_sha, row.ended_at, row.place)
        for row in rows
        if row.ended_at is not None
    ]


def newest_merge(repository_id: int, number: int) -> Any:
    """Return the newest merge of a pull request with its status's parts, None if there is none."""
    return merges().filter(repository_id=repository_id, number=number).order_by("-pk").first()


def verdict_of(repository_id: int, number: int) -> MergeVerdict | None:
    """Return the newest verdict on a pull request."""
    return MergeVerdict.objects.filter(repository_id=repository_id, number=number).first()


def accounts() -> list[Installation]:
    """Return the installations that can be asked now, one for each account."""
    rows = current_installations().filter(not_throttled(), status=Installation.ACTIVE)
    return list(rows.order_by("pk"))


def repositories_of(installation_id: int) -> list[Repository]:
    """Return the repositories of an installation that take merges: there, and not archived."""
    return list(active_repositories().filter(installation_id=installation_id, archived=False).order_by("pk"))


def repository_named(owner: str, name: str) -> Repository | None:
    """Return the repository that bears a name now, if our App can reach it."""
    found: Repository | None = (
        repositories_in_reach().filter(owner_login=owner, name=name).order_by("-pk").first()
    )
    return found


def chosen(
    *, status: str | None = None, repository: str | None = None, number: int | None = None
) -> QuerySet[Any]:
    """Return merges by status, repository ("owner/name" as it was when the merge was asked for) and number."""
    rows = merges()
    if status:
        rows = rows.filter(STATUS_CONDITIONS[Status(status)])
    if repository:
        owner, _, name = repository.partition("/")
        rows = rows.filter(repository_owner=owner, repository_name=name)
    return rows if number is None else rows.filter(number=number)
