"""What submissions say of a pull request when a person asks why it is where it is (named in config's EXPLAINERS)."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from core.reasons import Reason
from submissions import selectors
from webhooks.models import PullRequest
from workqueue.services import explaining


def explain(row: PullRequest, now: datetime) -> Iterator[Reason]:
    """Yield how its submission stands, if it has one; asks the database once, and five times more for an active one."""
    item = selectors.item_of(row.repository_id, row.number) if row.repository_id else None
    if item:
        yield from explaining.explain(item, now, name="Its submission", prefix="submission")
