"""How every state is shown: a word, a colour, and a sentence that says what it means.

The colours themselves are CSS custom properties (monitor/static/monitor/app.css), one pair a tone. Pure.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from idle.values import IdleStatus
from webhooks.values import PENDING, DeliveryStatus, ProcessingState


class Tone(StrEnum):
    """The palette: each tone has an ink and a paper in the style sheet, for light and dark."""

    BLUE = "blue"
    TEAL = "teal"
    VIOLET = "violet"
    AMBER = "amber"
    PINK = "pink"
    GREEN = "green"
    RED = "red"
    GREY = "grey"


@dataclass(frozen=True)
class Badge:
    """A state as people see it."""

    word: str
    tone: Tone
    meaning: str


PROCESSING_BADGES: Mapping[ProcessingState, Badge] = {
    ProcessingState.NEW: Badge("NEW", Tone.BLUE, "Pending: seen for the first time."),
    ProcessingState.UPDATED: Badge("UPDATED", Tone.TEAL, "Pending: an Event changed it."),
    ProcessingState.RE_REQUESTED: Badge("RE_REQUESTED", Tone.VIOLET, "Pending: to be looked at again."),
    ProcessingState.IDLE: Badge("IDLE", Tone.AMBER, "Pending: an Idle Retry woke it."),
    ProcessingState.PROCESSING: Badge("PROCESSING", Tone.PINK, "Claimed: somebody works on it."),
    ProcessingState.PROCESSED: Badge("PROCESSED", Tone.GREEN, "Done."),
}

# The columns of the matrix, under the heading that says what they have in common.
STATE_GROUPS: Mapping[str, tuple[ProcessingState, ...]] = {
    "pending": PENDING,
    "claimed": (ProcessingState.PROCESSING,),
    "done": (ProcessingState.PROCESSED,),
}

IDLE_BADGES: Mapping[IdleStatus, Badge] = {
    IdleStatus.DUE: Badge("DUE", Tone.AMBER, "Its wait is over: it gets one of the next Idle Retries."),
    IdleStatus.WAITING: Badge(
        "WAITING", Tone.BLUE, "Inside its wait; each Idle Retry makes the next a day longer."
    ),
    IdleStatus.GAVE_UP: Badge(
        "GAVE_UP", Tone.RED, "Its Idle Retries are used up: only an Event or a person wakes it."
    ),
}

DELIVERY_BADGES: Mapping[DeliveryStatus, Badge] = {
    DeliveryStatus.RECEIVED: Badge("received", Tone.GREY, "Recorded, nothing written yet."),
    DeliveryStatus.APPLIED: Badge("applied", Tone.GREEN, "Its row is written."),
    DeliveryStatus.STALE: Badge("stale", Tone.VIOLET, "Older than what is known: no facts were overwritten."),
    DeliveryStatus.IGNORED: Badge("ignored", Tone.GREY, "No rule needs it."),
    DeliveryStatus.ECHO: Badge("echo", Tone.TEAL, "Our own work, reported back: facts only."),
    DeliveryStatus.FAILED: Badge("failed", Tone.RED, "Not applied: see its error. It can be replayed."),
}

OUTCOME_BADGES: Mapping[str, Badge] = {
    "running": Badge("running", Tone.BLUE, "It has not ended yet."),
    "succeeded": Badge("succeeded", Tone.GREEN, "It ended by itself."),
    "out_of_time": Badge("out of time", Tone.AMBER, "It stopped at its time budget; the next run goes on."),
    "failed": Badge("failed", Tone.RED, "It ended with an error."),
    "lost": Badge("lost", Tone.RED, "The process that ran it is gone."),
}


def badge_of(badges: Mapping[Any, Badge], value: str) -> Badge:
    """Return the badge of a stored value; one outside the list (non-strict MySQL stores '') has its own."""
    unreadable = Badge(value or "(empty)", Tone.RED, "No rule knows this value.")
    return badges.get(value, unreadable)
