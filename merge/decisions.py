"""The guards: what stops a pull request before the classifier is asked; and the decider of the item type."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta

from merge.rules import held
from merge.rules.rule import refused
from merge.values import Backoff, BackoffScope, Failure, PastMerge, Standing, Status, Verdict
from webhooks.holds import is_held
from workqueue.values import Action, Snapshot

NEEDS_APPROVAL = "needs_approval"
NEEDS_MERGE = "needs_merge"

# While one of these is there, a second wish would be the flood of old.
_LIVE = {
    Status.PENDING: "A merge waits for a person to approve or reject it.",
    Status.APPROVED: "A merge is approved and about to be carried out.",
    Status.EXECUTING: "A merge is being carried out.",
    Status.DONE: "It was merged.",
}
_ENDED_BY_HAND = {
    Status.REJECTED: "A merge of this head was rejected. Ask for it anew, or push.",
    Status.CANCELLED: "A merge of this head was cancelled. Ask for it anew, or push.",
}

LONGEST_WAIT = timedelta(minutes=30)


def guard_title(title: str) -> Verdict | None:
    """First guard: a hold, by the title alone (B2.6, B2.7)."""
    return refused("held", held.SENTENCE) if is_held(title) else None


def guard_past(past: Iterable[PastMerge], head_sha: str | None, backoff: Backoff) -> Verdict | None:
    """Second and third guard: a merge in flight, then a failed one within the window (B2.8, B2.9).

    `head_sha` None: the head is not known yet; what depends on it is not judged.
    """
    found = list(past)
    return _in_flight(found, head_sha) or _backed_off(found, head_sha, backoff)


def is_backed_off(past: Iterable[PastMerge], head_sha: str, backoff: Backoff) -> bool:
    """Tell whether a merge failed within the window."""
    return _backed_off(list(past), head_sha, backoff) is not None


def _in_flight(past: list[PastMerge], head_sha: str | None) -> Verdict | None:
    for merge in past:
        if merge.status in _LIVE:
            return refused("in_flight", _LIVE[merge.status])
    # The newest wish for a head decides: a person may have asked anew after a rejection.
    newest = next((merge for merge in past if merge.head_sha == head_sha), None)
    if newest and newest.status in _ENDED_BY_HAND:
        return refused("in_flight", _ENDED_BY_HAND[newest.status])
    return None


def _backed_off(past: list[PastMerge], head_sha: str | None, backoff: Backoff) -> Verdict | None:
    """Find a merge that failed within the window; the window's last instant is outside."""
    waits = [
        backoff.window - merge.ended_ago
        for merge in past
        if merge.status is Status.FAILED
        and merge.ended_ago is not None
        and _is_held_back(merge, head_sha, backoff)
    ]
    left = max(waits, default=timedelta(0))
    if left <= timedelta(0):
        return None
    sentence = f"A merge failed less than {_hours(backoff.window)} ago."
    return Verdict(standing=Standing.REFUSED, code="backoff", sentence=sentence, again=left)


def _is_held_back(merge: PastMerge, head_sha: str | None, backoff: Backoff) -> bool:
    return backoff.scope is BackoffScope.PULL_REQUEST or merge.head_sha == head_sha


def failed_too_soon(failures: Iterable[Failure], backoff: Backoff) -> list[Failure]:
    """Return the failures that came within the window of an earlier one under the same backoff key, one a key."""
    last: dict[tuple[int, int, str], datetime] = {}
    found: dict[tuple[int, int, str], Failure] = {}
    for failure in sorted(failures, key=lambda one: one.ended_at):
        by_head = backoff.scope is BackoffScope.HEAD_SHA
        key = (failure.repository_id, failure.number, failure.head_sha if by_head else "")
        if key in last and failure.ended_at - last[key] < backoff.window:
            found.setdefault(key, failure)
        last[key] = failure.ended_at
    return list(found.values())


def is_named(repository: str, names: str) -> bool:
    """Tell whether a repository ("owner/name") is in a Setting's list of such names, in any letter case."""
    return repository.lower() in {name.strip().lower() for name in names.split(",")}


def _hours(window: timedelta) -> str:
    hours = round(window.total_seconds() / 3600)
    return f"{hours} hour{'' if hours == 1 else 's'}"


def decide(snapshot: Snapshot) -> Action | None:
    """Return the next action of a merge: none before it is approved."""
    if snapshot.needs(NEEDS_APPROVAL) or not snapshot.needs(NEEDS_MERGE):
        return None
    return Action("merge", "approved and not merged yet", NEEDS_MERGE)


def status_of(phase: str, *, approved: bool, leased: bool, rejected: bool) -> Status:
    """Return the word for a merge (merge.md 4)."""
    match phase:
        case "completed":
            return Status.DONE
        case "failed":
            return Status.FAILED
        case "cancelled":
            return Status.REJECTED if rejected else Status.CANCELLED
    if not approved:
        return Status.PENDING
    return Status.EXECUTING if leased else Status.APPROVED


def wait_before_looking_again(again: timedelta, waited: timedelta) -> timedelta:
    """Return how long an approved merge waits for checks: a tenth of what it has waited, half an hour at most."""
    return max(again, min(waited / 10, LONGEST_WAIT))
