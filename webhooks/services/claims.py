"""Claiming rows: whoever works on pending rows takes them here, our bot and the REST API alike.

Programs that claim by SQL of their own (docs/architecture.md, "Tables") may run beside it: a row is taken under its
lock or skipped, so nobody ever gets what another has. See docs/decisions/0030-claims.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache, partial
from typing import Any

from django.db import connection, models
from django.db.models import F

from core import clock
from core.functions import CurrentTimestamp
from core.transactions import patiently
from webhooks import claim_rules, selectors
from webhooks.claim_rules import BATCH, MAX_ATTEMPTS, REPOSITORY_SHARE, Candidate
from webhooks.models import PullRequest
from webhooks.models.base import VERSION_LENGTH
from webhooks.services import history
from webhooks.services.pending import cleared_claim
from webhooks.values import PENDING, Cause, HistoryKind, ProcessingState

# So many times the batch are read as candidates, of each state: what that many workers at once take.
WORKERS = 4
# How often a claim looks again while others took whatever it had found.
LOOKS = 5


@dataclass(frozen=True, kw_only=True)
class Claim:
    """One claimed row, to be handed to the functions of webhooks/services/finishing.py.

    `row` as it was read under its lock, before the claim was written to it: its updated_at says how long it waited, its
    processing_state what it was. `claimed_from` = the pending state to go back to; None = another program claimed it
    before and died. `attempt` counts from 1. `at` = the ProcessingDate that this claim set.
    """

    row: Any
    token: str
    worker: str
    at: datetime
    attempt: int
    claimed_from: ProcessingState | None

    @property
    def model(self) -> type[models.Model]:
        return type(self.row)

    @property
    def installation_id(self) -> int | None:
        """The installation through which GitHub is asked; None for a plain webhook's row and for users."""
        return getattr(self.row, "installation_id", None)

    @property
    def cause(self) -> Cause:
        return Cause(actor=self.worker, claim_token=self.token)


@dataclass(frozen=True, kw_only=True)
class Batch:
    """What one claim() got: claims under one token, in the order to be worked off; Sequences of rows that it failed.

    Empty in both = nothing to do now. `failed` alone: there may be more behind them.
    """

    token: str = ""
    claims: tuple[Claim, ...] = ()
    failed: tuple[int, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.claims or self.failed)


def claim(
    model: type[models.Model], *, worker: str, limit: int = BATCH, max_attempts: int = MAX_ATTEMPTS
) -> Batch:
    """Take up to `limit` rows of a claimed table, oldest first, for the worker of that name (GstracciniBotVersion).

    Pending rows and claims over an hour old, their NotBefore and their installation's ThrottledUntil not in the
    future; at most three pull requests of one repository while others wait. Of claims that went silent a batch repeats
    one, as its last. A row whose attempts are used up is finalized with an error instead. UpdatedAt moves. Raises what
    the database raises.
    """
    order = _Order(model, worker[:VERSION_LENGTH], limit, max_attempts)
    for _ in range(LOOKS):
        waiting = _waiting(model, limit)
        if not waiting:
            break
        if batch := patiently(partial(_take, order, waiting)):
            return batch
    return Batch()


def claim_of(model: type[models.Model], sequence: int, token: str) -> Claim | None:
    """Return the claim of that row which the token stands for, or None when it is over (or never was)."""
    try:
        at = claim_rules.claimed_at(token)
    except ValueError:
        return None
    row: Any = model._default_manager.filter(
        pk=sequence, processing_state=ProcessingState.PROCESSING, claim_token=token, processing_date=at
    ).first()
    if row is None:
        return None
    return Claim(
        row=row,
        token=token,
        worker=row.gstraccini_bot_version or "",
        at=at,
        attempt=row.processing_attempts,
        claimed_from=_known_state(row.claimed_from),
    )


@dataclass(frozen=True)
class _Order:
    """What a caller of claim() asked for."""

    model: type[models.Model]
    worker: str
    limit: int
    max_attempts: int


def _waiting(model: type[models.Model], limit: int) -> list[Candidate]:
    """Return the candidates in the order in which they are served."""
    size = WORKERS * max(BATCH, limit)
    found = selectors.oldest(model, size)
    line = claim_rules.line_up(found)
    if model is PullRequest and len(found) >= size and len(line.within_share) < limit:
        line = claim_rules.line_up({*found, *selectors.oldest_by_repository(2 * limit, REPOSITORY_SHARE)})
    return list(line)


