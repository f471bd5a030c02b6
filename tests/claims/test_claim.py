"""Claiming, rule by rule."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.db import connection
from django.db.models import F

from tests.claims.conftest import Taking, pull, sequences
from tests.clock import DrivenClock
from tests.contract.rows import make_row
from tests.factories import InstallationFactory
from webhooks import claim_rules, selectors
from webhooks.models import CLAIMED, PullRequest, PullRequestHistory, User
from webhooks.services.claims import claim, claim_of
from webhooks.services.pending import re_request
from webhooks.values import PENDING, ProcessingState

every_table = pytest.mark.parametrize("model", CLAIMED, ids=lambda model: model._meta.db_table)


@every_table
def test_b1_2_pending_rows_of_every_table_are_claimed_and_no_others(take: Taking, now, model):
    states = [state for state in PENDING if state != "IDLE" or model is PullRequest]
    pending = {make_row(model, processing_state=state).pk: state for state in states}
    make_row(model, processing_state="PROCESSED")
    make_row(model, processing_state="PROCESSING", processing_date=now)
    batch = take(model)
    assert {claim.row.pk: claim.claimed_from for claim in batch.claims} == pending
    assert batch.failed == ()


@every_table
def test_a_claim_writes_all_its_columns(take: Taking, clock: DrivenClock, model):
    row = make_row(model, processing_state="UPDATED", processing_attempts=2, updated_at=clock.now)
    later = clock.shift(days=1)
    (claim,) = take(model).claims
    row.refresh_from_db()
    assert row.processing_state == ProcessingState.PROCESSING
    assert row.processing_date == row.updated_at == claim.at == later
    assert (row.claim_token, row.claimed_from) == (claim.token, "UPDATED")
    assert (row.gstraccini_bot_version, row.processing_attempts, claim.attempt) == ("w", 3, 3)


def test_what_the_worker_gets_is_the_row_as_it_waited(take: Taking, clock: DrivenClock):
    row = pull(processing_state="IDLE", title="Lämpchen 💡", updated_at=clock.now - timedelta(days=9))
    (claim,) = take().claims
    assert claim.model is PullRequest
    assert (claim.row.title, claim.row.number, claim.installation_id) == (row.title, row.number, 7)
    assert (claim.row.processing_state, claim.row.updated_at) == ("IDLE", row.updated_at)
    assert claim.row.delivery_id == row.delivery_id


def test_a_users_row_has_no_installation(take: Taking):
    make_row(User)
    (claim,) = take(User).claims
    assert claim.installation_id is None


def test_idle_retries_are_left_as_they_are(claimed):
    claim = claimed(processing_state="IDLE", idle_retry_count=4)
    claim.row.refresh_from_db()
    assert claim.row.idle_retry_count == 4


def test_a_claim_is_told_in_the_history(take: Taking, now):
    fresh = pull(processing_state="IDLE")
    stale = pull(
        processing_state="PROCESSING",
        processing_date=now - timedelta(hours=2),
        claimed_from="UPDATED",
        processing_attempts=1,
    )
    token = take().token
    lines = PullRequestHistory.objects.order_by("pull_request_sequence").values_list(
        "pull_request_sequence", "kind", "from_state", "to_state", "reason", "actor", "claim_token", "at"
    )
    silent = "claimed by w, attempt 2, after another claim went silent for an hour"
    assert list(lines) == [
        (fresh.pk, "claim", "IDLE", "PROCESSING", "claimed by w, attempt 1", "w", token, now),
        (stale.pk, "claim", "PROCESSING", "PROCESSING", silent, "w", token, now),
    ]


@every_table
def test_a_claim_is_stale_after_exactly_an_hour(clock: DrivenClock, claimed, take: Taking, model):
    first = claimed(model, processing_state="UPDATED")
    clock.shift(seconds=3599)
    assert not take(model)
    clock.shift(seconds=1)
    (second,) = take(model).claims
    assert (second.row.pk, second.attempt, second.claimed_from) == (first.row.pk, 2, "UPDATED")
    assert second.token != first.token


def test_a_stale_claim_of_another_program_is_taken_over(take: Taking, now):
    pull(processing_state="PROCESSING", processing_date=now - timedelta(hours=1))
    (claim,) = take().claims
    assert (claim.claimed_from, claim.attempt) == (None, 1)


@every_table
def test_not_before_is_waited_for(clock: DrivenClock, take: Taking, model):
    make_row(model, not_before=clock.now + timedelta(seconds=60))
    clock.shift(seconds=59)
    assert not take(model)
    clock.shift(seconds=1)
    assert len(take(model).claims) == 1


def test_a_stale_claim_waits_for_its_not_before_too(take: Taking, now):
    hours = timedelta(hours=3)
    pull(processing_state="PROCESSING", processing_date=now - hours, not_before=now + hours)
    assert not take()


def test_a_re_request_ends_the_waiting(take: Taking, now):
    row = pull(not_before=now + timedelta(hours=3))
    assert not take()
    re_request(PullRequest, [row.pk], actor="alice")
    assert sequences(take()) == [row.pk]


@pytest.mark.parametrize("model", [model for model in CLAIMED if model is not User])
def test_rows_of_a_throttled_installation_are_skipped_until_then(clock: DrivenClock, take: Taking, model):
    until = clock.now + timedelta(minutes=10)
    waiting = make_row(model, installation_id=7)
    InstallationFactory(installation_id=7, throttled_until=until, processing_state="PROCESSED")
    others = [make_row(model, installation_id=8)]
    if model._meta.db_table != "github_installations":
        others.append(make_row(model, installation_id=None))
    assert sorted(sequences(take(model))) == [row.pk for row in others]
    clock.move_to(until)
    assert sequences(take(model)) == [waiting.pk]


@pytest.mark.parametrize("old,new,served", [(None, 60, 0), (60, None, 1)])
def test_only_the_current_row_of_an_installation_counts(take: Taking, now, old, new, served):
    for seconds in (old, new):
        until = seconds and now + timedelta(seconds=seconds)
        InstallationFactory(throttled_until=until, processing_state="PROCESSED")
    pull(installation_id=7)
    assert len(take().claims) == served


def test_b1_36_the_oldest_ten_come_first(take: Taking, now):
    days = [3, 1, 12, 7, 5, 9, 2, 11, 4, 8, 6, 10]
    states = [*PENDING] * 3
    rows = [
        pull(repository_name=f"r{d}", processing_state=state, updated_at=now - timedelta(days=d))
        for d, state in zip(days, states, strict=True)
    ]
    ages = {row.pk: d for row, d in zip(rows, days, strict=True)}
    assert [ages[pk] for pk in sequences(take())] == [12, 11, 10, 9, 8, 7, 6, 5, 4, 3]
    assert [ages[pk] for pk in sequences(take())] == [2, 1]
    assert not take()


@pytest.mark.parametrize("limit", [1, 25, 100])
def test_a_batch_is_as_large_as_asked_for(take: Taking, limit):
    for _ in range(110):
        make_row(User)
    assert len(take(User, limit=limit).claims) == limit


def test_of_silent_claims_a_batch_repeats_one_as_its_last(take: Taking, now):
    pending = [pull(repository_name=f"r{n}", updated_at=now - timedelta(hours=n)).pk for n in (1, 3)]
    silent = [
        pull(processing_state="PROCESSING", processing_date=now - timedelta(hours=n)).pk for n in (5, 4, 2)
    ]
    PullRequest.objects.filter(pk__in=silent).update(updated_at=F("processing_date"))
    assert sequences(take()) == [pending[1], pending[0], silent[0]]
    assert sequences(take()) == [silent[1]]
    assert sequences(take()) == [silent[2]]
    assert not take()


def test_f08_a_claim_that_would_pass_the_cap_fails_the_row_instead(take: Taking, now):
    row = pull(
        processing_state="PROCESSING",
        processing_date=now - timedelta(hours=1),
        processing_attempts=5,
        claim_token="t",
        idle_retry_count=3,
        updated_at=now - timedelta(hours=1),
    )
    healthy = pull(updated_at=now)
    batch = take()
    assert (batch.failed, sequences(batch)) == ((row.pk,), [healthy.pk])
    before = row.updated_at
    row.refresh_from_db()
    assert (row.processing_state, row.processing_error) == ("PROCESSED", "its worker died 5 times")
    assert (row.processing_attempts, row.claim_token, row.processed_date) == (5, None, now)
    assert (row.updated_at, row.idle_retry_count) == (before, 3)
    line = PullRequestHistory.objects.get(kind="fail")
    assert (line.from_state, line.to_state, line.reason) == ("PROCESSING", "PROCESSED", row.processing_error)


def test_a_batch_of_failed_rows_alone_is_not_the_end(take: Taking, now):
    for number in range(11):
        pull(
            repository_name=f"r{number}",
            processing_state="PROCESSING",
            processing_date=now - timedelta(hours=2),
            processing_attempts=5,
        )
    first, second, third = take(), take(), take()
    assert (len(first.failed), len(second.failed), len(third.failed)) == (10, 1, 0)
    assert first
    assert not third


def test_the_cap_is_the_callers(take: Taking):
    pull(processing_attempts=2)
    assert take(max_attempts=2).failed


def test_a_workers_name_is_cut_to_its_column(db):
    pull()
    claim(PullRequest, worker="w" * 300)
    assert PullRequest.objects.get().gstraccini_bot_version == "w" * 100


def test_a_claim_is_found_again_by_its_token(claimed, clock: DrivenClock):
    claim = claimed(processing_state="IDLE")
    clock.shift(minutes=5)
    again = claim_of(PullRequest, claim.row.pk, claim.token)
    assert (again.at, again.attempt, again.claimed_from) == (claim.at, 1, "IDLE")
    assert (again.worker, again.row) == ("w", claim.row)


def test_a_token_stands_for_nothing_else(claimed, clock: DrivenClock):
    claim = claimed()
    assert claim_of(PullRequest, claim.row.pk + 1, claim.token) is None
    assert claim_of(PullRequest, claim.row.pk, claim_rules.new_token(claim.at)) is None
    assert claim_of(PullRequest, claim.row.pk, "no token") is None
    # Another program took the row over after the hour: it knows nothing of tokens and leaves ours.
    PullRequest.objects.update(processing_date=clock.shift(hours=2), updated_at=clock.now)
    assert claim_of(PullRequest, claim.row.pk, claim.token) is None


# ANALYZE commits, so the rows must be made outside any transaction of the test.
@pytest.mark.django_db(transaction=True)
@every_table
def test_candidates_are_read_by_an_index(model):
    for number in range(300):
        make_row(model, processing_state="NEW" if number % 20 == 0 else "PROCESSED")
    statement = selectors._oldest_sql(model, 40, connection.vendor)
    with connection.cursor() as cursor:
        if connection.vendor == "mysql":
            cursor.execute(f"ANALYZE TABLE {model._meta.db_table}")
            cursor.fetchall()
            cursor.execute(f"EXPLAIN {statement}")
            used = [row[5] for row in cursor.fetchall() if row[2] == "t"]
            assert used
            assert all(key.startswith("ix_") for key in used)
        else:
            cursor.execute(f"EXPLAIN QUERY PLAN {statement}")
            steps = [row[3] for row in cursor.fetchall() if row[3].split()[1] == "t"]
            assert steps
            assert all(step.startswith("SEARCH t USING INDEX ix_") for step in steps)
