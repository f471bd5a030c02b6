"""What is idle: the whole list in its order, whom the worker takes next, and how many there are."""

from __future__ import annotations

from django.db.models import Count, QuerySet

from idle.models import ORDER, IdlePullRequest, IdleState
from idle.values import IdleStatus


def in_order() -> QuerySet[IdlePullRequest]:
    """Return all Idle Pull Requests, the one to be served first at the top (docs/decisions/0008).

    The order is named here, because the view's own is lost in joins and subqueries.
    """
    return IdlePullRequest.objects.order_by(*ORDER)


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
