"""Bells: wake a task soon, at most once a minute per bell, without a queue message for every Event.

config maps the bell's name to a dotted task (settings.BELLS). A name without a task is a no-op, so writers ring before
anybody listens. A bell may be lost or doubled without harm: a minute schedule sweeps what no bell announced.
"""

from __future__ import annotations

import structlog
from django.conf import settings
from django.db import transaction
from django.db.models import Q
from django_q.tasks import async_task

from core.functions import CurrentTimestamp, ago
from core.models import Bell

log = structlog.get_logger(__name__)

# A bell older than this may be rung again: whoever should have answered is gone.
STALE_AFTER = 60


def ring(name: str) -> None:
    """Ring once the present transaction has committed (at once when there is none); never raises."""
    if name in settings.BELLS:
        transaction.on_commit(lambda: _ring_now(name), robust=True)


def answer(name: str) -> None:
    """Clear the bell; the task calls this first, so that an Event during its work rings anew."""
    Bell.objects.filter(name=name).update(rung_at=None)


def _ring_now(name: str) -> None:
    # The usual case in a burst of Events: it was rung a moment ago, and one reading tells.
    if Bell.objects.filter(name=name, rung_at__gt=ago(STALE_AFTER)).exists():
        return
    Bell.objects.get_or_create(name=name)
    silent = Q(rung_at=None) | Q(rung_at__lte=ago(STALE_AFTER))
    if Bell.objects.filter(silent, name=name).update(rung_at=CurrentTimestamp()):
        async_task(settings.BELLS[name])
        log.debug("bell rung", bell=name)
