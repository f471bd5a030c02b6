"""What the branch requires must have reported: the absence of a required check is no success."""

from __future__ import annotations

from merge.rules.checks_green import NOTHING
from merge.rules.evidence import AGAIN, PATIENCE, is_reported
from merge.rules.rule import refused, waiting
from merge.values import Snapshot, Verdict


def judge(snapshot: Snapshot) -> Verdict | None:
    """Wait for required checks that are missing, an hour at most (field case F01); how they ended is judged before."""
    required = (snapshot.demands and snapshot.demands.required) or ()
    checks = snapshot.checks or NOTHING
    missing = sorted({check.context for check in required if not is_reported(check, checks)})
    if not missing:
        return None
    names = ", ".join(missing)
    if snapshot.head_age < PATIENCE:
        return waiting("required_missing", f"Required and not reported yet: {names}.", AGAIN)
    return refused("no_checks", f"No checks: required, but not reported for an hour: {names}.")
