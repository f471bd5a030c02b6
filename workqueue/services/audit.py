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

from workqueue.models import CALLER_LENGTH, AuditEntry, WorkItem
from workqueue.services import archive
from workqueue.values import AuditKind

log = structlog.get_logger(__name__)

SENTENCE_LENGTH = 16_000


@dataclass
class Ledger:
    """Collects the entries of one transaction about one item."""

    item: WorkItem
    now: datetime
    actor: str = ""
    entries: list[tuple[AuditKind, str, dict[str, Any]]] = field(default_factory=list)

    def note(self, kind: AuditKind, sentence: str, **facts: Any) -> None:
        """Add an entry; `facts` go to the log and the archive beside the sentence."""
        # Reasons quote what others say, which may hold what no database takes.
        text = sentence.encode("utf-8", "backslashreplace").decode().replace("\0", "")
        self.entries.append((kind, text[:SENTENCE_LENGTH], facts))

    def write(self) -> None:
        """Insert the entries; they reach log and archive once the transaction has committed."""
        if not self.entries:
            return
        AuditEntry.objects.bulk_create(
            AuditEntry(
                item_id=self.item.pk, at=self.now, kind=kind, sentence=text, actor=self.actor[:CALLER_LENGTH]
            )
            for kind, text, _ in self.entries
        )
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
