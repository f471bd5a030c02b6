"""What is idle: the whole list in its order, whom the worker takes next, and how many there are."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Count, Max, QuerySet, Value

from core.functions import RepositoryKey
from idle.decisions import DueEntry, served_before
from idle.models import ORDER, IdlePullRequest, IdleState
from idle.values import IdleStatus
from webhooks.models import PullRequest

# So the index of the idle view is sorted: to read on from anywhere in it needs no sorting.
_INDEX_ORDER = ("idle_retry_count", "updated_at", "repository_key", "pk")


def in_order() -> QuerySet[IdlePullRequest]:
    """Return all Idle Pull Requests, the one to be served first at the top (docs/decisions/0008).

    The order is named here, because the view's own is lost in joins and subqueries.
    """
    return IdlePullRequest.objects.order_by(*ORDER)


@dataclass(frozen=True, kw_only=True)
class Wanted:
    """Which Idle Pull Requests are wanted; None = any. `repository` = "owner/name"."""

    status: str | None = None
    repository: str | None = None
    private: bool | None = None
    blocked: bool | None = None
    retry_count: int | None = None


@dataclass(frozen=True)
class IdlePage:
    """The rows of one page, its number from 1, and whether there is another."""

    rows: list[IdlePullRequest]
    number: int
    has_next: bool


def page(wanted: Wanted, *, number: int, size: int) -> IdlePage:
    """Return a page, in order.

    Pages are counted, not keyed: ranks are made anew at each reading, so no cursor could point between two.
    """
    start = (number - 1) * size
    found = list(in_order().filter(**_conditions(wanted))[start : start + size + 1])
    return IdlePage(found[:size], number, has_next=len(found) > size)


def _conditions(wanted: Wanted) -> dict[str, object]:
    conditions = {
        "idle_status": wanted.status or None,
        "repository_key": key_of(wanted.repository) if wanted.repository else None,
        "repository_private": wanted.private,
        "blocked__isnull": None if wanted.blocked is None else not wanted.blocked,
        "idle_retry_count": wanted.retry_count,
    }
    return {column: value for column, value in conditions.items() if value is not None}


def key_of(repository: str) -> RepositoryKey:
    """Return what finds a repository's rows by their `repository_key`, given "owner/name" in any letter case."""
    owner, _, name = repository.partition("/")
    return RepositoryKey(Value(owner), Value(name))


def due_in_reach() -> QuerySet[IdlePullRequest]:
    """Return the DUE ones whose repository is not known to be out of reach, in order."""
    return due().filter(blocked=None)


def due() -> QuerySet[IdlePullRequest]:
    """Return all DUE ones in order; those with a `blocked`, which says why, are skipped by the worker."""
    return in_order().filter(idle_status=IdleStatus.DUE)


def next_due() -> IdlePullRequest | None:
    """Return the pull request that gets the next Idle Retry, or None when nothing is due."""
    return due_in_reach().first()


def counts() -> dict[IdleStatus, int]:
    """Return how many Idle Pull Requests have each status, zeros included; far cheaper than the view."""
    rows = IdleState.objects.order_by().values_list("idle_status_order").annotate(rows=Count("*"))
    found = dict(rows)
    return {status: found.get(status.order, 0) for status in IdleStatus}


def due_instants(sequences: Sequence[int]) -> dict[int, datetime | None]:
    """Return when each Idle Pull Request among these becomes (or became) DUE, None = given up; others are left out."""
    states = IdleState.objects.filter(pk__in=sequences).values_list("pk", "updated_at", "idle_wait_days")
    return {pk: at + timedelta(days=wait) if wait else None for pk, at, wait in states}


@dataclass(frozen=True)
class Ahead:
    """The Sequences of DUE pull requests that are served before one, and whether that is all of them."""

    sequences: list[int]
    complete: bool


def ahead_of(row: IdleState, *, most: int) -> Ahead:
    """Return who is served before a DUE one, reading about twice `most` entries of the index and no more.

    The view ranks all idle pull requests to place one. Before it come only those with fewer Idle Retries, and of those
    with as many the ones that are the first of a quieter repository, whose rows are all older than this one's last
    update; or any, once its own repository had its turn.
    """
    fewer = _entries(IdleState.objects.filter(idle_retry_count__lt=row.idle_retry_count), most)
    # Where there are too many with fewer, those with as many would make no certain answer of it.
    last, room = _last_updates([row.repository_key]), most if len(fewer) < most else 0
    same = IdleState.objects.filter(idle_retry_count=row.idle_retry_count)
    as_many = _entries(same.filter(updated_at__lte=last[row.repository_key]), room)
    if row.repository_key in _keys(_seniors(row, [*fewer, *as_many])):
        as_many += _entries(same.filter(updated_at__gt=last[row.repository_key]), room - len(as_many))
    others = map(_entry, filter(_is_due, [*fewer, *as_many]))
    found = served_before(_entry(row), others, last | _last_updates(_keys(as_many)))
    return Ahead([entry.sequence for entry in found], complete=max(len(fewer), len(as_many)) < most)


def _seniors(row: IdleState, others: list[IdleState]) -> list[IdleState]:
    own = _entry(row).seniority
    return [other for other in others if _entry(other).seniority < own]


def _entries(rows: QuerySet[IdleState], most: int) -> list[IdleState]:
    return list(rows.order_by(*_INDEX_ORDER)[:most])


def _is_due(row: IdleState) -> bool:
    return row.idle_status_order == IdleStatus.DUE.order


def _entry(row: IdleState) -> DueEntry:
    return DueEntry(
        sequence=row.pk,
        repository=row.repository_key,
        retries=row.idle_retry_count,
        updated_at=row.updated_at,
    )


def _keys(rows: list[IdleState]) -> set[int | str]:
    return {row.repository_key for row in rows}


def _last_updates(keys: Iterable[int | str]) -> dict[int | str, datetime]:
    """Return each repository's newest UpdatedAt, with one probe of an index for each."""
    groups = PullRequest.objects.filter(repository_key__in=keys).order_by().values_list("repository_key")
    return dict(groups.annotate(newest=Max("updated_at")))
