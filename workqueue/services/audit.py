"""What happened to an item: a row for the page, a line in the log and, when configured, an object in the archive.

The row is written in the transaction that it tells of. Log and archive come after its commit, and a failure there
never stops the work.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from typing import Any

import structlog
from django.db import transaction

from core import archive
from core.functions import CurrentTimestamp
from core.statements import insert_rows
from workqueue.decisions import storable
from workqueue.models import CALLER_LENGTH, AuditEntry, WorkItem
from workqueue.values import AuditKind

log = structlog.get_logger(__name__)


@dataclass
class Ledger:
    """Collects the entries of one transaction about one item."""

    item: WorkItem
    now: datetime
    actor: str = ""
    entries: list[tuple[AuditKind, str, dict[str, Any]]] = field(default_factory=list)

    def note(self, kind: AuditKind, sentence: str, **facts: Any) -> None:
        """Add an entry; `facts` go to the log and the archive beside the sentence."""
        self.entries.append((kind, storable(sentence), facts))

    def rows(self) -> list[dict[str, Any]]:
        """Return the entries as they are stored."""
        same = {"item": self.item.pk, "at": CurrentTimestamp(), "actor": self.actor[:CALLER_LENGTH]}
        return [same | {"kind": kind, "sentence": sentence} for kind, sentence, _ in self.entries]

    def tell_once_committed(self) -> None:
        """Let the entries reach log and archive, and begin a new page."""
        transaction.on_commit(partial(self._tell, tuple(self.entries)), robust=True)
        self.entries.clear()

    def _tell(self, entries: tuple[tuple[AuditKind, str, dict[str, Any]], ...]) -> None:
        for kind, sentence, facts in entries:
            told = {
                "item": self.item.pk,
                "item_type": self.item.item_type,
                "key": self.item.idempotency_key,
                "kind": str(kind),
                "sentence": sentence,
                "actor": self.actor,
                **facts,
            }
            log.info("work item", **told)
            archive.keep({"at": self.now.isoformat(), **told}, self.now)


def write(*ledgers: Ledger) -> None:
    """Insert the entries of some items by one statement; log and archive get them after the commit."""
    insert_rows(AuditEntry, [row for ledger in ledgers for row in ledger.rows()])
    for ledger in ledgers:
        if ledger.entries:
            ledger.tell_once_committed()
