"""Where a repository stands, and when its turn comes."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from monitor.standing import (
    InstallationFacts,
    RepositoryFacts,
    freshness,
    installation_status,
    month_opens,
    standing,
    turn_at,
)
from monitor.values import Freshness, InstallationStatus, RepositoryStatus
from sync.decisions import month_is_open

NOW = datetime(2026, 3, 4, 9, 0, tzinfo=UTC)
SECOND, HOUR, DAY = timedelta(seconds=1), timedelta(hours=1), timedelta(days=1)
HERE = RepositoryFacts(installation_id=7, last_action="created", installation_action="added")
ACTIVE = InstallationFacts(status="1")


@pytest.mark.parametrize(
    "facts, status",
    [
        (ACTIVE, InstallationStatus.ACTIVE),
        (InstallationFacts(status="0", suspended_date=NOW), InstallationStatus.SUSPENDED),
        (InstallationFacts(status="0"), InstallationStatus.GONE),
        (InstallationFacts(status=""), InstallationStatus.GONE),
    ],
)
def test_an_installation_is_active_suspended_or_gone(facts, status):
    assert installation_status(facts) is status


@pytest.mark.parametrize(
    "row, installation, status, reason, at",
    [
        (HERE, ACTIVE, "in-line", "", None),
        (HERE, InstallationFacts(status="1", throttled_until=NOW), "in-line", "", None),
        (
            HERE,
            InstallationFacts(status="1", throttled_until=NOW + SECOND),
            "out-of-reach",
            "rate limit",
            NOW + SECOND,
        ),
        (
            HERE,
            InstallationFacts(status="0", suspended_date=NOW - DAY),
            "out-of-reach",
            "suspended",
            NOW - DAY,
        ),
        (HERE, InstallationFacts(status="0"), "out-of-reach", "gone", None),
        (HERE, None, "out-of-reach", "not known yet", None),
        (RepositoryFacts(), None, "out-of-reach", "no installation", None),
        (RepositoryFacts(last_action="deleted", last_action_date=NOW), ACTIVE, "removed", "deleted", NOW),
        (RepositoryFacts(installation_action="removed"), ACTIVE, "removed", "taken", None),
    ],
)
def test_a_repository_without_a_turn_has_a_reason(row, installation, status, reason, at):
    found = standing(row, installation, now=NOW)
    assert found.status is RepositoryStatus(status)
    assert reason in found.reason
    assert bool(found.reason) == bool(reason)
    assert found.at == at


@pytest.mark.parametrize(
    "since, expected",
    [
        (None, Freshness.NEVER),
        (0 * HOUR, Freshness.FRESH),
        (5 * HOUR + DAY, Freshness.FRESH),
        (5 * HOUR + DAY + SECOND, Freshness.STALE),
    ],
)
def test_a_repository_is_stale_when_it_missed_its_turn(since, expected):
    last = None if since is None else NOW - since
    assert freshness(last, in_line=5, now=NOW) is expected


def test_turns_are_an_hour_apart_from_the_next_run_on():
    assert turn_at(1, NOW - DAY, now=NOW) == NOW
    assert turn_at(3, NOW - DAY, now=NOW) == NOW + 2 * HOUR
    assert turn_at(3, NOW + HOUR, now=NOW) == NOW + 3 * HOUR


INSTANTS = st.integers(-3_000, 3_000).map(lambda hours: NOW + hours * HOUR) | st.sampled_from(
    [datetime(2026, month, 1, tzinfo=UTC) for month in range(1, 13)]
)


@given(last=INSTANTS, now=INSTANTS)
def test_the_month_opens_exactly_when_the_pass_finds_it_open(last, now):
    assert month_is_open(last, now) == (now >= month_opens(last))


def test_the_month_opens_in_utc_whatever_the_zone_of_what_was_written():
    elsewhere = timedelta(hours=-5)
    last = datetime(2026, 2, 28, 20, 0, tzinfo=timezone(elsewhere))
    assert month_opens(last) == datetime(2026, 4, 1, tzinfo=UTC)
    assert month_opens(datetime(2026, 12, 31, 23, 59, tzinfo=UTC)) == datetime(2027, 1, 1, tzinfo=UTC)
