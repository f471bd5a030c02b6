"""What is idle: the whole list in its order, whom the worker takes next, and how many there are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Count, OuterRef, QuerySet, Subquery, Value

from core.functions import RepositoryKey
from idle.decisions import LineEntry, has_senior, served_before
from idle.models import ORDER, IdlePullRequest, IdleState
from idle.values import IdleStatus
from webhooks.models import PullRequest

# So the index of the idle view is sorted: to read on from anywhere in it needs no sorting.
_INDEX_ORDER = ("idle_retry_count", "updated_at", "repository_key", "pk")
_ENTRY = ("pk", "repository_key", "idle_retry_count", "updated_at", "idle_status_order")


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
    own = _own(row)
    fewer = _entries(IdleState.objects.filter(idle_retry_count__lt=own.retries).values_list(*_ENTRY), most)
    # Where there are too many with fewer, those with as many would make no certain answer of it.
    room = most if len(fewer) < most else 0
    same = _with_last_update(IdleState.objects.filter(idle_retry_count=own.retries))
    as_many = _entries(same.filter(updated_at__lte=own.last_update), room)
    if has_senior(own, [*fewer, *as_many]):
        as_many += _entries(same.filter(updated_at__gt=own.last_update), room - len(as_many))
    found = served_before(own, [*fewer, *as_many])
    return Ahead([entry.sequence for entry in found], complete=max(len(fewer), len(as_many)) < most)


def _own(row: IdleState) -> LineEntry:
    newest = PullRequest.objects.filter(repository_key=row.repository_key).order_by("-updated_at")
    last = newest.values_list("updated_at", flat=True).first()
    entry = LineEntry(*(getattr(row, column) for column in _ENTRY))
    return entry._replace(last_update=last or row.updated_at)


def _with_last_update(rows: QuerySet[IdleState]) -> QuerySet[IdleState, Any]:
    """Return entries with their repository's newest UpdatedAt: one probe each, where a grouping would read them all."""
    repository = PullRequest.objects.filter(repository_key=OuterRef("repository_key")).order_by("-updated_at")
    return rows.values_list(*_ENTRY, Subquery(repository.values("updated_at")[:1]))


def _entries(rows: QuerySet[IdleState, Any], most: int) -> list[LineEntry]:
    return [LineEntry(*row) for row in rows.order_by(*_INDEX_ORDER)[:most]]
