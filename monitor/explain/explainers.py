"""What other apps say of a pull request: the functions named in settings.EXPLAINERS."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import datetime

import structlog
from django.conf import settings
from django.utils.module_loading import import_string

from core.reasons import Reason
from monitor.explain.values import Code
from webhooks.models import PullRequest

log = structlog.get_logger(__name__)

# Takes the row and the present; asks the database a bounded number of times, and never GitHub.
Explainer = Callable[[PullRequest, datetime], Iterable[Reason]]


def said(row: PullRequest, now: datetime) -> tuple[Reason, ...]:
    """Return what every explainer says, in the order of the setting."""
    return tuple(reason for name in settings.EXPLAINERS for reason in _ask(name, row, now))


def _ask(name: str, row: PullRequest, now: datetime) -> tuple[Reason, ...]:
    try:
        explainer: Explainer = import_string(name)
        return tuple(explainer(row, now))
    except Exception:
        # Who asks "why" at night wants the rest of the answer; the log has the traceback.
        log.exception("explainer failed", explainer=name, pull_request=row.pk)
        return (Reason(Code.EXPLAINER_FAILED, f"A part of the answer is missing: {name} failed."),)
