"""Who moves UpdatedAt and who keeps it: the list of the specification, on both databases alike (B1.38)."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.apps import apps

from idle.services import reset
from tests.claims.conftest import Taking
from tests.clock import DrivenClock
from tests.contract.rows import make_row
from webhooks.models import CLAIMED, PullRequest
from webhooks.models.base import EventQuerySet
from webhooks.services import finishing
from webhooks.services.claims import Claim
from webhooks.services.pending import re_request
from webhooks.services.renames import Rename, carry_over
from webhooks.values import Cause, RepositoryRef

EVENT_TABLES = [
    model for model in apps.get_models() if isinstance(model._default_manager.all(), EventQuerySet)
]

MOVED: dict[str, Callable[[Claim], Any]] = {
    "the end of the work": lambda claim: finishing.finalize(claim, "done"),
    "a person's wish": lambda claim: re_request(PullRequest, [claim.row.pk], actor="alice"),
}
KEPT: dict[str, Callable[[Claim], Any]] = {
    "given back to wait for GitHub": lambda claim: finishing.give_back(claim, "throttled", throttled_for=60),
    "put off": lambda claim: finishing.defer(claim, 60, "later"),
    "mergeable not known": finishing.defer_until_mergeable_is_known,
    "a failed attempt": lambda claim: finishing.fail(claim, "boom"),
    "given up on": lambda claim: finishing.fail(claim, "gone", permanent=True),
    "an operator's reset": lambda claim: reset(claim.row.pk, actor="alice"),
    "another name": lambda claim: carry_over(
        Rename(repository=RepositoryRef(4242, "octo", "new"), old=("octo", "tools"), cause=Cause(actor="x"))
    ),
}


@pytest.mark.parametrize("model", EVENT_TABLES, ids=lambda model: model._meta.db_table)
def test_b1_38_no_update_of_an_event_table_leaves_updated_at_to_chance(db, model):
    with pytest.raises(TypeError, match="must name updated_at"):
        model._default_manager.update(hook_id=1)


def test_b1_38_every_table_that_is_claimed_is_guarded_so():
    assert set(CLAIMED) <= set(EVENT_TABLES)


@pytest.mark.parametrize("write", MOVED.values(), ids=MOVED)
def test_b1_38_what_moves_updated_at(claimed: Callable[..., Claim], clock: DrivenClock, write):
    claim = claimed(idle_retry_count=2)
    later = clock.shift(minutes=5)
    write(claim)
    assert PullRequest.objects.get().updated_at == later


def test_b1_38_a_claim_moves_it_as_the_existing_bots_does(take: Taking, clock: DrivenClock):
    make_row(PullRequest, updated_at=clock.now - timedelta(days=2))
    (claim,) = take().claims
    assert PullRequest.objects.get(pk=claim.row.pk).updated_at == clock.now


@pytest.mark.parametrize("write", KEPT.values(), ids=KEPT)
def test_b1_38_what_keeps_updated_at(claimed: Callable[..., Claim], clock: DrivenClock, write):
    place = {"repository_id": 4242, "repository_owner": "octo", "repository_name": "tools"}
    claim = claimed(idle_retry_count=2, **place)
    before = PullRequest.objects.values().get()
    clock.shift(minutes=5)
    write(claim)
    after = PullRequest.objects.values().get()
    assert after["updated_at"] == before["updated_at"]
    assert after != before, "nothing was written at all"
