"""What working on a row can come to, and what a comment can ask for. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


@dataclass(frozen=True)
class Done:
    """The work is done; the row is finalized."""

    reason: str


@dataclass(frozen=True)
class Later:
    """The row goes back and is not claimed for so many seconds; the attempt does not count."""

    seconds: int
    reason: str


@dataclass(frozen=True)
class Tomorrow:
    """The day's share is used up: the row goes back until the next 00:00 UTC."""

    reason: str


@dataclass(frozen=True)
class AskAgain:
    """GitHub does not say yet whether a pull request can be merged."""


@dataclass(frozen=True)
class Throttled:
    """GitHub wants to be left alone for so many seconds, for this installation."""

    seconds: int
    reason: str


@dataclass(frozen=True)
class GithubDown:
    """GitHub, or the way to it, or our credentials failed: nothing is known about the row itself."""

    reason: str


@dataclass(frozen=True)
class Moved:
    """The repository is no longer where it was; its present name has to be asked for."""

    reason: str


@dataclass(frozen=True)
class Failed:
    """The attempt failed. `permanent`: trying again cannot help until somebody changes something."""

    error: str
    permanent: bool = False


Ending = Done | Later | Tomorrow | AskAgain | Throttled | GithubDown | Moved | Failed


class Next(StrEnum):
    """What follows an attempt to bring a branch up to date."""

    GO_ON = "go on"
    WAIT_FOR_NEW_HEAD = "wait for the new head"
    JUDGE_AGAIN = "judge again"
    TOMORROW = "tomorrow"


@dataclass(frozen=True)
class Step:
    """What follows, and why."""

    next: Next
    reason: str


class Readiness(StrEnum):
    """Whether a pull request is ready to merge; UNKNOWN is neither yes nor no (field case F14)."""

    READY = "ready"
    NOT_READY = "not ready"
    UNKNOWN = "unknown"


@dataclass(frozen=True)
class Verdict:
    """Ready or not, and why."""

    readiness: Readiness
    reason: str


class Command(StrEnum):
    """What a collaborator can ask for in a comment; the value is how it is written."""

    HELP = "help"
    RETRY = "retry"
    HOLD = "hold"
    UNHOLD = "unhold"
    UPDATE_BRANCH = "update branch"


class Reaction(StrEnum):
    """How a comment is acknowledged, in GitHub's words."""

    DONE = "+1"
    REFUSED = "-1"
    NOT_UNDERSTOOD = "confused"


@dataclass(frozen=True)
class NewTitle:
    """The title that a pull request gets; None = it stays, for the reason given. `fits` False = GitHub would refuse."""

    title: str | None
    reason: str
    fits: bool = True
