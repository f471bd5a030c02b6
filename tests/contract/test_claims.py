"""Claim and finalize by the SQL of programs that exist already."""

from __future__ import annotations

from datetime import timedelta

import pytest

from core import clock
from tests.contract.outsider import VERSION, WITHOUT_IDLE, Outsider
from tests.contract.rows import make_row
from webhooks.models import CLAIMED, PullRequest
from webhooks.services.claims import claim
from webhooks.values import PENDING, ProcessingState


@pytest.mark.parametrize("model", CLAIMED, ids=lambda model: model._meta.db_table)
def test_claims_take_pending_and_stale_rows(outsider: Outsider, model):
    table, now = model._meta.db_table, clock.now()
    states = [state for state in PENDING if state != "IDLE" or model is PullRequest]
    taken = {make_row(model, processing_state=state).pk for state in states}
    stale = make_row(model, processing_state="PROCESSING", processing_date=now - timedelta(minutes=61))
    claimed = make_row(model, processing_state="PROCESSING", processing_date=now - timedelta(minutes=58))
    done = make_row(model, processing_state="PROCESSED")

    outsider.begin()
    sequences = outsider.claim(table)
    outsider.commit()

    assert set(sequences) == taken | {stale.pk}
    for row in model.objects.filter(pk__in=sequences):
        assert row.processing_state == ProcessingState.PROCESSING
        assert row.gstraccini_bot_version == VERSION
        # Written by NOW() of a session elsewhere, read by ours: the same instant.
        assert abs(row.processing_date - now) < timedelta(seconds=30)
        assert abs(row.updated_at - now) < timedelta(seconds=30)
    assert model.objects.get(pk=claimed.pk).processing_date == now - timedelta(minutes=58)
    assert model.objects.get(pk=done.pk).processing_state == ProcessingState.PROCESSED


def test_claims_begin_with_the_row_untouched_for_longest(outsider: Outsider):
    now = clock.now()
    days = [3, 1, 12, 7, 5, 9, 2, 11, 4, 8, 6, 10]
    age = {make_row(PullRequest, updated_at=now - timedelta(days=days)).pk: days for days in days}
    outsider.begin()
    sequences = outsider.claim("github_pull_requests")
    outsider.commit()
    assert [age[sequence] for sequence in sequences] == [12, 11, 10, 9, 8, 7, 6, 5, 4, 3]


@pytest.mark.mariadb
@pytest.mark.usefixtures("mariadb")
def test_two_sessions_never_claim_the_same_row(outsider: Outsider, another_outsider: Outsider):
    rows = {make_row(PullRequest).pk for _ in range(25)}
    claimed: list[int] = []
    for _ in range(5):
        outsider.begin()
        another_outsider.begin()
        first = outsider.claim("github_pull_requests")
        second = another_outsider.claim("github_pull_requests")  # does not wait for the first
        outsider.commit()
        another_outsider.commit()
        claimed += first + second
    assert sorted(claimed) == sorted(rows)


@pytest.mark.parametrize("model", CLAIMED, ids=lambda model: model._meta.db_table)
def test_finalize_closes_a_claim_once(outsider: Outsider, model):
    table, now = model._meta.db_table, clock.now()
    row = make_row(model, processing_state="PROCESSING", processing_date=now)
    assert outsider.finalize(table, row.pk) == 1
    assert outsider.finalize(table, row.pk) == 0
    row.refresh_from_db()
    assert row.processing_state == ProcessingState.PROCESSED
    assert abs(row.processed_date - now) < timedelta(seconds=30)


@pytest.mark.parametrize("model", CLAIMED, ids=lambda model: model._meta.db_table)
def test_finalize_leaves_a_row_alone_that_was_asked_for_again(outsider: Outsider, model):
    table = model._meta.db_table
    row = make_row(model, processing_state="PROCESSING", processing_date=clock.now())
    re_request = f"UPDATE {table} SET ProcessingState='RE_REQUESTED', ProcessingDate=NULL WHERE Sequence=%s"
    assert outsider.run(re_request, [row.pk]) == 1
    assert outsider.finalize(table, row.pk) == 0
    row.refresh_from_db()
    assert (row.processing_state, row.processing_date) == (ProcessingState.RE_REQUESTED, None)


@pytest.mark.parametrize("state", ["IDLE", "RE_REQUESTED"])
def test_b1_3_idle_is_claimed_and_finalized_like_re_requested(outsider: Outsider, state):
    row = make_row(PullRequest, processing_state=state, idle_retry_count=2)
    outsider.begin()
    assert outsider.claim("github_pull_requests") == [row.pk]
    outsider.commit()
    assert outsider.finalize("github_pull_requests", row.pk) == 1
    row.refresh_from_db()
    assert (row.processing_state, row.idle_retry_count) == (ProcessingState.PROCESSED, 2)


def test_b1_34_a_bot_that_does_not_know_idle_yet_leaves_such_rows_waiting_unharmed(outsider: Outsider):
    """It leaves IdleRetryCount alone as well, for it does not know the column (B1.33)."""
    waiting = make_row(PullRequest, processing_state="IDLE", idle_retry_count=2)
    other = make_row(PullRequest, processing_state="UPDATED", idle_retry_count=1)
    before = PullRequest.objects.values().get(pk=waiting.pk)
    outsider.begin()
    assert outsider.claim("github_pull_requests", pending=WITHOUT_IDLE) == [other.pk]
    outsider.commit()
    assert outsider.finalize("github_pull_requests", other.pk) == 1
    assert PullRequest.objects.values().get(pk=waiting.pk) == before
    assert PullRequest.objects.get(pk=other.pk).idle_retry_count == 1
    assert [claim.row.pk for claim in claim(PullRequest, worker="newer").claims] == [waiting.pk]
