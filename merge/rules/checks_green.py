"""Green is what has reported, all of it complete, none of it bad, and something of it good."""

from __future__ import annotations

from githubapi.evidence import weigh
from githubapi.values import HeadChecks
from merge.rules.evidence import AGAIN, PATIENCE
from merge.rules.rule import refused, waiting
from merge.values import Snapshot, Verdict

NOTHING = HeadChecks(runs=(), statuses=())


def judge(snapshot: Snapshot) -> Verdict | None:
    """Refuse a failure, wait for what still runs; nothing reported is no good news (field cases F01, F02)."""
    found = weigh(snapshot.checks or NOTHING)
    if found.is_empty:
        return _without_any(snapshot)
    if found.failed:
        return refused("checks_failed", f"Not passed: {', '.join(found.failed)}.")
    if found.pending:
        return waiting("checks_running", f"Still waiting for {', '.join(found.pending)}.", AGAIN)
    if not found.passed:
        return refused("no_success", f"No check succeeded; only {', '.join(found.tolerated)} reported.")
    return None


def _without_any(snapshot: Snapshot) -> Verdict | None:
    if snapshot.may_lack_checks:
        return None
    if snapshot.head_age < PATIENCE:
        return waiting("checks_missing", "No check has reported on its head yet.", AGAIN)
    return refused(
        "no_checks",
        "No checks: none has reported on its head for an hour. A repository that has none can be named in "
        "merge.allow-without-checks.",
    )
