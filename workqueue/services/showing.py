"""Work items as people and programs see them: with dimensions, what comes next, and what happened."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import structlog
from django.db.models import Q, QuerySet

from core import clock
from workqueue.models import NOBODY, AuditEntry, PendingEvent, WorkItem, WorkItemDimension
from workqueue.registry import TYPES
from workqueue.services.deciding import next_action, snapshot_of
from workqueue.values import Phase, Snapshot

log = structlog.get_logger(__name__)

RECENT = 50


@dataclass(frozen=True)
class Next:
    """What comes next: the action's name ("" = none), a sentence, and the instant it waits for, when there is one."""

    action: str
    sentence: str
    at: datetime | None = None


@dataclass(frozen=True)
class Shown:
    """An item as it is shown; `details` by label, as its type tells them."""

    item: WorkItem
    dimensions: Sequence[WorkItemDimension]
    next: Next
    leased: bool
    details: Mapping[str, Any]

    @property
    def pk(self) -> int:
        return int(self.item.pk)


def find(
    *, item_type: str = "", phase: str = "", least_attempts: int = 0, about: str = ""
) -> QuerySet[WorkItem]:
    """Return the items that fit all conditions given; `about` is part of the subject or identity, any letter case."""
    rows = WorkItem.objects.all()
    if item_type:
        rows = rows.filter(item_type=item_type)
    if phase:
        rows = rows.filter(phase=phase)
    if least_attempts:
        rows = rows.filter(attempts__gte=least_attempts)
    if about:
        rows = rows.filter(Q(subject__icontains=about) | Q(identity__icontains=about))
    return rows


def show(items: Iterable[WorkItem]) -> list[Shown]:
    """Return items as they are shown, in their order: four queries and one for each type among them."""
    found = list(items)
    now = clock.now()
    dimensions = _dimensions(found)
    rows = _detail_rows(found)
    return [_shown(item, rows.get(item.pk), dimensions[item.pk], now) for item in found]


def recent_audit(item: WorkItem, number: int = RECENT) -> list[AuditEntry]:
    """Return the newest entries of an item's audit, the newest first."""
    return list(AuditEntry.objects.filter(item=item.pk).order_by("-pk")[:number])


def unread(item: WorkItem) -> int:
    """Return how many events wait for the item."""
    return PendingEvent.objects.filter(item=item.pk).count()


def _dimensions(items: Sequence[WorkItem]) -> dict[int, list[WorkItemDimension]]:
    found: dict[int, list[WorkItemDimension]] = defaultdict(list)
    rows = WorkItemDimension.objects.filter(item__in=[item.pk for item in items])
    for row in rows.order_by("dimension", "variant"):
        found[row.item_id].append(row)
    return found


def _detail_rows(items: Sequence[WorkItem]) -> dict[int, Any]:
    found: dict[int, Any] = {}
    for name in {item.item_type for item in items} & TYPES.keys():
        ours = [item.pk for item in items if item.item_type == name]
        found |= TYPES[name].model.objects.in_bulk(ours)
    return found


def _shown(item: WorkItem, row: Any, dimensions: list[WorkItemDimension], now: datetime) -> Shown:
    leased = item.lease_token != NOBODY and item.leased_until is not None and item.leased_until > now
    if row is None:
        unknown = Next("", f"Nothing here knows the item type {item.item_type}.")
        return Shown(item, dimensions, unknown, leased, {})
    item_type = TYPES[item.item_type]
    by_key = {(each.dimension, each.variant): each for each in dimensions}
    try:
        snapshot = snapshot_of(item_type, row, by_key, now)
        coming = _next(item, next_action(item_type, snapshot), snapshot)
    except Exception as error:
        log.exception("decider failed", item=item.pk)
        coming = Next("", f"Its decider failed: {type(error).__name__}.")
    return Shown(item, dimensions, coming, leased, item_type.details(row))


def _next(item: WorkItem, action: Any, snapshot: Snapshot) -> Next:
    if snapshot.phase is not Phase.ACTIVE:
        return Next("", f"Nothing: it is {snapshot.phase}.")
    if action is None:
        until = snapshot.waits_until()
        return Next("", "Put off for now." if until else "Nothing until an Event.", until)
    waiting = item.due_at if item.due_at > snapshot.now else None
    return Next(action.name, action.reason, waiting)
