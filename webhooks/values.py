"""The words the event tables are written in. Pure: rules and models both stand on this."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class ProcessingState(StrEnum):
    """Where a row is on its way through the bot.

        NEW, UPDATED, RE_REQUESTED, IDLE  --claim-->  PROCESSING  --finalize-->  PROCESSED
                    ^                                     |                          |
                    +------------- an Event, a re-request, a give-back --------------+

    IDLE exists on github_pull_requests only (an Idle Retry); every list of states treats it as pending.
    """

    NEW = "NEW"
    UPDATED = "UPDATED"
    RE_REQUESTED = "RE_REQUESTED"
    IDLE = "IDLE"
    PROCESSING = "PROCESSING"
    PROCESSED = "PROCESSED"


# The one list of pending states, for claims, counts, badges, filters and the API. Harmless where an enum lacks IDLE.
PENDING = (ProcessingState.NEW, ProcessingState.UPDATED, ProcessingState.RE_REQUESTED, ProcessingState.IDLE)
# The order people see.
STATES = (*PENDING, ProcessingState.PROCESSING, ProcessingState.PROCESSED)
# Every table but github_pull_requests, in the order of the contract's enum.
STATES_WITHOUT_IDLE = (
    ProcessingState.NEW,
    ProcessingState.UPDATED,
    ProcessingState.RE_REQUESTED,
    ProcessingState.PROCESSING,
    ProcessingState.PROCESSED,
)


class OpenState(StrEnum):
    """Whether a pull request or issue is open on GitHub."""

    OPEN = "OPEN"
    CLOSED = "CLOSED"


class RefEvent(StrEnum):
    """The last thing that happened to a branch or tag."""

    CREATE = "create"
    DELETE = "delete"


class DeliveryStatus(StrEnum):
    """What became of a Delivery."""

    RECEIVED = "received"
    APPLIED = "applied"
    STALE = "stale"
    IGNORED = "ignored"
    ECHO = "echo"
    FAILED = "failed"


class HistoryKind(StrEnum):
    """What happened to a pull request, in the words of its history."""

    EVENT = "event"
    ECHO = "echo"
    STALE = "stale"
    IDLE_RETRY = "idle_retry"
    CLAIM = "claim"
    FINALIZE = "finalize"
    DEFER = "defer"
    FAIL = "fail"
    RE_REQUEST = "re_request"
    CLOSE = "close"
    REOPEN = "reopen"
    BRANCH_UPDATE = "branch_update"
    LOOK = "look"
    NOTIFICATION = "notification"
    SYNC = "sync"
    RENAME = "rename"
    RESET = "reset"
    MERGE_VERDICT = "merge_verdict"


# Sender of a pull request or issue whose author GitHub no longer knows.
GHOST = "ghost"
# A zero sha says "no commit": a push that deleted its branch.
ZERO_SHA = "0" * 40
# Compressed bodies above this are not kept: a MariaDB server takes 16 MB a statement unless told otherwise.
KEPT_BODY_BYTES = 12 * 1024 * 1024


@dataclass(frozen=True)
class RepositoryRef:
    """A repository by GitHub's id, under its present name."""

    id: int
    owner: str
    name: str

    def __str__(self) -> str:
        return f"{self.owner}/{self.name}"


@dataclass(frozen=True, kw_only=True)
class Cause:
    """Who or what wrote a line of history: a person or bot, an Event, a run of a pass, a claim."""

    actor: str = ""
    delivery_guid: str | None = None
    pass_run_id: int | None = None
    claim_token: str | None = None


NO_CAUSE = Cause()
