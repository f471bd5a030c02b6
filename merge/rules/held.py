"""A person's hold is in the title."""

from __future__ import annotations

from merge.rules.rule import refused
from merge.values import Snapshot, Verdict
from webhooks.holds import is_held


def judge(snapshot: Snapshot) -> Verdict | None:
    """Refuse what a person holds (B2.6)."""
    if not is_held(snapshot.title):
        return None
    return refused("held", "It is held: its title contains (HELD). Take that away, or comment “unhold”.")
