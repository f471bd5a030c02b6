"""Claims of workers that come over the REST API: they hold nothing but a token between two calls.

The same claims as our bot's and under the same rules (webhooks/services/claims.py, finishing.py).
"""

from __future__ import annotations

from typing import Any

from django.db import models

from core import registry
from webhooks import claim_rules
from webhooks.services import finishing, pending
from webhooks.services.claims import Batch, Claim, claim, claim_of
from webhooks.setting_specs import MAX_ATTEMPTS

# A claim may fail nothing but rows whose attempts are used up, ten at a time; there may be others behind them.
LOOKS_BEYOND_WORN = 10


class UnknownRow(Exception):
    """The table has no such row; the message is a sentence."""


class ClaimOver(Exception):
    """The token's claim holds the row no longer; the message is a sentence that says why. Nothing was written."""


def take(model: type[models.Model], *, worker: str, limit: int) -> Batch:
    """Claim up to `limit` rows; empty when there is nothing to do now."""
    attempts = registry.effective()[MAX_ATTEMPTS]
    batch = Batch()
    for _ in range(LOOKS_BEYOND_WORN):
        batch = claim(model, worker=worker, limit=limit, max_attempts=attempts)
        if batch.claims or not batch.failed:
            break
    return batch


def finish(model: type[models.Model], sequence: int, *, token: str, reason: str) -> None:
    """The work on a claimed row is done. Raises UnknownRow and ClaimOver."""
    held = _held(model, sequence, token)
    if not finishing.finalize(held, reason or f"done, says {held.worker}"):
        raise _over(model, sequence, token)


def report_failure(
    model: type[models.Model], sequence: int, *, token: str, reason: str, permanent: bool
) -> None:
    """The work on a claimed row failed: another attempt after a pause, or given up on. Raises as finish does."""
    held = _held(model, sequence, token)
    attempts = registry.effective()[MAX_ATTEMPTS]
    if not finishing.fail(held, reason, permanent=permanent, max_attempts=attempts):
        raise _over(model, sequence, token)


def ask_again(model: type[models.Model], sequence: int, *, actor: str) -> None:
    """Put a row back to whoever claims, whatever its state. Raises UnknownRow."""
    if not pending.re_request(model, [sequence], actor=actor):
        raise _unknown(model, sequence)


def state_of(model: type[models.Model], sequence: int) -> dict[str, Any]:
    """Return the columns that say where the row is by now. Raises UnknownRow."""
    columns = ("pk", "processing_state", "processing_attempts", "not_before", "processing_error")
    row = model._default_manager.filter(pk=sequence).values(*columns).first()
    if row is None:
        raise _unknown(model, sequence)
    return row


def _held(model: type[models.Model], sequence: int, token: str) -> Claim:
    held = claim_of(model, sequence, token)
    if held is None:
        raise _over(model, sequence, token)
    return held


def _over(model: type[models.Model], sequence: int, token: str) -> ClaimOver | UnknownRow:
    row: Any = model._default_manager.only("processing_state", "claim_token").filter(pk=sequence).first()
    if row is None:
        return _unknown(model, sequence)
    return ClaimOver(claim_rules.why_over(token, state=row.processing_state, row_token=row.claim_token))


def _unknown(model: type[models.Model], sequence: int) -> UnknownRow:
    return UnknownRow(f"There is no row {sequence} in {model._meta.db_table}.")
