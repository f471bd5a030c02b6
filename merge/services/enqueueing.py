"""Making merges: the guards are read again under the pull request's row lock, so that two wishes never make two."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from typing import Any

from core.registry import Effective
from core.version import STAMP
from githubapi.values import PullRequestFacts
from merge import selectors, setting_specs
from merge.decisions import NEEDS_APPROVAL, NEEDS_MERGE, guard_past, is_backed_off
from merge.services.item_type import MERGE
from merge.services.notes import note
from merge.services.places import Place
from merge.services.pull_rows import lock_row
from merge.values import Backoff, Standing, Verdict
from webhooks.values import Cause
from workqueue.services import submitting
from workqueue.services.holding import Held
from workqueue.values import Changes, DimensionUpdate, Phase, Refused, Submitted

POLLER = STAMP


@dataclass(frozen=True, kw_only=True)
class Wish:
    """Somebody wants this head merged: the verdict on it decides whether a person must approve it first."""

    place: Place
    facts: PullRequestFacts
    verdict: Verdict
    caller: str

    @property
    def identity(self) -> str:
        return selectors.identity_of(self.place.repository_id, self.facts.number)

    @property
    def is_approved(self) -> bool:
        return self.verdict.standing is Standing.ELIGIBLE


def backoff_of(settings: Effective) -> Backoff:
    """Return the backoff in force."""
    hours = timedelta(hours=settings[setting_specs.BACKOFF_HOURS])
    return Backoff(hours, settings[setting_specs.BACKOFF_SCOPE])


def enqueue_approved(wish: Wish, backoff: Backoff) -> Submitted | Verdict:
    """Make an approved merge for the poller, or return the guard's verdict that forbids it by now."""
    return submitting.in_one_step(partial(_enqueue_approved, wish, backoff))


def _enqueue_approved(wish: Wish, backoff: Backoff) -> Submitted | Verdict:
    row = lock_row(wish.place, wish.facts, Cause(actor=wish.caller))
    found = submitting.newest(MERGE, wish.identity, actor=wish.caller)
    past = selectors.past_merges(wish.place.repository_id, wish.facts.number)
    if stop := guard_past(past, wish.facts.head_sha, backoff):
        return stop
    return _create(wish, row, found)


def enqueue_for(wish: Wish, backoff: Backoff) -> Submitted:
    """Make, revive or update a merge for a person or an agent who asks for it; raises Refused.

    A rejection does not stand against whoever asks anew. Inside the backoff window the failed merge gets a further
    attempt, so that there is never a second failed row (merge.md 4).
    """
    return submitting.in_one_step(partial(_enqueue_for, wish, backoff))


def _enqueue_for(wish: Wish, backoff: Backoff) -> Submitted:
    row = lock_row(wish.place, wish.facts, Cause(actor=wish.caller))
    found = submitting.newest(MERGE, wish.identity, actor=wish.caller)
    if found is None or found.phase is Phase.CANCELLED:
        return _create(wish, row, found)
    if found.phase is Phase.COMPLETED:
        raise Refused("merged", "It was merged already.")
    if found.phase is Phase.ACTIVE:
        return _update(wish, found)
    past = selectors.past_merges(wish.place.repository_id, wish.facts.number)
    if not is_backed_off(past, wish.facts.head_sha, backoff):
        return _create(wish, row, found)
    submitting.revive(found, _changes(wish), f"asked for anew by {wish.caller}: {wish.verdict.sentence}")
    note(row, f"merge asked for anew by {wish.caller}: {_next(wish)}", Cause(actor=wish.caller))
    return Submitted(found.item.pk, "retried", f"The failed merge gets a further attempt: {_next(wish)}.")


def _create(wish: Wish, row: int, after: Held | None) -> Submitted:
    own = {
        "repository_id": wish.place.repository_id,
        "number": wish.facts.number,
        "pull_request_sequence": row,
        "installation_id": wish.place.client.installation_id,
        "repository_owner": wish.place.owner,
        "repository_name": wish.place.name,
    }
    wanted = _changes(wish, **own)
    made = submitting.create(MERGE, wish.identity, wanted, caller=wish.caller, after=after)
    note(row, f"merge asked for by {wish.caller}: {_next(wish)}", Cause(actor=wish.caller))
    return Submitted(made.item.pk, "created", f"The merge is {_next(wish)}.")


def _update(wish: Wish, found: Held) -> Submitted:
    """Let a live merge mean the present head; one that is being carried out is left alone."""
    if found.item.head_sha == wish.facts.head_sha:
        return Submitted(found.item.pk, "unchanged", "A merge of this head is under way already.")
    if is_being_carried_out(found):
        raise Refused("executing", "A merge is being carried out right now; ask again in a minute.")
    submitting.change(found, _changes(wish), f"asked for anew by {wish.caller}: the head has moved")
    return Submitted(found.item.pk, "updated", f"The merge means the present head now; it is {_next(wish)}.")


def is_being_carried_out(found: Held) -> bool:
    """Tell whether a worker is at the merge right now."""
    return found.item.leased_until is not None and found.item.leased_until > found.now


def _changes(wish: Wish, **own: Any) -> Changes:
    columns = {
        **own,
        "head_sha": wish.facts.head_sha,
        "reason": wish.verdict.sentence,
        "approved_by": POLLER if wish.is_approved else "",
    }
    dimensions = [DimensionUpdate(NEEDS_APPROVAL, not wish.is_approved), DimensionUpdate(NEEDS_MERGE, True)]  # noqa: FBT003
    return Changes(columns=columns, dimensions=dimensions)


def _next(wish: Wish) -> str:
    if wish.is_approved:
        return "approved and about to be carried out"
    return f"waiting for a person to approve it ({wish.verdict.sentence.rstrip('.')})"
