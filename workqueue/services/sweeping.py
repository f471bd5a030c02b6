"""The minute's sweep: find what no bell announced. Works on nothing itself."""

from __future__ import annotations

from django.db.models import Q, QuerySet

from core import bell
from core.functions import CurrentTimestamp
from core.passes import Run
from core.transactions import patiently
from workqueue.models import PendingEvent, WorkItem, WorkItemDimension
from workqueue.services.submitting import WORK_BELL
from workqueue.services.working import workable_types
from workqueue.values import Phase

# Dimensions woken in one transaction.
BATCH = 500


def sweep(run: Run) -> None:
    """Wake items whose postponed dimensions are due, and ring when any handled item has something to be done.

    Items of dead workers need nothing more: they stay actionable, and their leases have run out.
    """
    types = workable_types(run.settings)
    if not types:
        run.count("types_handled", 0)
        return
    while woken := patiently(_wake_some):
        run.count("dimensions_due", woken)
        if run.out_of_time():
            break
    run.count("events_dropped", _drop_events_of_ended())
    waiting = _free(types).filter(actionable=True, due_at__lte=CurrentTimestamp()).count()
    unread = _free(types).filter(pk__in=PendingEvent.objects.values("item")).count()
    run.count("items_actionable", waiting)
    run.count("items_with_events", unread)
    if waiting or unread:
        bell.ring(WORK_BELL)


def _wake_some() -> int:
    """Make the postponement of due dimensions of active items a plain need, and wake their items."""
    due = WorkItemDimension.objects.filter(pending_until__lte=CurrentTimestamp(), item__phase=Phase.ACTIVE)
    found = list(due.order_by("pending_until").values_list("pk", "item")[:BATCH])
    # Items first, as everybody locks them: their rows guard their dimensions.
    items = sorted({item for _, item in found})
    list(WorkItem.objects.select_for_update().filter(pk__in=items).order_by("pk").values_list("pk"))
    WorkItem.objects.filter(pk__in=items, phase=Phase.ACTIVE, actionable=False).update(
        actionable=True, due_at=CurrentTimestamp()
    )
    return WorkItemDimension.objects.filter(
        pk__in=[pk for pk, _ in found], pending_until__lte=CurrentTimestamp()
    ).update(pending_until=None)


def _drop_events_of_ended() -> int:
    """Delete events that came while their item was ending: only an active item takes any (a retry begins anew)."""
    ended = PendingEvent.objects.exclude(item__phase=Phase.ACTIVE).order_by("pk").values_list("pk", flat=True)
    return PendingEvent.objects.filter(pk__in=list(ended[:BATCH])).delete()[0]


def _free(types: list[str]) -> QuerySet[WorkItem]:
    unleased = Q(leased_until=None) | Q(leased_until__lte=CurrentTimestamp())
    return WorkItem.objects.filter(unleased, phase=Phase.ACTIVE, item_type__in=types)
