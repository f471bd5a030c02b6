"""Giving Idle Retries: the worker's step, and an operator's reset."""

from __future__ import annotations

from django.db import transaction
from django.db.models import F

from core import bell
from core.passes import Run
from idle.models import IdlePullRequest
from idle.selectors import counts, due, due_in_reach
from idle.setting_specs import RETRIES_PER_RUN
from idle.values import IdleStatus, retry_reason
from webhooks.models import PullRequest
from webhooks.services import history
from webhooks.services.pending import BOT_BELL, pending_columns
from webhooks.values import Cause, HistoryKind, OpenState, ProcessingState

# How many lost races one run makes good. Whoever loses more meets a bot at work: the next run is soon enough.
SPARE = 20
# So far along the line one run looks for those that are out of reach.
HEAD = 1_000


def retry_due(run: Run) -> None:
    """Give the first DUE pull requests that are in reach one Idle Retry each, as many as the Setting says.

    All of them come from one reading of the line. Read again after each, it would serve the quietest
    repository several times in a row, because an Idle Retry is no activity (B1.20).
    """
    wanted = run.settings[RETRIES_PER_RUN]
    candidates, skipped = head_of_the_line(wanted + SPARE)
    run.count("due", counts()[IdleStatus.DUE])
    run.count("retried", 0)
    run.count("skipped_out_of_reach", skipped)
    run.count("lost_races", 0)
    for candidate in candidates:
        if run.counters["retried"] == wanted or run.out_of_time():
            break
        run.count("retried" if _retry(candidate, run) else "lost_races")


def head_of_the_line(number: int) -> tuple[list[IdlePullRequest], int]:
    """Return so many DUE ones in reach, and how many of the first in line are out of reach.

    Counting all that are out of reach would read every idle pull request's row: at a million of them, half a minute.
    """
    line = list(due()[:HEAD])
    in_reach = [candidate for candidate in line if candidate.blocked is None]
    if len(line) < HEAD or len(in_reach) >= number:
        return in_reach[:number], len(line) - len(in_reach)
    return list(due_in_reach()[:number]), len(line) - len(in_reach)


@transaction.atomic
def _retry(candidate: IdlePullRequest, run: Run) -> bool:
    """Make one pull request IDLE unless anybody wrote it since it was read; tell whether that worked."""
    run.hold_lock()
    untouched = PullRequest.objects.filter(
        pk=candidate.pk,
        state=OpenState.OPEN,
        processing_state=ProcessingState.PROCESSED,
        idle_retry_count=candidate.idle_retry_count,
        updated_at=candidate.updated_at,
    )
    # UpdatedAt stays, and with it the pull request's place near the front of the bot's claims (B1.25, B1.26).
    columns = pending_columns(ProcessingState.IDLE) | {"updated_at": F("updated_at")}
    if not untouched.update(**columns, idle_retry_count=F("idle_retry_count") + 1):
        return False
    history.append(
        candidate.pk,
        HistoryKind.IDLE_RETRY,
        (ProcessingState.PROCESSED, ProcessingState.IDLE),
        reason=retry_reason(
            retry=candidate.idle_retry_count + 1,
            limit=candidate.idle_retry_limit,
            untouched=run.now - candidate.updated_at,
        ),
        cause=Cause(pass_run_id=run.record_id),
    )
    bell.ring(BOT_BELL)
    # Last, so that the next hour counts from after this write.
    run.count_pace_from_now()
    return True


@transaction.atomic
def reset(pull_request_sequence: int, *, actor: str) -> int:
    """Start a pull request's Idle Retries afresh at a person's wish; return how many it had had.

    Its UpdatedAt stays, so one that was given up on is DUE at once. Raises PullRequest.DoesNotExist.
    """
    pull_request: PullRequest = PullRequest.objects.select_for_update().get(pk=pull_request_sequence)
    PullRequest.objects.filter(pk=pull_request.pk).update(idle_retry_count=0, updated_at=F("updated_at"))
    history.append(
        pull_request.pk,
        HistoryKind.RESET,
        (pull_request.processing_state, pull_request.processing_state),
        reason=f"Idle Retries counted from 0 again, after {pull_request.idle_retry_count}",
        cause=Cause(actor=actor),
    )
    return int(pull_request.idle_retry_count)
