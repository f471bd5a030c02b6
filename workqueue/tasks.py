"""The task behind the bell "work"."""

from __future__ import annotations

from core import bell
from workqueue.services import working
from workqueue.services.submitting import WORK_BELL


def work() -> str:
    """Answer the bell and work; any number of these may run at once."""
    # First, so that whatever comes during the work rings anew.
    bell.answer(WORK_BELL)
    return working.work()
