"""Making rows pending: the one place that knows which bookkeeping goes with it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.db import models, transaction
from django.db.models import Case, CharField, Value, When

from core import bell
from core.functions import CurrentTimestamp
from webhooks.models import PullRequest
from webhooks.services import history
from webhooks.values import Cause, HistoryKind, ProcessingState

# The bell that wakes whoever claims rows.
BOT_BELL = "bot"


def pending_columns(state: ProcessingState | Any) -> dict[str, Any]:
    """Return the columns that make a row pending, without updated_at: the caller says whether that moves.

    Whatever an earlier claim left behind goes: its token (so its finalize changes nothing), failures, waiting time.
    """
    return {"processing_state": state, "processing_date": None} | cleared_claim()


def cleared_claim() -> dict[str, Any]:
    """Return the columns of a row that no claim holds and that never failed."""
    return {
        "processing_attempts": 0,
        "processing_error": None,
        "failed_date": None,
        "not_before": None,
        "claim_token": None,
        "claimed_from": None,
    }


def new_or(state: ProcessingState) -> Case:
    """Return the expression for "a NEW row stays NEW until it was processed once, any other gets this state"."""
    new = Value(ProcessingState.NEW.value)
    return Case(
        When(processing_state=ProcessingState.NEW, then=new),
        default=Value(state.value),
        output_field=CharField(),
    )


@transaction.atomic
def re_request(model: type[models.Model], sequences: Sequence[int], *, actor: str) -> int:
    """Put rows back to the bot at a person's wish and return how many there were.

    A pull request also starts its Idle Retries afresh, as after any Event (B1.31).
    """
    rows = model._default_manager.select_for_update().filter(pk__in=sequences).order_by("pk")
    states = list(rows.values_list("pk", "processing_state"))
    columns = pending_columns(new_or(ProcessingState.RE_REQUESTED)) | {"updated_at": CurrentTimestamp()}
    if model is PullRequest:
        columns["idle_retry_count"] = 0
        _note(states, actor)
    rows.order_by().update(**columns)
    bell.ring(BOT_BELL)
    return len(states)


def _note(states: list[tuple[int, str]], actor: str) -> None:
    history.append_batch(
        states,
        HistoryKind.RE_REQUEST,
        ProcessingState.RE_REQUESTED,
        reason=f"re-requested by {actor}",
        cause=Cause(actor=actor),
    )
