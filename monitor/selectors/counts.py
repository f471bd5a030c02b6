"""The counts of the overview in a shape for other programs."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from idle import selectors as idle
from idle.values import IdleStatus
from monitor.selectors import passes, processing
from monitor.values import Liveness


@dataclass(frozen=True)
class Counts:
    """What a badge has room for."""

    at: datetime
    worker: Liveness
    states: dict[str, int]
    idle: dict[str, int]
    pending: int
    oldest_pending: datetime | None

    def as_json(self) -> dict[str, Any]:
        """Return the fields as JSON takes them: instants in ISO 8601 UTC."""
        oldest = self.oldest_pending
        return {
            "at": f"{self.at:%Y-%m-%dT%H:%M:%SZ}",
            "worker": self.worker,
            "processing": self.states,
            "idle": self.idle,
            "pending": self.pending,
            "oldest_pending": f"{oldest:%Y-%m-%dT%H:%M:%SZ}" if oldest else None,
        }


def counts(*, now: datetime) -> Counts:
    """Count rows and Idle Pull Requests."""
    totals, found = processing.totals(processing.matrix()), idle.counts()
    return Counts(
        at=now,
        worker=passes.worker(now=now).state,
        states={state.value: number for state, number in totals.counts},
        idle={status.value: found[status] for status in IdleStatus},
        pending=totals.pending,
        oldest_pending=totals.oldest_pending,
    )
