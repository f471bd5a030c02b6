"""Only what is open can be merged."""

from __future__ import annotations

from merge.rules.rule import refused
from merge.values import Snapshot, Verdict


def judge(snapshot: Snapshot) -> Verdict | None:
    """Refuse what is merged or closed by now, whatever a search says (field case F12)."""
    if snapshot.merged:
        return refused("merged", "It is merged already.")
    if snapshot.state != "open":
        return refused("closed", "It is closed.")
    return None
