"""How long a call may take and how often it may be repeated: pure numbers and one rule."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime

from githubapi.errors import GithubError, Throttled, Transient


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Bounds of one client, in seconds where not said otherwise.

    Sockets wait `connect` and `read`; `call` bounds an answer that drips. `page_size` is how many items of a
    listing to ask for at once.
    """

    connect: float = 5.0
    read: float = 15.0
    call: float = 30.0
    listing: float = 120.0
    attempts: int = 3
    first_pause: float = 0.5
    longest_pause: float = 4.0
    page_size: int = 100

    def pause_before_repeating(self, error: GithubError, attempt: int) -> float | None:
        """Return the seconds to wait before the next attempt at a read, or None to give up.

        `attempt` counts from 1. A long throttle is never slept out here: the caller has other things to do.
        """
        if attempt >= self.attempts:
            return None
        if isinstance(error, Throttled):
            wait = error.wait.total_seconds()
            return wait if wait <= self.longest_pause else None
        if isinstance(error, Transient) and error.reason != "deadline":
            return float(min(self.first_pause * 2 ** (attempt - 1), self.longest_pause))
        return None


def _utc_now() -> datetime:
    return datetime.now(UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class Clock:
    """What a client takes for the present (an aware datetime), and how it waits (seconds)."""

    now: Callable[[], datetime] = _utc_now
    sleep: Callable[[float], None] = time.sleep


class Deadline:
    """A length of time that has begun to run; it counts by the process's own steady clock."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._end = time.monotonic() + seconds

    def left(self) -> float:
        """Return the seconds left, at most 0 when it is over."""
        return self._end - time.monotonic()

    def check(self, what: str) -> None:
        """Raise Transient ("deadline") if the time is over; `what` names the work for the sentence."""
        if self.left() <= 0:
            raise Transient("deadline", f"{what} took longer than {self._seconds:g} seconds.")
