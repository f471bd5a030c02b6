"""Which rows could be claimed now, and which were given up on.

These statements run at every claim, and are SQL of ours: Django's ORM has no UNION of limited queries for SQLite, and
phrasing a claim would take it longer than the database takes to do it. Each state is a branch of its own, because only
then an index gives its oldest rows without a sorting of the whole backlog. Candidates are read without locks: locking
them all would leave nothing to others.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

from django.db import connection, models
from django.db.models import F, Q

from core.functions import CurrentTimestamp
from webhooks.claim_rules import STALE_AFTER, Candidate
from webhooks.models import Installation, PullRequest, PullRequestLook
from webhooks.models.base import InstallationColumn
from webhooks.values import PENDING, STATES_WITHOUT_IDLE, ProcessingState

# Other programs' SQL re-requests, claims and finalizes rows and leaves ProcessingError and FailedDate where they are;
# but whoever finalizes sets ProcessedDate. So a failure is over as soon as the two dates differ; only what is claimed
# and finalized within the very second of its failure would be mistaken, as instants are whole seconds.
FAILED = Q(
    processing_state=ProcessingState.PROCESSED,
    failed_date=F("processed_date"),
    processing_error__isnull=False,
)

_AN_HOUR_OLD = {
    "mysql": f"t.ProcessingDate <= CURRENT_TIMESTAMP - INTERVAL {STALE_AFTER} SECOND",
    "sqlite": f"t.ProcessingDate <= datetime(CURRENT_TIMESTAMP, '-{STALE_AFTER} seconds')",
}
_WAITED = "(t.NotBefore IS NULL OR t.NotBefore <= CURRENT_TIMESTAMP)"
# Until when GitHub wants to be left alone is written in the installation's current row.
_IN_REACH = """ AND COALESCE((SELECT i.ThrottledUntil FROM github_installations i
WHERE i.InstallationId = t.InstallationId ORDER BY i.Sequence DESC LIMIT 1) <= CURRENT_TIMESTAMP, 1)"""
# A query with a LIMIT becomes part of a UNION like this on either database.
_PART = "SELECT * FROM ({}) part"
_BRANCH = """SELECT t.UpdatedAt, t.Sequence, {repository} FROM {table} t
WHERE t.ProcessingState = '{state}' AND {more} AND {waited}{in_reach}
ORDER BY {order}, t.Sequence LIMIT {limit}"""
_REPOSITORIES = """SELECT MIN(t.UpdatedAt) AS Oldest, '{state}', t.RepositoryKey FROM github_pull_requests t
WHERE t.ProcessingState = '{state}' GROUP BY t.RepositoryKey ORDER BY Oldest LIMIT {limit}"""
_LOCK = """SELECT t.*, CURRENT_TIMESTAMP AS locked_at FROM {table} t WHERE t.Sequence IN ({places}) AND {waited}
AND (t.ProcessingState IN ({pending}) OR t.ProcessingState = 'PROCESSING' AND {stale}){skip_locked}"""


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
        _branch(PullRequest, state, limit=share, more="t.RepositoryKey = %s") for _, state, _ in found
    ]
    return [Candidate(*row) for row in _rows(_union(branches), [key for _, _, key in found])]


def lock_claimable(model: type[models.Model], sequences: Sequence[int]) -> list[Any]:
    """Lock those of the rows that are still claimable and that nobody else holds; returns them in no order.

    Each has an attribute more, `locked_at`: the present, as the database's driver gives it (see core.clock.instant).
    """
    statement = _lock_sql(model, len(sequences), connection.vendor)
    return list(model._default_manager.raw(statement, sequences))


def failed_rows(model: type[models.Model]) -> models.QuerySet[Any]:
    """Return the rows that were given up on: finalized with an error, and by nobody since.

    Reads the index of FailedDate alone, and of the table no more than what it finds there.
    """
    return model._default_manager.filter(FAILED, failed_date__isnull=False)


def parked_looks() -> models.QuerySet[PullRequestLook]:
    """Return the looks that were given up on; each comes back when somebody asks for another one."""
    return PullRequestLook.objects.filter(failed_date__isnull=False)


def due_looks() -> models.QuerySet[PullRequestLook]:
    """Return the looks that can be taken now."""
    return PullRequestLook.objects.filter(failed_date=None, due_at__lte=CurrentTimestamp())


@cache
def _oldest_sql(model: type[models.Model], size: int, vendor: str) -> str:
    states = PENDING if model is PullRequest else tuple(s for s in PENDING if s in STATES_WITHOUT_IDLE)
    pending = [_branch(model, state, limit=size) for state in states]
    stale = _branch(
        model, ProcessingState.PROCESSING, limit=size, more=_AN_HOUR_OLD[vendor], order="t.ProcessingDate"
    )
    return _union([*pending, stale])


@cache
def _lock_sql(model: type[models.Model], number: int, vendor: str) -> str:
    return _LOCK.format(
        table=model._meta.db_table,
        places=", ".join(["%s"] * number),
        waited=_WAITED,
        pending=", ".join(f"'{state}'" for state in PENDING),
        stale=_AN_HOUR_OLD[vendor],
        # SQLite has no row locks: a transaction of ours holds the whole file from its first statement.
        skip_locked=" FOR UPDATE SKIP LOCKED"
        if connection.features.has_select_for_update_skip_locked
        else "",
    )


def _branch(
    model: type[models.Model], state: str, *, limit: int, more: str = "1 = 1", order: str = "t.UpdatedAt"
) -> str:
    return _BRANCH.format(
        table=model._meta.db_table,
        state=state,
        more=more,
        waited=_WAITED,
        order=order,
        limit=limit,
        repository="t.RepositoryKey" if model is PullRequest else "NULL",
        in_reach=_IN_REACH if issubclass(model, InstallationColumn) or model is Installation else "",
    )


def _union(branches: Sequence[str]) -> str:
    return " UNION ALL ".join(_PART.format(branch) for branch in branches)


def _rows(statement: str, parameters: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(statement, parameters)
        return list(cursor.fetchall())
