"""Writing what a comparison found: in short transactions, every write only while its row is as it was read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, TypeVar

from django.db import IntegrityError, models, transaction
from django.db.models import F, QuerySet

from core import bell
from core.functions import CurrentTimestamp
from core.passes import Run
from core.transactions import patiently
from sync.selectors import pieces
from sync.values import Refresh, Stored
from webhooks.services.pending import BOT_BELL, pending_columns
from webhooks.values import Cause, ProcessingState

C = TypeVar("C")
R = TypeVar("R")
Counts = Counter[str]

BY_SYNC = "scheduled sync"
# So short that no claim and no Event waits for long.
BATCH = 100
# What was written is not counted: an Event was faster, and knows more.
MOVED = "moved_meanwhile"


def write_in_batches(run: Run, changes: Sequence[C], write: Callable[[list[C]], Counts]) -> None:
    """Write the changes, a transaction a batch; `write` returns how many of which kind it wrote."""
    for batch in pieces(changes, BATCH):
        run.counters.update(within_lock(run, partial(_write_batch, batch, write)))


def _write_batch(batch: list[C], write: Callable[[list[C]], Counts]) -> Counts:
    if not all(isinstance(change, Refresh) for change in batch):
        bell.ring(BOT_BELL)
    return write(batch)


def within_lock(run: Run, write: Callable[[], R]) -> R:
    """Return what `write` returns in a transaction of the pass's own; raises LockLost when the pass was taken over."""

    def locked() -> R:
        run.hold_lock()
        return write()

    return patiently(locked)


def cause(run: Run) -> Cause:
    """Return the run as the cause of a line of history."""
    return Cause(actor=BY_SYNC, pass_run_id=run.record_id)


def count(kind: str, written: Sequence[object], wanted: Sequence[object]) -> Counts:
    """Return how many of the wanted writes were made, and how many came too late."""
    return +Counter({kind: len(written), MOVED: len(wanted) - len(written)})


def as_read(model: type[models.Model], row: Stored[Any]) -> QuerySet[Any]:
    """Return the row if nobody wrote it since it was read."""
    return model._default_manager.filter(
        pk=row.pk,
        updated_at=row.updated_at,
        processing_state=row.processing_state,
        delivery_id=row.delivery_id,
    )


def insert_all(model: type[models.Model], rows: list[Any]) -> list[Any]:
    """Insert rows and return them, without those whose unique key an Event was faster to take."""
    if not rows:
        return []
    try:
        with transaction.atomic():
            return list(model._default_manager.bulk_create(rows))
    except IntegrityError:
        return [row for row in rows if _insert(row)]


def _insert(row: models.Model) -> bool:
    try:
        with transaction.atomic():
            row.save(force_insert=True)
    except IntegrityError:
        return False
    return True


def facts_only() -> dict[str, Any]:
    """Return what goes with facts taken over: UpdatedAt stays, nothing becomes pending, no idle time is lost."""
    return {"updated_at": F("updated_at")}


def waking(state: ProcessingState) -> dict[str, Any]:
    """Return what makes a row pending."""
    return pending_columns(state) | {"updated_at": CurrentTimestamp()}


def as_event(row: Stored[Any]) -> dict[str, Any]:
    """Return what an Event about a known row makes of it: UPDATED, but NEW until it was processed once."""
    new = row.processing_state == ProcessingState.NEW
    return waking(ProcessingState.NEW if new else ProcessingState.UPDATED)
