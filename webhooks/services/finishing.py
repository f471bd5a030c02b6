"""Ending a claim: done, given back, put off, or failed.

Each function is compare-and-set on the own claim (still PROCESSING, the same token, the ProcessingDate which that claim
set) and tells whether it was still ours. False: an Event, a person or another worker has the row by now; nothing was
written, and what they asked for will be done. So no Event during the work is ever swallowed.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from django.db.models import Case, F, Q, When

from core import clock
from core.functions import CurrentTimestamp, SecondsFromNow
from core.transactions import patiently
from webhooks import claim_rules
from webhooks.claim_rules import GITHUB_DOES_NOT_SAY, GITHUB_DOWN_PAUSE, MAX_ATTEMPTS
from webhooks.models import Installation, PullRequest
from webhooks.payload import clean, cut_bytes
from webhooks.services import history
from webhooks.services.claims import Claim, failed_columns
from webhooks.services.pending import cleared_claim, pending_columns
from webhooks.services.rows import processed_columns
from webhooks.values import HistoryKind, ProcessingState

ERROR_BYTES = 8_000


def finalize(claim: Claim, reason: str) -> bool:
    """The work is done: PROCESSED, nothing left of attempts and errors. UpdatedAt moves."""
    columns = cleared_claim() | processed_columns() | {"updated_at": CurrentTimestamp()}
    return _end(claim, columns, HistoryKind.FINALIZE, reason)


def give_back(claim: Claim, reason: str, *, throttled_for: int) -> bool:
    """GitHub throttles: the row goes back as it was, and no row of its installation is claimed for so many seconds.

    A row whose installation we do not know waits by itself. The attempt does not count; UpdatedAt stays.
    """
    if throttle_installation(claim.installation_id, throttled_for):
        return _end(claim, _back(claim), HistoryKind.DEFER, reason)
    return defer(claim, throttled_for, reason)


def throttle_installation(installation_id: int | None, seconds: int) -> bool:
    """Leave GitHub alone for that installation, so many seconds from now or longer; False when we do not know it."""
    if installation_id is None:
        return False
    rows = Installation.objects.filter(installation_id=installation_id).order_by("-pk")
    pk = rows.values_list("pk", flat=True).first()
    if pk is None:
        return False
    until = SecondsFromNow(seconds)
    longer = Q(throttled_until__gt=until)
    Installation.objects.filter(pk=pk).update(
        throttled_until=Case(When(longer, then=F("throttled_until")), default=until),
        updated_at=F("updated_at"),
    )
    return True


def defer(claim: Claim, seconds: int, reason: str, *, give_attempt_back: bool = True) -> bool:
    """The row goes back as it was and is not claimed again for so many seconds. UpdatedAt stays."""
    columns = _back(claim, give_attempt_back=give_attempt_back) | {"not_before": SecondsFromNow(seconds)}
    return _end(claim, columns, HistoryKind.DEFER, reason)


def defer_while_github_is_down(claim: Claim, reason: str) -> bool:
    """GitHub cannot be reached: again in a minute, as often as it takes."""
    return defer(claim, GITHUB_DOWN_PAUSE, reason)


def defer_to_next_day(claim: Claim, reason: str) -> bool:
    """The day's share is used up: again at the next 00:00 UTC."""
    return defer(claim, claim_rules.seconds_to_next_day(clock.now()), reason)


def defer_until_mergeable_is_known(claim: Claim) -> bool:
    """GitHub does not say yet whether a pull request can be merged: again in 10, 60, 300 s, then finalized so.

    Counted in MergeableReads, which a new head sets back to 0 (field case F14).
    """
    reads = claim.row.mergeable_reads
    pause = claim_rules.mergeable_pause(reads)
    if pause is None:
        return finalize(claim, GITHUB_DOES_NOT_SAY)
    columns = _back(claim) | {"not_before": SecondsFromNow(pause), "mergeable_reads": reads + 1}
    return _end(claim, columns, HistoryKind.DEFER, f"{GITHUB_DOES_NOT_SAY} yet; asked again in {pause} s")


def fail(claim: Claim, error: str, *, permanent: bool = False, max_attempts: int = MAX_ATTEMPTS) -> bool:
    """The attempt failed: another one after a pause, or given up on, PROCESSED with the error and listed as failed.

    `permanent` = trying again cannot help (no installation, gone, forbidden). UpdatedAt and IdleRetryCount stay.
    """
    error = storable_error(error)
    failure = claim_rules.decide_failure(claim.attempt, max_attempts=max_attempts, permanent=permanent)
    if failure.pause is None:
        columns = failed_columns(error, attempts=claim.attempt)
    else:
        columns = _back(claim, give_attempt_back=False)
        columns |= {"processing_error": error, "not_before": SecondsFromNow(failure.pause)}
    return _end(claim, columns, HistoryKind.FAIL, f"{failure.reason}: {claim_rules.in_short(error)}")


def storable_error(error: str) -> str:
    """Return an error as it is stored: without what no database takes, cut to size, never empty."""
    return cut_bytes(clean(error), ERROR_BYTES).strip() or "no reason given"


def _back(claim: Claim, *, give_attempt_back: bool = True) -> dict[str, Any]:
    """Return the columns of a row that is pending as before; an earlier attempt's error stays with its attempts."""
    columns = pending_columns(claim.claimed_from or ProcessingState.RE_REQUESTED)
    del columns["processing_error"]
    columns["processing_attempts"] = claim.attempt - give_attempt_back
    return columns | {"updated_at": F("updated_at")}


def _end(claim: Claim, columns: dict[str, Any], kind: HistoryKind, reason: str) -> bool:
    return patiently(partial(_end_once, claim, columns, kind, reason))


def _end_once(claim: Claim, columns: dict[str, Any], kind: HistoryKind, reason: str) -> bool:
    own = claim.model._default_manager.filter(
        pk=claim.row.pk,
        processing_state=ProcessingState.PROCESSING,
        claim_token=claim.token,
        processing_date=claim.at,
        # Instants are whole seconds: within one, another program's SQL may re-request and claim the row anew, and
        # nothing but its version tells the two claims apart.
        gstraccini_bot_version=claim.worker,
    )
    if not own.update(**columns):
        return False
    if claim.model is PullRequest:
        states = (ProcessingState.PROCESSING, columns["processing_state"])
        history.append(claim.row.pk, kind, states, reason=reason, cause=claim.cause)
    return True
