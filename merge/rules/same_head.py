"""An approval is for one head."""

from __future__ import annotations

from merge.rules.rule import refused
from merge.values import Snapshot, Verdict


def judge(snapshot: Snapshot) -> Verdict | None:
    """Refuse a head that nobody has approved (field case F05)."""
    if not snapshot.pinned_sha or snapshot.head_sha == snapshot.pinned_sha:
        return None
    return refused(
        "head_moved",
        f"Its head moved from {snapshot.pinned_sha[:7]}, which was approved, to {snapshot.head_sha[:7]}.",
    )
