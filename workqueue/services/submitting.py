"""Making items and changing them from outside the worker: what the submit services of types are built of."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from django.db import IntegrityError

from core import bell, clock
from core.functions import CurrentTimestamp
from core.transactions import patiently
from workqueue.models import CALLER_LENGTH, IDENTITY_LENGTH
from workqueue.registry import ItemType
from workqueue.services.audit import Ledger
from workqueue.services.holding import Held, held
from workqueue.values import AuditKind, Changes, Phase

WORK_BELL = "work"
# Twenty first submissions at once: one inserts, the others find its item at their second try.
TRIES = 5

T = TypeVar("T")


def in_one_step(work: Callable[[], T]) -> T:
    """Run "look for the item, then make or change it" in a transaction, again when somebody else was first.

    The unique key of live items is what refuses the second of two first submissions. Raises IntegrityError when that
    happens five times in a row, and whatever the work raises.
    """
    for left in reversed(range(TRIES)):
        try:
            return patiently(work)
        except IntegrityError:
            if not left:
                raise
    raise AssertionError("The last try returns or raises.")


def newest(item_type: ItemType, identity: str, *, actor: str) -> Held | None:
    """Lock the newest item of that identity, whatever its phase, for the rest of the transaction."""
    rows = item_type.model.objects.select_for_update().annotate(present=CurrentTimestamp())
    item = rows.filter(item_type=item_type.name, identity=identity).order_by("-sequence").first()
    return held(item_type, item, actor=actor) if item else None


def create(
    item_type: ItemType,
    identity: str,
    wanted: Changes,
    *,
    caller: str,
    after: Held | None = None,
) -> Held:
    """Insert an active item, its detail row (all its columns in `wanted`) and dimensions, and ring once committed.

    `after` is the ended item of the same identity that it follows (its generation counts on). `caller` comes from
    authentication. Raises IntegrityError when a live item of that identity exists: use in_one_step.
    """
    item = item_type.model.objects.create(
        item_type=item_type.name,
        identity=identity,
        generation=after.item.generation + 1 if after else 1,
        caller_identity=caller[:CALLER_LENGTH],
        failed_is_ended=item_type.failed_is_ended,
        **wanted.columns,
    )
    now = clock.now()
    made = Held(item, item_type, now, Ledger(item, now, caller), {})
    made.ledger.note(AuditKind.CREATED, f"created by {caller or 'nobody known'}: {item.idempotency_key}")
    made.mark(wanted.dimensions)
    made.set(subject=_subject(made))
    made.write()
    bell.ring(WORK_BELL)
    return made


def change(found: Held, changes: Changes, reason: str) -> None:
    """Change an active item from outside, and ring: it gets its attempts afresh, and the decider looks again."""
    found.ledger.note(AuditKind.CHANGED, reason)
    found.apply(changes, reason)
    _begin_anew(found)


def revive(found: Held, changes: Changes, reason: str) -> None:
    """Make a failed or cancelled item active again, and ring.

    Raises IntegrityError when a younger item of the same identity is live.
    """
    found.ledger.note(AuditKind.RETRY, reason)
    found.enter(Phase.ACTIVE, reason)
    found.apply(changes, reason)
    _begin_anew(found)


def _begin_anew(found: Held) -> None:
    found.set(attempts=0, error="", revision=found.item.revision + 1, subject=_subject(found))
    if found.phase is Phase.ACTIVE:
        found.wake()
    found.write()
    bell.ring(WORK_BELL)


def _subject(found: Held) -> str:
    return found.item_type.subject(found.item)[:IDENTITY_LENGTH]
