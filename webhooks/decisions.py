"""What an Event means for a pull request we may know already, and whether a workflow run can be retried. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from webhooks.values import DeliveryStatus, HistoryKind, OpenState, ProcessingState


@dataclass(frozen=True, kw_only=True)
class PullFacts:
    """What a payload says of a pull request; None = it does not say."""

    node_id: str
    github_id: int
    number: int
    title: str
    sender: str
    ref: str
    head_sha: str
    draft: bool | None
    state: OpenState | None
    merged: bool | None
    auto_merge: bool | None
    updated_at: datetime | None


@dataclass(frozen=True, kw_only=True)
class StoredPull:
    """What the row says so far."""

    state: str
    merged: bool
    processing_state: str
    github_updated_at: datetime | None
    auto_merge_enabled: bool
    head_sha: str = ""


@dataclass(frozen=True, kw_only=True)
class Change:
    """What to write: `take_facts` = the payload's title, refs and flags; `pending` = the new ProcessingState, if any.

    `pending` is given with the reset of IdleRetryCount, both or neither.
    """

    status: DeliveryStatus
    kind: HistoryKind
    reason: str
    take_facts: bool
    state: OpenState
    merged: bool
    pending: ProcessingState | None


def decide_change(
    stored: StoredPull, facts: PullFacts, *, action: str, is_echo: bool, wanted: ProcessingState
) -> Change:
    """Decide what an Event does to a known pull request.

    GitHub neither orders nor guarantees deliveries (field case F03): the payload's own updated_at decides what is
    newer, a tie applies. Merged is final, closed is not. An echo of our own work updates facts and wakes nobody.
    """
    older = is_older(stored, facts)
    state, merged = decide_state(stored, facts, action=action, older=older)
    pending = decide_pending(stored, older=older, is_echo=is_echo, wanted=wanted)
    return Change(
        status=decide_status(older=older, is_echo=is_echo),
        kind=decide_kind(stored, state, older=older, is_echo=is_echo),
        reason=explain(stored, state, pending, older=older, is_echo=is_echo),
        take_facts=not older,
        state=state,
        merged=merged,
        pending=pending,
    )


def is_older(stored: StoredPull, facts: PullFacts) -> bool:
    """Tell whether the row has seen a later state of GitHub; a row or payload without a date is never judged."""
    if stored.github_updated_at is None or facts.updated_at is None:
        return False
    return facts.updated_at < stored.github_updated_at


def decide_state(stored: StoredPull, facts: PullFacts, *, action: str, older: bool) -> tuple[OpenState, bool]:
    """Return State and Merged after the Event."""
    if stored.merged or facts.merged:
        return OpenState.CLOSED, True
    if older or facts.state is None:
        return OpenState(stored.state), False
    tie = stored.github_updated_at is not None and facts.updated_at == stored.github_updated_at
    if tie and stored.state == OpenState.CLOSED and action != "reopened":
        # Same second, and only a reopening opens: the open state seen here came before the closing.
        return OpenState.CLOSED, False
    return facts.state, False


def decide_pending(
    stored: StoredPull, *, older: bool, is_echo: bool, wanted: ProcessingState
) -> ProcessingState | None:
    """Return the pending state; None leaves the row's way through the bot alone."""
    if is_echo or (older and stored.state == OpenState.CLOSED):
        return None
    return ProcessingState.NEW if stored.processing_state == ProcessingState.NEW else wanted


def decide_status(*, older: bool, is_echo: bool) -> DeliveryStatus:
    """Return what became of the Delivery."""
    if is_echo:
        return DeliveryStatus.ECHO
    return DeliveryStatus.STALE if older else DeliveryStatus.APPLIED


def decide_kind(stored: StoredPull, state: OpenState, *, older: bool, is_echo: bool) -> HistoryKind:
    """Return the kind of the history line: what changed counts more than how it came."""
    if state != stored.state:
        return HistoryKind.CLOSE if state is OpenState.CLOSED else HistoryKind.REOPEN
    if is_echo:
        return HistoryKind.ECHO
    return HistoryKind.STALE if older else HistoryKind.EVENT


def explain(
    stored: StoredPull, state: OpenState, pending: ProcessingState | None, *, older: bool, is_echo: bool
) -> str:
    """Return the sentence for people."""
    if is_echo:
        return "caused by our own App: facts noted, nothing to do"
    if older:
        kept = "older than what is known: facts kept"
        return f"{kept}, another look all the same" if pending else f"{kept}; the pull request is closed"
    if state != stored.state:
        return f"now {state.value} on GitHub"
    return "seen on GitHub"


class RetryType(StrEnum):
    """How a workflow run is started again, in the words of GitHub's own paths."""

    RERUN = "rerun"
    RERUN_FAILED_JOBS = "rerun-failed-jobs"


@dataclass(frozen=True)
class RetryVerdict:
    """How to start a run again; `how` None = not at all. `reason` is a sentence either way."""

    how: RetryType | None
    reason: str


# Some jobs ended badly and the others are good: those alone again.
_FAILED = frozenset({"failure", "timed_out"})
# Not a single job may have begun, so there may be no failed one.
_NEVER_DONE = frozenset({"cancelled", "startup_failure", "stale"})
_WAITS = "action_required"


def decide_retry(status: str, conclusion: str | None) -> RetryVerdict:
    """Decide whether and how a workflow run can be started again, from what GitHub says of it now."""
    if status != "completed":
        return RetryVerdict(None, f"The run has not ended yet: it is {status or 'unknown to GitHub'}.")
    if conclusion in _FAILED:
        return RetryVerdict(RetryType.RERUN_FAILED_JOBS, "The failed jobs are started again.")
    if conclusion in _NEVER_DONE:
        return RetryVerdict(RetryType.RERUN, "All jobs are started again.")
    if conclusion == _WAITS:
        return RetryVerdict(None, "The run waits for somebody's approval on GitHub.")
    return RetryVerdict(None, f"Nothing failed: the run ended as {conclusion or 'nothing known'}.")
