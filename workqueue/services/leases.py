"""Leases: who works on which items, until when.

A lease is a token and an instant. Whoever writes an item's progress names the token under the row's lock, so a worker
that slept through its lease changes nothing (fencing). One that died loses its items within LEASE seconds.
"""

from __future__ import annotations

import threading
import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from operator import itemgetter

import structlog
from django.db import connection

from core.functions import SecondsFromNow
from core.transactions import patiently
from workqueue.models import WorkItem

log = structlog.get_logger(__name__)

LEASE = 60
BEAT = 20

_FREE = """w.Phase = 'active' AND (w.LeasedUntil IS NULL OR w.LeasedUntil <= CURRENT_TIMESTAMP)
AND w.ItemType IN ({types})"""
# 0 for a free item; more for one whose worker went silent, and most for the one that it was working on.
_ITEM = "w.Sequence, w.ItemType, CASE WHEN w.LeaseToken IS NULL THEN 0 ELSE 1 + w.Attempts END"
# By the index (Actionable, DueAt, Sequence): whoever has waited longest.
_DUE = """SELECT {item} FROM work_items w
WHERE w.Actionable = 1 AND w.DueAt <= CURRENT_TIMESTAMP AND {free} ORDER BY w.DueAt, w.Sequence LIMIT {limit}{skip}"""
# Unread events make an item worth looking at also while it waits after a failure.
_UNREAD = """SELECT {item} FROM work_items w
WHERE w.Sequence IN (SELECT e.WorkItemSequence FROM pending_events e) AND {free} LIMIT {limit}{skip}"""


@dataclass(frozen=True)
class Lease:
    """Items held under one token: (sequence, item type) each, in the order to be worked off."""

    token: str
    items: tuple[tuple[int, str], ...]


def claim(types: Sequence[str], limit: int) -> Lease | None:
    """Take up to `limit` free items that are due or have unread events; None = there is nothing to do now.

    Rows that another worker is about to take are passed over, so nobody ever gets what another has. What may have
    killed its worker comes last, so that it takes nobody along once more.
    """
    if not types:
        return None
    return patiently(lambda: _claim(types, limit))


def _claim(types: Sequence[str], limit: int) -> Lease | None:
    found = _rows(_DUE, types, limit) or _rows(_UNREAD, types, limit)
    if not found:
        return None
    lease = Lease(str(uuid.uuid4()), tuple(found))
    WorkItem.objects.filter(pk__in=[sequence for sequence, _ in found]).update(
        lease_token=lease.token, leased_until=SecondsFromNow(LEASE)
    )
    return lease


def renew(token: str) -> int:
    """Extend a lease and return how many items it still holds."""
    return WorkItem.objects.filter(lease_token=token).update(leased_until=SecondsFromNow(LEASE))


def give_back(token: str) -> int:
    """Let go of whatever the lease still holds, untouched, and return how many items that were."""
    return WorkItem.objects.filter(lease_token=token).update(leased_until=None, lease_token=None)


@contextmanager
def kept_alive(token: str) -> Iterator[None]:
    """Extend the lease from time to time for as long as the block runs."""
    over = threading.Event()
    beating = threading.Thread(target=_beat, args=(token, over), name="lease", daemon=True)
    beating.start()
    try:
        yield
    finally:
        over.set()
        beating.join()


def _beat(token: str, over: threading.Event) -> None:
    try:
        while not over.wait(BEAT):
            _renew_or_say(token)
    finally:
        connection.close()


def _renew_or_say(token: str) -> None:
    try:
        renew(token)
    except Exception:
        # The next beat comes before the lease ends; if that fails too, others may take the items.
        log.exception("lease not renewed")
        connection.close()


def _rows(statement: str, types: Sequence[str], limit: int) -> list[tuple[int, str]]:
    free = _FREE.format(types=", ".join(["%s"] * len(types)))
    # SQLite has no row locks: a transaction of ours holds the whole file from its first statement.
    skip = " FOR UPDATE SKIP LOCKED" if connection.features.has_select_for_update_skip_locked else ""
    with connection.cursor() as cursor:
        cursor.execute(statement.format(item=_ITEM, free=free, limit=int(limit), skip=skip), list(types))
        # Else in the order of their rows, in which everybody locks them: two may be locked at once.
        found = sorted(cursor.fetchall(), key=itemgetter(2, 0))
    return [(int(sequence), str(name)) for sequence, name, _ in found]
