"""The task behind the bell "bot"."""

from __future__ import annotations

from bot.handlers import HANDLERS
from bot.services.working import work as work_on
from core import bell
from webhooks.services.pending import BOT_BELL


def work() -> str:
    """Answer the bell and work; any number of these may run at once."""
    # First, so that an Event during the work rings anew.
    bell.answer(BOT_BELL)
    return work_on(HANDLERS)
