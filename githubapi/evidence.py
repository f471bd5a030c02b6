"""What GitHub's facts say about a head: both of its check systems read as one, and its words for "mergeable". Pure."""

from __future__ import annotations

from dataclasses import dataclass

from githubapi.values import CheckRun, HeadChecks

# GitHub's words for "nothing stands in the way". "unstable" is no such word: a check has not passed.
CLEAN_STATES = frozenset({"clean", "has_hooks"})
TOLERATED = frozenset({"success", "neutral", "skipped"})


@dataclass(frozen=True, slots=True)
class Evidence:
    """Names under what became of them; a name may be in several, when Apps or systems share it. `total` = how many."""

    passed: tuple[str, ...]
    tolerated: tuple[str, ...]
    pending: tuple[str, ...]
    failed: tuple[str, ...]
    total: int

    @property
    def is_empty(self) -> bool:
        return not self.total


def weigh(checks: HeadChecks) -> Evidence:
    """Sort the newest check run of each name and App and the newest status of each context (field case F02)."""
    words = [(run.name, _word(run)) for run in newest(checks)]
    words += [(status.context, _status_word(status.state)) for status in checks.statuses]

    def named(wanted: str) -> tuple[str, ...]:
        return tuple(sorted({name for name, word in words if word == wanted}))

    return Evidence(named("passed"), named("tolerated"), named("pending"), named("failed"), len(words))


def why_not_green(found: Evidence) -> str:
    """Return why checks do not speak for a merge, "" if they do: nothing bad is no good news (field case F01)."""
    if found.is_empty:
        return "no check has reported on its head"
    if found.failed:
        return f"not passed: {', '.join(found.failed)}"
    if found.pending:
        return f"still waiting for {', '.join(found.pending)}"
    return "" if found.passed else f"no check succeeded; only {', '.join(found.tolerated)} reported"


def why_green(found: Evidence) -> str:
    """Return what speaks for a merge, of checks that are green."""
    return "its only check passed" if found.total == 1 else f"all {found.total} checks passed"


def newest(checks: HeadChecks) -> list[CheckRun]:
    """Return the newest check run of each name and App: a rerun replaces what it repeats."""
    found: dict[tuple[str, int | None], CheckRun] = {}
    for run in sorted(checks.runs, key=lambda run: run.id):
        found[run.name, run.app_id] = run
    return list(found.values())


def _word(run: CheckRun) -> str:
    if run.status != "completed":
        return "pending"
    if run.conclusion == "success":
        return "passed"
    return "tolerated" if run.conclusion in TOLERATED else "failed"


def _status_word(state: str) -> str:
    return {"success": "passed", "pending": "pending"}.get(state, "failed")
