"""What the base branch demands must be known, and be something that a direct merge can meet."""

from __future__ import annotations

from merge.rules.rule import refused
from merge.values import Snapshot, Verdict


def judge(snapshot: Snapshot) -> Verdict | None:
    """Refuse a branch with a merge queue, and one whose demands are hidden from us."""
    demands = snapshot.demands
    if demands is None or demands.required is None:
        return refused(
            "demands_unreadable",
            f"Which checks {snapshot.base_ref} requires cannot be read: neither its rules nor its protection.",
        )
    if demands.merge_queue:
        return refused(
            "merge_queue", f"{snapshot.base_ref} demands a merge queue; we merge directly or not at all."
        )
    return None
