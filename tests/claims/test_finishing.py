"""Ending a claim, way by way: what is written and what is kept."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from tests.claims.conftest import Taking
from tests.claims.ways import BACK, DONE, Claimed, Way, every_table, fresh, last_line, ways
from tests.clock import DrivenClock
from tests.factories import InstallationFactory
from webhooks.models import Installation, PullRequest, PullRequestHistory
from webhooks.selectors import failed_rows
from webhooks.services import finishing


@every_table
def test_finalize(claimed: Claimed, clock: DrivenClock, take: Taking, model):
    claim = claimed(model, processing_attempts=2, processing_error="502")
    later = clock.shift(minutes=3)
    assert finishing.finalize(claim, "nothing to do")
    row = fresh(claim)
    assert (row.processing_state, row.processed_date, row.updated_at) == ("PROCESSED", later, later)
    assert (row.processing_attempts, row.processing_error, row.not_before) == (0, None, None)
    assert (row.claim_token, row.claimed_from) == (None, None)
    assert not take(model)
    assert not failed_rows(model).exists()


def test_finalize_is_told_in_the_history(claimed: Claimed):
    claim = claimed()
    finishing.finalize(claim, "up to date")
    line = last_line()
    assert (line.kind, line.from_state, line.to_state) == ("finalize", "PROCESSING", "PROCESSED")
    assert (line.reason, line.actor, line.claim_token) == ("up to date", "w", claim.token)


@ways(BACK)
@every_table
def test_a_row_goes_back_to_the_state_it_had(
    claimed: Claimed, clock: DrivenClock, take: Taking, way: Way, model
):
    claim = claimed(model, processing_state="UPDATED", processing_error="502")
    claimed_at = clock.now
    clock.shift(minutes=3)
    assert way(claim)
    row = fresh(claim)
    assert (row.processing_state, row.processing_date) == ("UPDATED", None)
    assert (row.claim_token, row.claimed_from) == (None, None)
    # Its place is where the claim put it: behind whatever waited longer.
    assert row.updated_at == claimed_at
    assert not take(model)
    clock.shift(days=1)
    assert len(take(model).claims) == 1


@ways(BACK)
def test_a_row_that_another_program_had_claimed_goes_back_as_re_requested(
    clock: DrivenClock, claimed, way: Way
):
    hours = clock.now - timedelta(hours=2)
    claim = claimed(processing_state="PROCESSING", processing_date=hours)
    assert way(claim)
    assert fresh(claim).processing_state == "RE_REQUESTED"


@ways(BACK | {"fail for good": DONE["fail for good"]})
def test_idle_retries_and_updated_at_are_kept(claimed: Claimed, clock: DrivenClock, way: Way):
    claim = claimed(processing_state="IDLE", idle_retry_count=4)
    before = clock.now
    clock.shift(minutes=3)
    assert way(claim)
    row = fresh(claim)
    assert (row.idle_retry_count, row.updated_at) == (4, before)


@ways(BACK)
def test_only_a_failure_costs_an_attempt(claimed: Claimed, way: Way):
    claim = claimed(processing_attempts=1)
    way(claim)
    assert fresh(claim).processing_attempts == (2 if way is BACK["fail"] else 1)


def test_a_deferral_may_cost_the_attempt(claimed: Claimed):
    claim = claimed()
    assert finishing.defer(claim, 60, "slow", give_attempt_back=False)
    assert fresh(claim).processing_attempts == 1


@ways({name: way for name, way in BACK.items() if name != "fail"})
def test_putting_off_keeps_the_error_of_an_earlier_attempt(claimed: Claimed, way: Way):
    claim = claimed(processing_error="502")
    way(claim)
    assert fresh(claim).processing_error == "502"
    assert last_line().kind == "defer"


def test_throttled_the_whole_installation_waits(claimed: Claimed, clock: DrivenClock, take: Taking):
    old = InstallationFactory(processing_state="PROCESSED")
    current = InstallationFactory(processing_state="PROCESSED")
    claim = claimed(installation_id=7)
    assert finishing.give_back(claim, "throttled", throttled_for=90)
    current.refresh_from_db()
    assert current.throttled_until == clock.now + timedelta(seconds=90)
    assert Installation.objects.get(pk=old.pk).throttled_until is None
    assert fresh(claim).not_before is None
    clock.shift(seconds=89)
    assert not take()
    clock.shift(seconds=1)
    assert take()


def test_a_shorter_throttle_does_not_cut_a_longer_one_short(clock: DrivenClock):
    row = InstallationFactory(updated_at=clock.now - timedelta(days=3))
    for seconds in (3300, 60):
        assert finishing.throttle_installation(7, seconds)
    before = row.updated_at
    row.refresh_from_db()
    assert (row.throttled_until, row.updated_at) == (clock.now + timedelta(seconds=3300), before)
    clock.shift(hours=1)
    finishing.throttle_installation(7, 60)
    row.refresh_from_db()
    assert row.throttled_until == clock.now + timedelta(seconds=60)


@pytest.mark.parametrize("installation_id", [None, 99])
def test_throttled_without_a_known_installation_the_row_waits_alone(
    clock: DrivenClock, claimed, installation_id
):
    claim = claimed(installation_id=installation_id)
    assert finishing.give_back(claim, "throttled", throttled_for=90)
    assert fresh(claim).not_before == clock.now + timedelta(seconds=90)


@pytest.mark.parametrize(
    "way,seconds",
    [("defer", 60), ("GitHub is down", 60), ("next day", 15 * 3600), ("fail", 60)],
)
def test_how_long_a_row_waits(claimed: Claimed, clock: DrivenClock, way: str, seconds: int):
    assert clock.now == datetime(2026, 3, 4, 9, 0, tzinfo=UTC)
    claim = claimed()
    BACK[way](claim)
    assert fresh(claim).not_before == clock.now + timedelta(seconds=seconds)


def test_f08_a_row_that_always_fails_ends_as_failed(claimed: Claimed, clock: DrivenClock, take: Taking):
    claim = claimed(idle_retry_count=2)
    pauses = []
    while True:
        assert finishing.fail(claim, "Traceback (most recent call last):\n  ...\nValueError: odd\n")
        row = fresh(claim)
        if row.processing_state == "PROCESSED":
            break
        pauses.append((row.not_before - clock.now).total_seconds() / 60)
        clock.move_to(row.not_before)
        (claim,) = take().claims
    assert (pauses, claim.attempt) == ([1, 5, 25, 25], 5)
    assert row.processing_error == "Traceback (most recent call last):\n  ...\nValueError: odd"
    assert (row.processed_date, row.idle_retry_count) == (clock.now, 2)
    assert list(failed_rows(PullRequest)) == [row]
    clock.shift(days=400)
    assert not take()
    kinds = PullRequestHistory.objects.order_by("sequence").values_list("kind", "reason")
    assert [reason for kind, reason in kinds if kind == "fail"] == [
        "attempt 1 of 5 failed; the next in 1 min: ValueError: odd",
        "attempt 2 of 5 failed; the next in 5 min: ValueError: odd",
        "attempt 3 of 5 failed; the next in 25 min: ValueError: odd",
        "attempt 4 of 5 failed; the next in 25 min: ValueError: odd",
        "given up on after 5 attempts: ValueError: odd",
    ]


@every_table
def test_a_permanent_failure_is_final_at_once(claimed: Claimed, clock: DrivenClock, take: Taking, model):
    claim = claimed(model)
    assert finishing.fail(claim, "no installation", permanent=True)
    row = fresh(claim)
    assert (row.processing_state, row.processing_error) == ("PROCESSED", "no installation")
    assert list(failed_rows(model)) == [row]
    clock.shift(days=400)
    assert not take(model)


def test_a_failed_row_gets_all_its_attempts_again(claimed: Claimed, clock: DrivenClock, take: Taking):
    claim = claimed()
    finishing.fail(claim, "gone", permanent=True)
    # By the SQL of another program, which knows nothing of attempts.
    PullRequest.objects.update(processing_state="RE_REQUESTED", processing_date=None, updated_at=clock.now)
    (claim,) = take().claims
    assert claim.attempt == 1
    assert finishing.finalize(claim, "done")
    assert not failed_rows(PullRequest).exists()


@pytest.mark.parametrize(
    "error,kept",
    [
        ("x" * 10_000, "x" * 7_997 + "…"),
        ("a\x00b", "a�b"),
        (" \n", "no reason given"),
        ("half \ud800", "half �"),
    ],
    ids=["long", "zero byte", "empty", "half a character"],
)
def test_an_error_is_kept_in_a_shape_that_the_column_takes(claimed: Claimed, error, kept):
    claim = claimed()
    assert finishing.fail(claim, error)
    assert fresh(claim).processing_error == kept


def test_f14_mergeable_unknown_is_asked_for_again_and_then_left_open(
    claimed: Claimed, clock: DrivenClock, take: Taking
):
    claim = claimed()
    pauses = []
    while True:
        assert finishing.defer_until_mergeable_is_known(claim)
        row = fresh(claim)
        if row.processing_state == "PROCESSED":
            break
        pauses.append((row.not_before - clock.now).total_seconds())
        assert (row.processing_attempts, row.processing_error) == (0, None)
        clock.move_to(row.not_before)
        (claim,) = take().claims
    assert (pauses, row.mergeable_reads, row.processing_error) == ([10, 60, 300], 3, None)
    assert last_line().reason == "GitHub does not say whether it can be merged"