def _take(order: _Order, waiting: Sequence[Candidate]) -> Batch:
    """Take the first candidates that nobody else has, or whose attempts are used up."""
    rows = _lock_first(order, waiting)
    if not rows:
        return Batch()
    at = clock.instant(rows[0].locked_at)
    token = claim_rules.new_token(at)
    worn = [row for row in rows if _tries(row) >= order.max_attempts]
    fit = [row for row in rows if _tries(row) < order.max_attempts]
    claims = [_claim(row, order.worker, token, at) for row in _suspect_last(fit)]
    _write_claims(order.model, claims)
    for row in worn:
        _fail_worn(row, order.worker)
    return Batch(token=token, claims=tuple(claims), failed=tuple(row.pk for row in worn))


def _lock_first(order: _Order, waiting: Sequence[Candidate]) -> list[Any]:
    """Lock and return the first handful of candidates of which any is still to be had, in their order."""
    for start in range(0, len(waiting), order.limit):
        wanted = [candidate.sequence for candidate in waiting[start : start + order.limit]]
        if found := selectors.lock_claimable(order.model, wanted):
            return sorted(found, key=lambda row: wanted.index(row.pk))
    return []


def _suspect_last(rows: Sequence[Any]) -> list[Any]:
    """Return the pending rows, then at most one whose last claim went silent; its like wait for the next claims.

    Whoever killed a worker is among the rows of that worker's batch. Claimed together again, it would keep on
    dragging the others down until all of them had used up their attempts.
    """
    pending = [row for row in rows if not _is_stale(row)]
    return pending + [row for row in rows if _is_stale(row)][:1]


def _tries(row: Any) -> int:
    """Return how often a row was tried since it was last given up on or done.

    Other programs' SQL re-requests a failed row without knowing of attempts; it gets as many as any other.
    """
    return 0 if row.failed_date else row.processing_attempts


def _is_stale(row: Any) -> bool:
    return bool(row.processing_state == ProcessingState.PROCESSING)


def _claim(row: Any, worker: str, token: str, at: datetime) -> Claim:
    return Claim(
        row=row,
        token=token,
        worker=worker,
        at=at,
        attempt=_tries(row) + 1,
        claimed_from=_known_state(row.claimed_from if _is_stale(row) else row.processing_state),
    )


def _write_claims(model: type[models.Model], claims: Sequence[Claim]) -> None:
    if not claims:
        return
    first = claims[0]
    sequences = [claim.row.pk for claim in claims]
    at = connection.ops.adapt_datetimefield_value(first.at)
    with connection.cursor() as cursor:
        cursor.execute(_claim_sql(model, len(claims)), [at, first.token, first.worker, *sequences])
    if model is PullRequest:
        history.append_lines([_claim_line(claim) for claim in claims], first.cause)


@cache
def _claim_sql(model: type[models.Model], number: int) -> str:
    """Return the claim's UPDATE. What reads a column stands before what sets it: MariaDB goes from left to right."""
    return f"""UPDATE {model._meta.db_table} SET
        ClaimedFrom = CASE WHEN ProcessingState = 'PROCESSING' THEN ClaimedFrom ELSE ProcessingState END,
        ProcessingState = 'PROCESSING', ProcessingDate = %s, ClaimToken = %s, GstracciniBotVersion = %s,
        ProcessingAttempts = CASE WHEN FailedDate IS NULL THEN ProcessingAttempts + 1 ELSE 1 END, FailedDate = NULL,
        UpdatedAt = CURRENT_TIMESTAMP
        WHERE Sequence IN ({", ".join(["%s"] * number)})"""  # noqa: S608 -- names of ours


def _claim_line(claim: Claim) -> history.Line:
    return history.Line(
        pull_request=claim.row.pk,
        kind=HistoryKind.CLAIM,
        states=(claim.row.processing_state, ProcessingState.PROCESSING),
        reason=claim_rules.claim_reason(claim.worker, claim.attempt, stale=_is_stale(claim.row)),
    )


def _fail_worn(row: Any, worker: str) -> None:
    """Finalize a row with an error: its last attempt was used up and nobody came back from it."""
    error = claim_rules.worn_out(row.processing_attempts, row.processing_error)
    before = row.processing_state
    columns = failed_columns(error, attempts=row.processing_attempts)
    type(row)._default_manager.filter(pk=row.pk).update(**columns)
    if isinstance(row, PullRequest):
        history.append(
            row.pk,
            HistoryKind.FAIL,
            (before, ProcessingState.PROCESSED),
            reason=error,
            cause=Cause(actor=worker),
        )


def failed_columns(error: str, *, attempts: int) -> dict[str, Any]:
    """Return the columns of a row that is given up on after so many attempts. UpdatedAt stays."""
    return cleared_claim() | {
        "processing_state": ProcessingState.PROCESSED,
        "processed_date": CurrentTimestamp(),
        "processing_attempts": attempts,
        "processing_error": error,
        "failed_date": CurrentTimestamp(),
        "updated_at": F("updated_at"),
    }


def _known_state(state: str | None) -> ProcessingState | None:
    return ProcessingState(state) if state in PENDING else None
