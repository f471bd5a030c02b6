"""What GitHub's errors mean for a work item (field case F10)."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from githubapi import errors
from sync.services.work_outcomes import MENDING, outcome_of
from workqueue.values import Permanent, RetryLater, Transient

LONG_AGO = datetime(2020, 1, 1, tzinfo=UTC)


@pytest.mark.parametrize("seconds", [60, 3300])
def test_f10_a_throttle_spends_no_attempt_and_waits_by_the_databases_clock(clock, seconds):
    error = errors.Throttled("secondary_rate_limit", "slow down", LONG_AGO, timedelta(seconds=seconds))
    outcome = outcome_of(error)
    assert isinstance(outcome, RetryLater)
    assert timedelta(seconds=seconds) < outcome.until - clock.now <= timedelta(seconds=seconds + 1)


@pytest.mark.parametrize("reason", sorted(errors.OUR_OWN_FAULT))
def test_a_fault_of_our_own_gives_up_on_nothing(clock, reason):
    outcome = outcome_of(errors.Permanent(reason, "no"))
    assert isinstance(outcome, RetryLater)
    assert outcome.until == clock.now + MENDING


@pytest.mark.parametrize(
    "error, kind",
    [
        (errors.Transient("timeout", "no answer"), Transient),
        (errors.Permanent("conflict", "409"), Transient),
        (errors.Moved("moved", "elsewhere", "https://x", None), Transient),
        (errors.Gone("not_found", "404"), Permanent),
        (errors.Forbidden("forbidden", "not accessible by integration"), Permanent),
        (errors.Suspended("suspended", "suspended"), Permanent),
        (errors.Disabled("disabled", "410"), Permanent),
    ],
)
def test_f10_a_refusal_is_for_good_and_everything_else_is_tried_again(error, kind):
    outcome = outcome_of(error)
    assert type(outcome) is kind
    assert error.reason in outcome.reason


def test_an_error_that_is_not_githubs_is_none_of_its():
    assert outcome_of(ValueError("x")) is None
