"""The rules that hold for items of every type. Pure."""

from __future__ import annotations

from datetime import datetime

from workqueue.values import EventResult, Phase

# What a text column takes on either database, with room for characters of four bytes.
LONGEST_REASON = 16_000
FIRST_WAIT = 15
LONGEST_WAIT = 3_600


def storable(reason: str) -> str:
    """Return a reason as any database takes it: it may quote what others say, halves of characters and all."""
    whole = reason.encode("utf-8", "backslashreplace").decode().replace("\0", "\N{REPLACEMENT CHARACTER}")
    return whole[:LONGEST_REASON]


def wait_after(attempts: int) -> int:
    """Return the seconds to wait after that many failures in a row: 15, 30, 60, … up to an hour."""
    return min(FIRST_WAIT << min(max(attempts - 1, 0), 16), LONGEST_WAIT)


def why_stale(result: EventResult, last_event_at: datetime | None) -> str:
    """Return why the phase of an event's result must not be applied, "" when it may."""
    if result.at is None:
        return "it says nothing of when it happened"
    if last_event_at is not None and result.at <= last_event_at:
        return f"it is not newer than {last_event_at.isoformat()}, the last one applied"
    return ""


def why_parked(attempts: int, most: int, error: str) -> str:
    """Return why an item gets no further attempt, "" when it does."""
    if attempts < most:
        return ""
    last = error or "the worker ended in the middle of it without a word (killed, or out of memory)"
    return f"given up after {attempts} failures in a row; the last one: {last}"


def why_not_retry(phase: Phase) -> str:
    """Return why an item cannot be retried, "" when it can."""
    if phase in {Phase.FAILED, Phase.CANCELLED}:
        return ""
    if phase is Phase.ACTIVE:
        return "It is active: there is nothing to retry."
    return "It is completed: there is nothing to retry."


def why_not_cancel(phase: Phase) -> str:
    """Return why an item cannot be cancelled, "" when it can."""
    if phase in {Phase.ACTIVE, Phase.FAILED}:
        return ""
    return f"It is {phase} already."


def handled_types(text: str) -> tuple[str, ...]:
    """Return the names in the Setting workqueue.handled-types."""
    return tuple(word for part in text.split(",") if (word := part.strip()))
