"""What a person decides about a merge: approve, reject, try again."""

from __future__ import annotations

from collections.abc import Callable

from core.transactions import patiently
from merge.decisions import NEEDS_APPROVAL
from merge.models import Merge
from merge.services.enqueueing import is_being_carried_out
from merge.services.item_type import MERGE
from merge.services.notes import note
from webhooks.payload import SHORT_TEXT_BYTES, clean, cut_bytes
from webhooks.values import Cause
from workqueue.services import control, submitting
from workqueue.services.holding import Held, hold
from workqueue.values import Changes, DimensionUpdate, Phase, Refused


def approve(sequence: int, *, actor: str) -> None:
    """Approve a pending merge, for the head it names; raises Merge.DoesNotExist, Refused."""
    _change(sequence, actor, lambda found: _approve(found, actor))


def _approve(found: Held, actor: str) -> None:
    _refuse_unless_active(found)
    if not found.snapshot().needs(NEEDS_APPROVAL):
        raise Refused("not_pending", "It is approved already.")
    changes = Changes(
        columns={"approved_by": actor}, dimensions=[DimensionUpdate(NEEDS_APPROVAL, needed=False)]
    )
    submitting.change(found, changes, f"approved by {actor}")
    note(found.item.pull_request_sequence, f"merge approved by {actor}", Cause(actor=actor))


def reject(sequence: int, *, actor: str, reason: str) -> None:
    """Reject a merge that is not being carried out: it blocks the poller until the head moves or somebody asks anew.

    Raises Merge.DoesNotExist, Refused.
    """
    told = cut_bytes(clean(reason), SHORT_TEXT_BYTES).strip()
    _change(sequence, actor, lambda found: _reject(found, actor, told))


def _reject(found: Held, actor: str, reason: str) -> None:
    _refuse_unless_active(found)
    if is_being_carried_out(found):
        raise Refused("executing", "It is being carried out right now and cannot be rejected any more.")
    columns = {"rejected_by": actor, "rejected_at": found.now, "rejection": reason}
    sentence = f"rejected by {actor}" + (f": {reason}" if reason else "")
    submitting.change(found, Changes(columns=columns, phase=Phase.CANCELLED), sentence)
    note(found.item.pull_request_sequence, f"merge {sentence}", Cause(actor=actor))


def retry(sequence: int, *, actor: str) -> None:
    """Give a failed merge a further attempt; raises Merge.DoesNotExist, Refused (a rejected one is asked for anew)."""
    merge = Merge.objects.get(pk=sequence)
    control.retry(sequence, actor=actor)
    note(merge.pull_request_sequence, f"merge tried again by {actor}", Cause(actor=actor))


def _change(sequence: int, actor: str, act: Callable[[Held], None]) -> None:
    Merge.objects.only("pk").get(pk=sequence)
    patiently(lambda: act(hold(MERGE, sequence, actor=actor)))


def _refuse_unless_active(found: Held) -> None:
    if found.phase is not Phase.ACTIVE:
        raise Refused("wrong_phase", f"It has ended: {found.phase}.")
