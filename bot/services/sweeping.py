"""The minute's sweep: ring for whatever no bell announced."""

from __future__ import annotations

from core import bell
from core.passes import Run
from webhooks import selectors
from webhooks.models import CLAIMED
from webhooks.services.pending import BOT_BELL


def sweep(run: Run) -> None:
    """Ring when any table has a row to claim, stale claims included, or a look is due; works on nothing itself."""
    waiting = [model for model in CLAIMED if selectors.oldest(model, 1)]
    looks = selectors.due_looks().count()
    run.count("tables_waiting", len(waiting))
    run.count("looks_due", looks)
    if waiting or looks:
        bell.ring(BOT_BELL)
