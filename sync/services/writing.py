"""Writing what a comparison found: every write only while the row is as it was read."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from django.db import IntegrityError, models, transaction
from django.db.models import F, QuerySet

from core import bell
from core.functions import CurrentTimestamp
from core.passes import Run
from sync.values import Add, Change, ReRequest, Seen
from webhooks.services.pending import BOT_BELL, pending_columns
from webhooks.values import ProcessingState

T = TypeVar("T")
# Rows written in one transaction: short enough that no claim waits for it.
BATCH = 100

Writer = Callable[[Change[T]], bool]


def write_all(run: Run, changes: Sequence[Change[T]], write: Writer[T]) -> None:
    """Write the changes in short transactions and count them; a row that moved meanwhile is left to its Event."""
    for start in range(0, len(changes), BATCH):
        batch = changes[start : start + BATCH]
        with transaction.atomic():
            run.hold_lock()
            written = [change for change in batch if write(change)]
            if any(isinstance(change, Add | ReRequest) for change in written):
                bell.ring(BOT_BELL)
        for change in batch:
            run.count(counter_of(change) if change in written else "moved_meanwhile")


def counter_of(change: Change[Any]) -> str:
    """Return the counter of a kind of change."""
    return {"Add": "added", "Refresh": "updated", "ReRequest": "re_requested", "Revive": "updated", "Remove": "removed"}[
        type(change).__name__
    ]


def unchanged(model: type[models.Model], seen: Seen) -> QuerySet[Any]:
    """Return the row if nobody wrote it since it was read."""
    return model._default_manager.filter(
        pk=seen.pk, updated_at=seen.updated_at, processing_state=seen.processing_state
    )


def insert(model: type[models.Model], **columns: Any) -> Any | None:
    """Insert a row; None when an Event was faster (the unique key tells)."""
    try:
        with transaction.atomic():
            return model._default_manager.create(**columns)
    except IntegrityError:
        return None


def refresh(model: type[models.Model], seen: Seen, **facts: Any) -> bool:
    """Take over facts: UpdatedAt stays, nothing becomes pending, no idle time is lost."""
    return unchanged(model, seen).update(**facts, updated_at=F("updated_at")) == 1


def wake(model: type[models.Model], seen: Seen, state: ProcessingState, **columns: Any) -> bool:
    """Make a row pending, with columns that go along."""
    waking = pending_columns(state) | {"updated_at": CurrentTimestamp()}
    return unchanged(model, seen).update(**waking, **columns) == 1
