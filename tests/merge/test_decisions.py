"""The guards and the decider as pure functions."""

from __future__ import annotations

from datetime import timedelta

import pytest

from merge import decisions
from merge.values import Backoff, BackoffScope, PastMerge, Status


@pytest.mark.parametrize("status", [Status.PENDING, Status.APPROVED, Status.EXECUTING, Status.DONE])
def test_b2_08_in_flight_is_pending_approved_executing_and_done(status):
    past = [PastMerge(status=status, head_sha="a", ended_ago=None)]
    stop = decisions.guard_past(past, None, Backoff(timedelta(hours=6), BackoffScope.PULL_REQUEST))
    assert stop is not None
    assert stop.code == "in_flight"


def test_decisions_about_a_rejection_are_taken_from_the_newest_wish_for_that_head():
    backoff = Backoff(timedelta(hours=6), BackoffScope.PULL_REQUEST)
    older = PastMerge(status=Status.REJECTED, head_sha="a", ended_ago=timedelta(hours=9))
    newer = PastMerge(status=Status.FAILED, head_sha="a", ended_ago=timedelta(hours=8))
    assert decisions.guard_past([older], "a", backoff) is not None
    assert decisions.guard_past([older], "b", backoff) is None
    assert decisions.guard_past([newer, older], "a", backoff) is None


@pytest.mark.parametrize("waited,wait", [(0, 1), (5, 1), (60, 6), (600, 30)])
def test_an_approved_merge_waits_longer_the_longer_it_has_waited_and_half_an_hour_at_most(waited, wait):
    found = decisions.wait_before_looking_again(timedelta(minutes=1), timedelta(minutes=waited))
    assert found == timedelta(minutes=wait)


def test_the_window_ends_with_its_last_second():
    backoff = Backoff(timedelta(hours=6), BackoffScope.PULL_REQUEST)
    for ago, holds in ((timedelta(hours=6, seconds=-1), True), (timedelta(hours=6), False)):
        past = [PastMerge(status=Status.FAILED, head_sha="a", ended_ago=ago)]
        stop = decisions.guard_past(past, "b", backoff)
        assert (stop is not None) is holds
        assert stop is None or stop.again == timedelta(hours=6) - ago


def test_a_window_of_no_hours_holds_nothing_back():
    past = [PastMerge(status=Status.FAILED, head_sha="a", ended_ago=timedelta(0))]
    assert decisions.guard_past(past, "a", Backoff(timedelta(0), BackoffScope.PULL_REQUEST)) is None


@pytest.mark.parametrize("names,found", [("", False), ("a/b", True), ("x/y, A/B", True), ("a/bc", False)])
def test_a_repository_is_named_in_any_letter_case(names, found):
    assert decisions.is_named("a/B", names) is found
