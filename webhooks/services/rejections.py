"""Requests turned away at the door: counted, never stored."""

from __future__ import annotations

import structlog
from django.db import DatabaseError, IntegrityError
from django.db.models import F

from core import clock
from core.functions import CurrentTimestamp
from webhooks.models import Delivery, Rejection

log = structlog.get_logger(__name__)

ID_DIGITS = 19


def count(reason: str, hook_id_text: str) -> None:
    """Add one to the counter of this reason, hook and hour; never raises: the answer to the sender stands anyway."""
    try:
        _count(reason, _known_hook(hook_id_text))
    except DatabaseError:
        log.warning("rejection not counted", reason=reason, exc_info=True)


def _known_hook(text: str) -> int:
    """Return the hook's id if we ever accepted a Delivery of it, else 0: strangers must not make rows up."""
    if not (text.isascii() and text.isdigit() and len(text) <= ID_DIGITS):
        return 0
    hook_id = int(text)
    return hook_id if Delivery.objects.filter(hook_id=hook_id).exists() else 0


def _count(reason: str, hook_id: int) -> None:
    hour = clock.now().replace(minute=0, second=0)
    key = {"hour": hour, "reason": reason, "hook_id": hook_id}
    if _add_one(key):
        return
    try:
        Rejection.objects.create(**key)
    except IntegrityError:
        _add_one(key)


def _add_one(key: dict[str, object]) -> int:
    return Rejection.objects.filter(**key).update(hits=F("hits") + 1, last_seen=CurrentTimestamp())
