"""GitHub says whether it can be merged; at times it does not know yet."""

from __future__ import annotations

from datetime import timedelta

from merge.rules.rule import refused, waiting
from merge.values import Snapshot, Verdict

SOON = timedelta(minutes=1)
# Spaced by the ticks and looks; after so many GitHub's silence is a state of its own (field case F14).
MOST_UNKNOWN_READS = 3


def judge(snapshot: Snapshot) -> Verdict | None:
    """Refuse a conflict; "not known yet" is neither yes nor no."""
    if snapshot.mergeable is False:
        return refused("conflict", f"It conflicts with {snapshot.base_ref}.")
    if snapshot.mergeable is True and snapshot.mergeable_state != "unknown":
        return None
    if snapshot.unknown_reads >= MOST_UNKNOWN_READS:
        return refused(
            "unknown",
            f"GitHub did not say {snapshot.unknown_reads} times whether it can be merged. "
            "It is asked again at each look.",
        )
    return waiting("mergeable_unknown", "GitHub has not worked out yet whether it can be merged.", SOON)
