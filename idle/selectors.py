"""What is idle: the whole list in its order, whom the worker takes next, and how many there are."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import Count, QuerySet

from idle.models import ORDER, IdlePullRequest, IdleState
from idle.values import IdleStatus


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
    owner, _, name = (wanted.repository or "").partition("/")
    conditions = {
        "idle_status": wanted.status or None,
        "repository_owner": owner or None,
        "repository_name": name or None,
        "repository_private": wanted.private,
        "blocked__isnull": None if wanted.blocked is None else not wanted.blocked,
        "idle_retry_count": wanted.retry_count,
    }
    return {column: value for column, value in conditions.items() if value is not None}


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
