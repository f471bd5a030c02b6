"""Both of GitHub's check systems, read as one: what has passed, what is still open, what has failed."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from githubapi.merging_values import RequiredCheck
from githubapi.values import CheckRun, HeadChecks

TOLERATED = frozenset({"success", "neutral", "skipped"})

# How long to wait for a first check before its absence is a state of its own (field case F01).
PATIENCE = timedelta(hours=1)
AGAIN = timedelta(minutes=1)


@dataclass(frozen=True, slots=True)
class Evidence:
    """Names under what became of them; a name may be in several, when Apps or systems share it."""

    passed: tuple[str, ...]
    tolerated: tuple[str, ...]
    pending: tuple[str, ...]
    failed: tuple[str, ...]

    @property
    def is_empty(self) -> bool:
        return not (self.passed or self.tolerated or self.pending or self.failed)


def weigh(checks: HeadChecks) -> Evidence:
    """Sort the newest check run of each name and App and the newest status of each context (field case F02)."""
    words = [(run.name, _word(run)) for run in newest(checks)]
    words += [(status.context, _status_word(status.state)) for status in checks.statuses]

    def named(wanted: str) -> tuple[str, ...]:
        return tuple(sorted({name for name, word in words if word == wanted}))

    return Evidence(named("passed"), named("tolerated"), named("pending"), named("failed"))


def newest(checks: HeadChecks) -> list[CheckRun]:
    """Return the newest check run of each name and App: a rerun replaces what it repeats."""
    found: dict[tuple[str, int | None], CheckRun] = {}
    for run in sorted(checks.runs, key=lambda run: run.id):
        found[run.name, run.app_id] = run
    return list(found.values())


def is_reported(required: RequiredCheck, checks: HeadChecks) -> bool:
    """Tell whether a required check is there at all; one that must come from an App is a check run of that App."""
    runs = (run for run in checks.runs if run.name == required.context)
    if required.app_id is not None and required.app_id > 0:
        return any(run.app_id == required.app_id for run in runs)
    return any(runs) or any(status.context == required.context for status in checks.statuses)


def _word(run: CheckRun) -> str:
    if run.status != "completed":
        return "pending"
    if run.conclusion == "success":
        return "passed"
    return "tolerated" if run.conclusion in TOLERATED else "failed"


def _status_word(state: str) -> str:
    return {"success": "passed", "pending": "pending"}.get(state, "failed")
