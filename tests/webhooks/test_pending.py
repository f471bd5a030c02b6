"""Making rows pending at a person's wish."""

from __future__ import annotations

import uuid

import pytest
from django.db import models

from tests.clock import DrivenClock
from tests.factories import PullRequestFactory
from webhooks.models import CLAIMED, PullRequestHistory, User
from webhooks.services.pending import re_request


def make(model: type[models.Model], **columns: object) -> models.Model:
    keys = {"User": {"user_id": 1}, "Installation": {"installation_id": 7}, "Comment": {"comment_id": 9}}
    more = keys.get(model.__name__, {}) | (
        {"node_id": "N"} if model.__name__ in {"PullRequest", "Issue"} else {}
    )
    return model._default_manager.create(delivery_id=uuid.uuid4(), **more, **columns)


@pytest.mark.parametrize("model", CLAIMED)
def test_a_row_of_every_table_goes_back_to_the_bot(clock: DrivenClock, model: type[models.Model]) -> None:
    row = make(
        model, processing_state="PROCESSED", processing_attempts=5, processing_error="gone", claim_token="t"
    )
    later = clock.shift(days=2)
    assert re_request(model, [row.pk], actor="alice") == 1
    row.refresh_from_db()
    assert (row.processing_state, row.updated_at) == ("RE_REQUESTED", later)
    assert (row.processing_attempts, row.processing_error, row.claim_token) == (0, None, None)


def test_b1_31_a_pull_request_starts_its_idle_retries_afresh_and_says_who_wished_it(
    clock: DrivenClock,
) -> None:
    pull = PullRequestFactory(idle_retry_count=4)
    re_request(type(pull), [pull.pk], actor="alice")
    pull.refresh_from_db()
    assert pull.idle_retry_count == 0
    line = PullRequestHistory.objects.get()
    assert (line.kind, line.actor, line.from_state, line.to_state) == (
        "re_request",
        "alice",
        "PROCESSED",
        "RE_REQUESTED",
    )


def test_a_new_row_stays_new(db: None) -> None:
    row = make(User)
    re_request(User, [row.pk], actor="alice")
    row.refresh_from_db()
    assert row.processing_state == "NEW"
