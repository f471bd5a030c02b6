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
from workqueue.values import Phase


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

PHASE_BADGES: Mapping[Phase, Badge] = {
    Phase.ACTIVE: Badge("active", Tone.BLUE, "Worked on, or waiting for an Event."),
    Phase.COMPLETED: Badge("completed", Tone.GREEN, "Done."),
    Phase.FAILED: Badge("failed", Tone.RED, "Given up on: see its error. It can be retried."),
    Phase.CANCELLED: Badge("cancelled", Tone.GREY, "Not wanted any more. It can be retried."),
}

OUTCOME_BADGES: Mapping[str, Badge] = {
    "running": Badge("running", Tone.BLUE, "It has not ended yet."),
    "succeeded": Badge("succeeded", Tone.GREEN, "It ended by itself."),
    "out_of_time": Badge("out of time", Tone.AMBER, "It stopped at its time budget; the next run goes on."),
    "failed": Badge("failed", Tone.RED, "It ended with an error."),
    "lost": Badge("lost", Tone.RED, "The process that ran it is gone."),
}


BULK_BADGES: Mapping[str, Badge] = {
    "running": Badge("running", Tone.BLUE, "A few rows a minute, until all are done."),
    "finished": Badge("finished", Tone.GREEN, "Every row that fitted was looked at."),
    "cancelled": Badge("cancelled", Tone.GREY, "Somebody stopped it; what was done stays done."),
}


class Liveness(StrEnum):
    """Whether the worker gives signs of life."""

    ALIVE = "alive"
    LATE = "late"
    DOWN = "down"


LIVENESS_BADGES: Mapping[Liveness, Badge] = {
    Liveness.ALIVE: Badge("alive", Tone.GREEN, "It was heard within the last minutes."),
    Liveness.LATE: Badge("late", Tone.AMBER, "A beat is overdue; a restart may be the reason."),
    Liveness.DOWN: Badge("down", Tone.RED, "It was not heard for three minutes or more: no pass runs."),
}


class InstallationStatus(StrEnum):
    """How an installation stands."""

    ACTIVE = "active"
    SUSPENDED = "suspended"
    GONE = "gone"


class RepositoryStatus(StrEnum):
    """Whether a repository gets its turn of the hourly sync."""

    IN_LINE = "in-line"
    OUT_OF_REACH = "out-of-reach"
    REMOVED = "removed"


class Freshness(StrEnum):
    """How long ago a repository in line was synced, measured by the length of the line."""

    NEVER = "never"
    FRESH = "fresh"
    STALE = "stale"


INSTALLATION_BADGES: Mapping[InstallationStatus, Badge] = {
    InstallationStatus.ACTIVE: Badge("active", Tone.GREEN, "GitHub lets the App work there."),
    InstallationStatus.SUSPENDED: Badge(
        "suspended", Tone.AMBER, "Somebody on GitHub suspended it: no access."
    ),
    InstallationStatus.GONE: Badge("gone", Tone.GREY, "GitHub lists it no longer: it was uninstalled."),
}

REPOSITORY_BADGES: Mapping[RepositoryStatus, Badge] = {
    RepositoryStatus.IN_LINE: Badge(
        "in line", Tone.GREEN, "The hourly sync comes to it when it is its turn."
    ),
    RepositoryStatus.OUT_OF_REACH: Badge(
        "out of reach", Tone.AMBER, "The App cannot ask for it: see the reason."
    ),
    RepositoryStatus.REMOVED: Badge("removed", Tone.GREY, "Deleted, or no longer seen by its installation."),
}

FRESHNESS_BADGES: Mapping[Freshness, Badge] = {
    Freshness.NEVER: Badge("never synced", Tone.VIOLET, "It goes before all that were synced once."),
    Freshness.FRESH: Badge("fresh", Tone.GREEN, "Synced within the last round of the line."),
    Freshness.STALE: Badge("stale", Tone.RED, "A whole round and a day are over: it missed its turn."),
}


def badge_of(badges: Mapping[Any, Badge], value: str) -> Badge:
    """Return the badge of a stored value; one outside the list (non-strict MySQL stores '') has its own."""
    unreadable = Badge(value or "(empty)", Tone.RED, "No rule knows this value.")
    return badges.get(value, unreadable)
