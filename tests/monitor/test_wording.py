from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from monitor.links import github_url, pull_request_url
from monitor.wording import about_hours, age, amount, counters, exact, span

NOW = datetime(2026, 3, 4, 9, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    "seconds, words",
    [
        (0, "0 s"),
        (59, "59 s"),
        (60, "1 min"),
        (3_599, "59 min"),
        (3_600, "1 h"),
        (86_400, "1 d"),
        (400 * 86_400, "400 d"),
    ],
)
def test_a_span_is_named_in_its_largest_unit(seconds, words):
    assert span(timedelta(seconds=seconds)) == words


@pytest.mark.parametrize(
    "away, words",
    [(-7_200, "2 h ago"), (7_200, "in 2 h"), (0, "now"), (1, "now"), (-1, "now"), (2, "in 2 s")],
)
def test_an_instant_is_seen_from_now(away, words):
    assert age(NOW, NOW + timedelta(seconds=away)) == words


def test_the_exact_instant_is_utc_to_the_second():
    assert exact(NOW) == "2026-03-04 09:00:00 UTC"


@pytest.mark.parametrize(
    "seconds, words",
    [
        (-1, "at the next tick"),
        (0, "at the next tick"),
        (1, "in about 1 h"),
        (3_600, "in about 1 h"),
        (3_601, "in about 2 h"),
        (5_000 * 3_600, "in about 5,000 h"),
    ],
)
def test_a_turn_is_named_in_begun_hours(seconds, words):
    assert about_hours(NOW, NOW + timedelta(seconds=seconds)) == words


def test_counters_read_like_words():
    assert counters({"remaining_quota": 4_990, "re_requested": 0}) == [
        ("remaining quota", "4,990"),
        ("re-requested", "0"),
    ]


def test_amounts():
    assert [amount(1, "row"), amount(0, "row"), amount(1_234, "delivery", "deliveries")] == [
        "1 row",
        "0 rows",
        "1,234 deliveries",
    ]


@pytest.mark.parametrize(
    "owner, name, address",
    [
        ("octo", "tools", "https://github.com/octo/tools/pull/7"),
        ("octo", "a#b/c?d", "https://github.com/octo/a%23b%2Fc%3Fd/pull/7"),
        ('"><svg', "x", "https://github.com/%22%3E%3Csvg/x/pull/7"),
        ("javascript:alert(1)", "x", "https://github.com/javascript%3Aalert%281%29/x/pull/7"),
        ("..", "..", ""),
        ("", "tools", ""),
    ],
)
def test_a_link_is_built_from_quoted_parts(owner, name, address):
    assert pull_request_url(owner, name, 7) == address


def test_a_ref_keeps_its_slashes_and_quotes_the_rest_f38():
    parts = "feature/a#1%2Fb+c".split("/")
    assert github_url("o", "n", "tree", *parts) == "https://github.com/o/n/tree/feature/a%231%252Fb%2Bc"
