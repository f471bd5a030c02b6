"""The decider of the made-up item type "lamp": as pure as those of the product."""

from __future__ import annotations

from workqueue.values import Action, Snapshot

# Dimension -> executor, in order of priority.
ACTIONS = {"needs_light": "light", "needs_dusting": "dust"}


def decide(lamp: Snapshot) -> Action | None:
    for dimension, executor in ACTIONS.items():
        if lamp.needs(dimension):
            variant = next(iter(lamp.needed_variants(dimension)), "")
            return Action(executor, f"{dimension} {variant}".rstrip(), dimension, variant)
    return None
