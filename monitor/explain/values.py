"""What an explanation is made from, and made of. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from core.reasons import Next, Reason
from idle.values import Blocked, IdleStatus


class Fate(StrEnum):
    """Where a pull request is on its way. The words are part of the REST API: they may be added to, never changed."""

    CLOSED = "closed"
    MERGED = "merged"
    CLAIMED = "claimed"
    STALE_CLAIM = "stale_claim"
    THROTTLED = "throttled"
    RETRYING = "retrying"
    DEFERRED = "deferred"
    NOT_CLAIMED = "not_claimed"
    HEALED = "healed"
    NEXT_IN_LINE = "next_in_line"
    PENDING = "pending"
    UNREADABLE = "unreadable"
    OUT_OF_REACH = "out_of_reach"
    FAILED = "failed"
    HELD = "held"
    GAVE_UP = "gave_up"
    DUE = "due"
    WAITING = "waiting"
    RESTING = "resting"


class Code(StrEnum):
    """The reasons of ours. Part of the REST API as well; apps that explain their own work add codes of their own."""

    # Gates, open and closed: each pair answers one question.
    OPEN = "open"
    NOT_OPEN = "not_open"
    PROCESSED = "processed"
    NOT_PROCESSED = "not_processed"
    IDLE = "idle"
    NOT_IDLE_YET = "not_idle_yet"
    RETRIES_LEFT = "retries_left"
    RETRIES_USED_UP = "retries_used_up"
    WAIT_IS_OVER = "wait_is_over"
    WAIT_GOES_ON = "wait_goes_on"
    IN_REACH = "in_reach"
    OUT_OF_REACH = "out_of_reach"
    FIRST_IN_LINE = "first_in_line"
    BEHIND_OTHERS = "behind_others"
    PASS_RUNS = "pass_runs"  # noqa: S105 (a word, not a secret)
    PASS_PAUSED = "pass_paused"  # noqa: S105
    PASS_HINDERED = "pass_hindered"  # noqa: S105
    WORKER_SILENT = "worker_silent"
    BOT_CLAIMS = "bot_claims"
    BOT_OFF = "bot_off"
    BOT_HINDERED = "bot_hindered"
    FREE = "free"
    CLAIM_HOLDS = "claim_holds"
    NOT_PUT_OFF = "not_put_off"
    PUT_OFF = "put_off"
    NOT_THROTTLED = "not_throttled"
    THROTTLED = "throttled"
    ATTEMPTS_LEFT = "attempts_left"
    ATTEMPTS_USED_UP = "attempts_used_up"
    # Facts worth knowing.
    IN_QUEUE = "in_queue"
    WOKEN = "woken"
    MISSED_EVENT_HEALED = "missed_event_healed"
    HELD = "held"
    DRAFT = "draft"
    AUTO_MERGE = "auto_merge"
    LAST_ERROR = "last_error"
    LOOK_ASKED = "look_asked"
    CLOSED_HANDLED = "closed_handled"
    CLOSED_NOT_HANDLED = "closed_not_handled"
    UNKNOWN_STATE = "unknown_state"
    EXPLAINER_FAILED = "explainer_failed"


@dataclass(frozen=True, kw_only=True)
class PullFacts:
    """The pull request's row; `state` is its ProcessingState as stored, `held` what its title says."""

    name: str
    is_open: bool
    merged: bool
    held: bool
    draft: bool
    auto_merge: bool
    state: str
    updated_at: datetime
    processing_date: datetime | None
    processed_date: datetime | None
    closed_handled_date: datetime | None
    attempts: int
    error: str
    not_before: datetime | None
    worker: str
    retries: int


@dataclass(frozen=True, kw_only=True)
class IdleFacts:
    """What the idle view says of it. `due_at` None = given up.

    `place` in the line counts from 1, those out of reach left out; None = too far back to be told. `ahead` = how many
    are known to be served before it.
    """

    status: IdleStatus
    limit: int
    due_at: datetime | None
    place: int | None
    ahead: int


@dataclass(frozen=True, kw_only=True)
class Reach:
    """Whether GitHub lets us in: why its repository is known to be out of reach, and until when it throttles us."""

    blocked: Blocked | None = None
    since: datetime | None = None
    throttled_until: datetime | None = None


@dataclass(frozen=True, kw_only=True)
class Pace:
    """When a pass runs next (None: nobody knows, `stop` says why), how often, and how many it serves at once."""

    next_run: datetime | None
    interval: timedelta = timedelta(0)
    served: int = 1
    stop: Reason | None = None


@dataclass(frozen=True, kw_only=True)
class Line:
    """One line of its history; `of_claim` = written by whoever held a claim at the time."""

    at: datetime
    kind: str
    reason: str
    from_state: str
    to_state: str
    of_claim: bool = False


@dataclass(frozen=True, kw_only=True)
class Snapshot:
    """Everything an explanation stands on, as read at one instant.

    `idle` None = no Idle Pull Request. `before` = rows that are claimed sooner, counted up to `most_before`; None = it
    is not pending. `lines` = its newest lines of history, the newest first. `said` = what other apps say of it.
    """

    pull: PullFacts
    reach: Reach
    idle_pass: Pace
    bot: Pace
    max_attempts: int
    idle: IdleFacts | None = None
    before: int | None = None
    most_before: int = 0
    lines: tuple[Line, ...] = ()
    look_at: datetime | None = None
    said: tuple[Reason, ...] = ()


@dataclass(frozen=True)
class Verdict:
    """Which fate, since when, in words that go on after the pull request's name, and what comes next, if anything."""

    fate: Fate
    since: datetime | None
    words: str
    next: Next | None = None


@dataclass(frozen=True)
class Explanation:
    """The answer to "why is it here": one sentence, its fate since when, what comes next, and all reasons."""

    sentence: str
    state: Fate
    since: datetime | None
    next: Next | None
    reasons: tuple[Reason, ...]

    @property
    def asks(self) -> list[Reason]:
        """The reasons that wait for a person."""
        return [reason for reason in self.reasons if reason.asks]


# An entry of the timeline that is no line of the history: somebody wrote the row who leaves no lines.
GAP = "gap"


@dataclass(frozen=True, kw_only=True)
class Caused:
    """The Delivery or the run of a pass that an entry comes from: where its page is, and what it is called."""

    sequence: int
    words: str


@dataclass(frozen=True, kw_only=True)
class Entry:
    """One entry of the timeline. `sequence` of its line of history; None = a gap, which began at `after`."""

    at: datetime
    kind: str
    text: str
    actor: str = ""
    from_state: str = ""
    to_state: str = ""
    sequence: int | None = None
    after: datetime | None = None
    guid: str | None = None
    delivery: Caused | None = None
    run: Caused | None = None
