"""GitHub merges no draft."""

from __future__ import annotations

from merge.rules.rule import refused
from merge.values import Snapshot, Verdict


def judge(snapshot: Snapshot) -> Verdict | None:
    """Refuse a draft: a merge of it could only fail (B2.5)."""
    return refused("draft", "It is a draft.") if snapshot.draft else None
