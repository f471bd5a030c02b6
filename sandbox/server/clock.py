"""The pretended GitHub's own clock: real time, moved by whoever drives it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta


class Clock:
    """Runs with the machine's clock, ahead or behind by whatever it was moved."""

    def __init__(self) -> None:
        self._ahead = timedelta(0)

    def now(self) -> datetime:
        """Return GitHub's present, aware, in whole seconds as GitHub words them."""
        return (datetime.now(UTC) + self._ahead).replace(microsecond=0)

    def shift(self, seconds: float) -> None:
        self._ahead += timedelta(seconds=seconds)

    def move_to(self, instant: datetime) -> None:
        self._ahead = instant - datetime.now(UTC)
