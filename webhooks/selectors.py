"""Which rows could be claimed now, and which were given up on.

Candidates are read by SQL of ours: they are read at every claim, and Django's ORM cannot write a UNION of limited queries
for SQLite. Each state is a branch of its own, because only then an index gives its oldest rows without a sorting of the
whole backlog. Nothing is locked: a lock on every candidate would leave nothing to other workers.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

from django.db import connection, models
from django.db.models import Q

from core.functions import CurrentTimestamp, ago
from webhooks.claim_rules import STALE_AFTER, Candidate
from webhooks.models import Installation, PullRequest
from webhooks.models.base import InstallationColumn
from webhooks.values import PENDING, STATES_WITHOUT_IDLE, ProcessingState

_BRANCH = """
SELECT * FROM (SELECT t.UpdatedAt, t.Sequence, {repository} FROM {table} t WHERE t.ProcessingState = '{state}'{more}
AND (t.NotBefore IS NULL OR t.NotBefore <= CURRENT_TIMESTAMP){in_reach}
ORDER BY {order}, t.Sequence LIMIT {limit}) s"""
# Until when GitHub wants to be left alone is written in the installation's current row.
_IN_REACH = """ AND COALESCE((SELECT i.ThrottledUntil FROM github_installations i
WHERE i.InstallationId = t.InstallationId ORDER BY i.Sequence DESC LIMIT 1) <= CURRENT_TIMESTAMP, 1)"""
_STALE = {
    "mysql": f" AND t.ProcessingDate <= CURRENT_TIMESTAMP - INTERVAL {STALE_AFTER} SECOND",
    "sqlite": f" AND t.ProcessingDate <= datetime(CURRENT_TIMESTAMP, '-{STALE_AFTER} seconds')",
}
_REPOSITORIES = """
SELECT * FROM (SELECT MIN(t.UpdatedAt) AS Oldest, '{state}', t.RepositoryKey FROM github_pull_requests t
WHERE t.ProcessingState = '{state}' GROUP BY t.RepositoryKey ORDER BY Oldest LIMIT {limit}) s"""


def claimable() -> Q:
    """Return the rule for one row: pending, or claimed over an hour ago, and its waiting time over."""
    pending = Q(processing_state__in=PENDING)
    stale = Q(processing_state=ProcessingState.PROCESSING, processing_date__lte=ago(STALE_AFTER))
    return (pending | stale) & (Q(not_before=None) | Q(not_before__lte=CurrentTimestamp()))


def oldest(model: type[models.Model], size: int) -> list[Candidate]:
    """Return the claimable rows whose installation is in reach, the oldest of each state, at most so many of each."""
    return [Candidate(*row) for row in _rows(_oldest_sql(model, size, connection.vendor))]


def oldest_by_repository(repositories: int, share: int) -> list[Candidate]:
    """Return up to `share` pull requests of each of those repositories that have waited longest.

    While one repository's backlog fills whatever oldest() reads, this finds the others behind it.
    """
    first = _rows(_union([_REPOSITORIES.format(state=state, limit=repositories) for state in PENDING]))
    found = sorted(first, key=lambda row: row[0])[:repositories]
    if not found:
        return []
    branches = [
        _branch(PullRequest, state, limit=share, more=" AND t.RepositoryKey = %s") for _, state, _ in found
    ]
    return [Candidate(*row) for row in _rows(_union(branches), [key for _, _, key in found])]


def failed_rows(model: type[models.Model]) -> models.QuerySet[Any]:
    """Return the rows that were given up on: finalized with an error."""
    return model._default_manager.filter(
        processing_state=ProcessingState.PROCESSED, processing_error__isnull=False
    )


@cache
def _oldest_sql(model: type[models.Model], size: int, vendor: str) -> str:
    states = PENDING if model is PullRequest else tuple(s for s in PENDING if s in STATES_WITHOUT_IDLE)
    pending = [_branch(model, state, limit=size) for state in states]
    stale = _branch(
        model, ProcessingState.PROCESSING, limit=size, more=_STALE[vendor], order="t.ProcessingDate"
    )
    return _union([*pending, stale])


def _branch(
    model: type[models.Model], state: str, *, limit: int, more: str = "", order: str = "t.UpdatedAt"
) -> str:
    return _BRANCH.format(
        table=model._meta.db_table,
        state=state,
        more=more,
        order=order,
        limit=limit,
        repository="t.RepositoryKey" if model is PullRequest else "NULL",
        in_reach=_IN_REACH if issubclass(model, InstallationColumn) or model is Installation else "",
    )


def _union(branches: Sequence[str]) -> str:
    return " UNION ALL ".join(branches)


def _rows(statement: str, parameters: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(statement, parameters)
        return list(cursor.fetchall())
