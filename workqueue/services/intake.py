"""Keeping events for the items they concern: all that the receiver does about the work queue.

SELECT and INSERT only, in the Delivery's transaction, with no lock on any item (docs/decisions/0050).
"""

from __future__ import annotations

from core import bell
from workqueue.models import PendingEvent
from workqueue.registry import TYPES, ItemType
from workqueue.services.submitting import WORK_BELL
from workqueue.values import Event, Phase


def keep_event(event: Event, body: bytes | None) -> int:
    """Store an event for each active item that it concerns, ring after the commit, and return for how many.

    `body` = the raw bytes, zlib-compressed, None when too large to keep.
    """
    items = [
        item for kind in TYPES.values() if event.name in kind.handlers for item in _concerned(kind, event)
    ]
    if items:
        PendingEvent.objects.bulk_create(
            PendingEvent(item_id=item, event=event.name, action=event.action, guid=event.guid, body=body)
            for item in items
        )
        bell.ring(WORK_BELL)
    return len(items)


def _concerned(kind: ItemType, event: Event) -> list[int]:
    condition = kind.resolve(event)
    if condition is None:
        return []
    return list(
        kind.model.objects.filter(condition, phase=Phase.ACTIVE).order_by("pk").values_list("pk", flat=True)
    )
