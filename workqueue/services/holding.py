"""An item under its row lock: everything that changes one goes through here, whoever causes it.

What a transaction wants to change is collected and written at its end by one UPDATE a table.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from core import clock
from core.functions import CurrentTimestamp
from core.statements import insert_row, update_row
from workqueue import selectors
from workqueue.decisions import storable
from workqueue.models import WorkItem, WorkItemDimension
from workqueue.registry import ItemType
from workqueue.services import audit
from workqueue.services.audit import Ledger
from workqueue.services.deciding import snapshot_of
from workqueue.values import (
    AuditKind,
    Changes,
    DimensionUpdate,
    LeaseLost,
    Phase,
    Snapshot,
)


@dataclass
class Held:
    """An item whose row the present transaction has locked, and what is to be written to it."""

    item: Any
    item_type: ItemType
    now: datetime
    ledger: Ledger
    dimensions: selectors.Dimensions
    # Whether events wait for it, as far as somebody asked.
    unread: bool = False
    columns: dict[str, Any] = field(default_factory=dict)
    detail_columns: dict[str, Any] = field(default_factory=dict)

    @property
    def phase(self) -> Phase:
        return Phase(self.item.phase)

    def snapshot(self) -> Snapshot:
        """Return what a decider sees, with all that this transaction has changed so far."""
        return snapshot_of(self.item_type, self.item, self.dimensions, self.now)

    def set(self, **columns: Any) -> None:
        """Change columns of work_items."""
        self._set(columns, self.columns)

    def set_detail(self, **columns: Any) -> None:
        """Change columns of the type's detail table; raises TypeError for any other."""
        own = {each.name for each in self.item_type.model._meta.local_fields}
        if strange := sorted(set(columns) - own):
            raise TypeError(f"{', '.join(strange)}: no columns of {self.item_type.model._meta.db_table}.")
        self._set(columns, self.detail_columns)

    def _set(self, columns: dict[str, Any], collected: dict[str, Any]) -> None:
        collected.update(columns)
        for name, value in columns.items():
            setattr(self.item, name, value)

    def enter(self, phase: Phase, reason: str) -> None:
        """Change the phase; an item that has ended has nothing to be done, and one that failed says why."""
        if phase is self.phase:
            return
        self.ledger.note(
            AuditKind.TRANSITION,
            f"{self.phase} -> {phase}: {reason}",
            from_phase=str(self.phase),
            to_phase=str(phase),
        )
        active = phase is Phase.ACTIVE
        self.set(
            phase=phase.value,
            error=storable(reason) if phase is Phase.FAILED else "",
            ended_at=None if active else self.now,
            actionable=active,
        )

    def mark(self, updates: Iterable[DimensionUpdate]) -> None:
        """Set dimensions; each that really changes is an entry of the audit."""
        for update in updates:
            row = self.dimensions.get((update.dimension, update.variant))
            if row is None or (row.status, row.pending_until) != _stored(update):
                self._mark(row, update)

    def _mark(self, row: WorkItemDimension | None, update: DimensionUpdate) -> None:
        row = row or WorkItemDimension(
            item_id=self.item.pk, dimension=update.dimension, variant=update.variant
        )
        row.status, row.pending_until = _stored(update)
        stored = {"status": row.status, "pending_until": row.pending_until, "updated_at": CurrentTimestamp()}
        if row.pk:
            update_row(WorkItemDimension, row.pk, stored)
        else:
            key = {"item": self.item.pk, "dimension": update.dimension, "variant": update.variant}
            row.pk = insert_row(WorkItemDimension, key | stored)
        self.dimensions[update.dimension, update.variant] = row
        self.ledger.note(
            AuditKind.DIMENSION,
            _told(update),
            dimension=update.dimension,
            variant=update.variant,
            status=row.status,
            pending_until=row.pending_until,
        )

    def apply(self, changes: Changes, reason: str) -> None:
        """Make all the changes asked for."""
        if changes.columns:
            self.set_detail(**changes.columns)
        self.mark(changes.dimensions)
        if changes.phase is not None:
            self.enter(changes.phase, reason)

    def wake(self) -> None:
        """Say that somebody should look at the item, at once."""
        self.set(actionable=True, due_at=self.now)

    def write(self) -> None:
        """Write what was collected, and the audit."""
        write(self)

    def write_columns(self) -> None:
        """Write what was collected, without the audit."""
        if self.columns:
            update_row(WorkItem, self.item.pk, self.columns | {"updated_at": CurrentTimestamp()})
        if self.detail_columns:
            update_row(self.item_type.model, self.item.pk, self.detail_columns)
        self.columns, self.detail_columns = {}, {}


def write(*items: Held) -> None:
    """Write what was collected about some items, and their audit by one statement."""
    for each in items:
        each.write_columns()
    audit.write(*(each.ledger for each in items))


def hold(item_type: ItemType, sequence: int, *, token: str = "", actor: str = "") -> Held:
    """Lock an item for the rest of the transaction; with a lease's `token`, raises LeaseLost unless it still holds."""
    found = selectors.lock_item(item_type.model, sequence, token)
    if found is None:
        raise LeaseLost(f"The lease of work item {sequence} is over: somebody else holds the item by now.")
    ledger = Ledger(found.item, found.now, actor)
    return Held(found.item, item_type, found.now, ledger, found.dimensions, unread=found.unread)


def held(item_type: ItemType, item: Any, *, actor: str) -> Held:
    """Return the Held of a row that was read with its lock and annotated with the `present`."""
    now = clock.instant(item.present)
    return Held(item, item_type, now, Ledger(item, now, actor), selectors.dimensions_of(item.pk))


def _stored(update: DimensionUpdate) -> tuple[str, datetime | None]:
    status = WorkItemDimension.NEEDED if update.needed else WorkItemDimension.HANDLED
    until = update.pending_until
    return status, until.replace(microsecond=0) if until else None


def _told(update: DimensionUpdate) -> str:
    name = f"{update.dimension}[{update.variant}]" if update.variant else update.dimension
    until = f", not before {update.pending_until.isoformat()}" if update.pending_until else ""
    return f"{name} = {'true' if update.needed else 'false'}{until}"
