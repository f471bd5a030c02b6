"""A person's hold is in the title."""

from __future__ import annotations

from merge.rules.rule import refused
from merge.values import Snapshot, Verdict
from webhooks.holds import is_held

SENTENCE = "It is held: its title contains (HELD). Take that away, or comment “unhold”."


def judge(snapshot: Snapshot) -> Verdict | None:
    """Refuse what a person holds (B2.6)."""
    return refused("held", SENTENCE) if is_held(snapshot.title) else None
