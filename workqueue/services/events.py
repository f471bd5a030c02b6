"""Reading the events that wait for an item: in order, inside its lease, under its row lock.

Handlers say what an event means; what that changes is decided here, alike for every type.
"""

from __future__ import annotations

import json
import zlib
from typing import Any

import structlog
from django.db import DatabaseError

from workqueue import decisions
from workqueue.models import PendingEvent
from workqueue.selectors import unread_events
from workqueue.services.holding import Held
from workqueue.values import AuditKind, Event, EventResult, Phase

log = structlog.get_logger(__name__)

# Bodies may be large: so many are in memory at once.
CHUNK = 20


def drain(held: Held) -> int:
    """Apply and delete all events that wait for the item, and return how many there were."""
    read = 0
    while events := unread_events(held.item.pk, CHUNK):
        for event in events:
            _read(held, event)
        PendingEvent.objects.filter(pk__in=[event.pk for event in events]).delete()
        read += len(events)
    if read and held.phase is Phase.ACTIVE:
        held.set(actionable=True)
    return read


def _read(held: Held, stored: PendingEvent) -> None:
    """Apply one event; one that cannot be read is told of and dropped: it would stop the item for ever."""
    if held.phase is not Phase.ACTIVE:
        _note(held, stored, f"not read: the item is {held.phase}")
        return
    handler = held.item_type.handlers.get(stored.event)
    if handler is None:
        _note(held, stored, "not read: this type does not listen to it")
        return
    try:
        result = handler(_event(stored), held.item)
    except DatabaseError:
        raise
    except Exception as error:
        log.exception("event not read", item=held.item.pk, event_name=stored.event, guid=stored.guid)
        _note(held, stored, f"could not be read: {type(error).__name__}: {error}")
        return
    _apply(held, stored, result)


def _apply(held: Held, stored: PendingEvent, result: EventResult) -> None:
    _note(held, stored, result.trigger or "read")
    held.mark(result.dimensions)
    if result.phase is None or result.phase is held.phase:
        return
    if why := decisions.why_stale(result, held.item.last_event_at):
        _note(held, stored, f"its phase {result.phase} is stale: {why}")
        return
    held.set(last_event_at=result.at)
    held.enter(result.phase, result.trigger or f"{stored}")


def _event(stored: PendingEvent) -> Event:
    payload: Any = json.loads(zlib.decompress(stored.body)) if stored.body else {}
    return Event(stored.event, stored.action, payload, stored.guid)


def _note(held: Held, stored: PendingEvent, sentence: str) -> None:
    held.ledger.note(AuditKind.EVENT, f"{stored}: {sentence}", event_name=stored.event, guid=stored.guid)
