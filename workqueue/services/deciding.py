"""Asking the decider: the one place that does, for the worker and for whoever shows what comes next."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from workqueue.models import WorkItemDimension
from workqueue.registry import ItemType
from workqueue.values import Action, Dimension, Phase, Snapshot

Dimensions = Mapping[tuple[str, str], WorkItemDimension]


def next_action(item_type: ItemType, snapshot: Snapshot) -> Action | None:
    """Return what is to be done next; an item that is not active has no next action. Raises what the decider raises."""
    return item_type.decide(snapshot) if snapshot.phase is Phase.ACTIVE else None


def snapshot_of(item_type: ItemType, item: Any, dimensions: Dimensions, now: datetime) -> Snapshot:
    """Freeze a detail row and its dimensions, as they are at this instant of the database's clock."""
    return Snapshot(
        item=item.pk,
        item_type=item.item_type,
        phase=Phase(item.phase),
        attempts=item.attempts,
        now=now,
        dimensions=tuple(_seen(row) for _, row in sorted(dimensions.items())),
        facts=item_type.facts(item),
    )


def _seen(row: WorkItemDimension) -> Dimension:
    needed = row.status == WorkItemDimension.NEEDED
    return Dimension(row.dimension, row.variant, needed, row.pending_until)
