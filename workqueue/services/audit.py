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

    def write(self) -> None:
        """Insert the entries; they reach log and archive once the transaction has committed."""
        if not self.entries:
            return
        same = {"item": self.item.pk, "at": self.now, "actor": self.actor[:CALLER_LENGTH]}
        rows = [same | {"kind": kind, "sentence": sentence} for kind, sentence, _ in self.entries]
        insert_rows(AuditEntry, rows)
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
