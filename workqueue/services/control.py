"""Retry and cancel: what a person (or a caller over REST) may do with an item of any type."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from django.db import IntegrityError

from core.transactions import patiently
from workqueue import decisions
from workqueue.models import WorkItem
from workqueue.registry import TYPES
from workqueue.services.holding import Held, hold
from workqueue.services.submitting import revive
from workqueue.values import AuditKind, Phase, Refused


def retry(sequence: int, *, actor: str) -> None:
    """Make a failed or cancelled item active again; raises Refused, and WorkItem.DoesNotExist."""
    try:
        _change(sequence, actor, _retry)
    except IntegrityError:
        raise Refused("superseded", "A younger work item of the same identity is live.") from None


def cancel(sequence: int, *, actor: str, reason: str = "") -> None:
    """Cancel an active or failed item; raises Refused, and WorkItem.DoesNotExist.

    An action that is running right now goes on to its end; what it did is kept, and nothing follows.
    """
    _change(sequence, actor, partial(_cancel, actor, reason))


def _change(sequence: int, actor: str, act: Callable[[Held], None]) -> None:
    name = WorkItem.objects.values_list("item_type", flat=True).get(pk=sequence)
    if name not in TYPES:
        raise Refused("unknown_type", f"Nothing here knows the item type {name}.")
    patiently(lambda: act(hold(TYPES[name], sequence, actor=actor)))


def _retry(found: Held) -> None:
    _refuse_if(decisions.why_not_retry(found.phase), "wrong_phase")
    _refuse_if(found.item_type.why_not_retry(found.item), "refused_by_type")
    revive(found, found.item_type.on_retry(found.item), f"retried by {found.ledger.actor or 'a person'}")


def _cancel(actor: str, reason: str, found: Held) -> None:
    _refuse_if(decisions.why_not_cancel(found.phase), "wrong_phase")
    _refuse_if(found.item_type.why_not_cancel(found.item), "refused_by_type")
    sentence = f"cancelled by {actor or 'a person'}" + (f": {reason}" if reason else "")
    found.ledger.note(AuditKind.CANCEL, sentence)
    found.enter(Phase.CANCELLED, sentence)
    found.set(revision=found.item.revision + 1)
    found.write()


def _refuse_if(sentence: str, code: str) -> None:
    if sentence:
        raise Refused(code, sentence)
