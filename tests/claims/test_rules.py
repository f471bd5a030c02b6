"""The rules of claims as tables."""

from __future__ import annotations

import uuid
from collections import Counter
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webhooks import claim_rules
from webhooks.claim_rules import Candidate, Failure, decide_failure, line_up

NOW = datetime(2026, 3, 4, 9, 0, tzinfo=UTC)


@pytest.mark.parametrize("attempt,minutes", [(1, 1), (2, 5), (3, 25), (4, 25), (9, 25)], ids=str)
def test_a_failed_attempt_is_followed_by_longer_and_longer_pauses(attempt, minutes):
    failure = decide_failure(attempt, max_attempts=10, permanent=False)
    assert failure == Failure(minutes * 60, f"attempt {attempt} of 10 failed; the next in {minutes} min")


@pytest.mark.parametrize(
    "attempt,max_attempts,permanent,reason",
    [
        (5, 5, False, "given up on after 5 attempts"),
        (6, 5, False, "given up on after 6 attempts"),
        (1, 1, False, "given up on after 1 attempt"),
        (1, 5, True, "given up on: trying again cannot help"),
    ],
)
def test_a_row_is_given_up_on_at_the_cap_or_when_nothing_can_help(attempt, max_attempts, permanent, reason):
    failure = decide_failure(attempt, max_attempts=max_attempts, permanent=permanent)
    assert failure == Failure(None, reason)


def test_f14_mergeable_is_asked_for_three_times_more():
    assert [claim_rules.mergeable_pause(reads) for reads in range(5)] == [10, 60, 300, None, None]


@pytest.mark.parametrize(
    "now,seconds",
    [
        (datetime(2026, 3, 4, 0, 0, 0, tzinfo=UTC), 86_400),
        (datetime(2026, 3, 4, 23, 59, 59, tzinfo=UTC), 1),
        (datetime(2026, 12, 31, 12, 0, 0, tzinfo=UTC), 43_200),
        (datetime.fromisoformat("2026-03-05T01:00:00+02:00"), 3_600),
    ],
)
def test_the_next_day_begins_at_midnight_utc(now, seconds):
    assert claim_rules.seconds_to_next_day(now) == seconds


@pytest.mark.parametrize(
    "tries,error,said",
    [
        (5, None, "its worker died 5 times"),
        (1, None, "its worker died"),
        (5, "502", "its worker died in the last of 5 attempts; before that: 502"),
    ],
)
def test_a_row_that_wore_its_workers_out_says_so(tries, error, said):
    assert claim_rules.worn_out(tries, error) == said


@pytest.mark.parametrize(
    "error,short",
    [
        ("GitHub says no\nat length", "GitHub says no"),
        ("Traceback (most recent call last):\n  File ...\nValueError: odd\n", "ValueError: odd"),
    ],
)
def test_an_error_in_short_is_its_telling_line(error, short):
    assert claim_rules.in_short(error) == short


@given(st.datetimes(datetime(2000, 1, 1), datetime(2037, 12, 31), timezones=st.just(UTC)))  # noqa: DTZ001
def test_a_token_says_when_it_was_made_and_is_never_made_twice(at):
    at = at.replace(microsecond=0)
    tokens = {claim_rules.new_token(at) for _ in range(3)}
    assert {claim_rules.claimed_at(token) for token in tokens} == {at}
    assert len(tokens) == 3
    assert max(map(len, tokens)) <= 36


@pytest.mark.parametrize("text", ["", "t", "0" * 31, "é" * 36])
def test_other_text_is_no_token(text):
    with pytest.raises(ValueError, match="UUID"):
        claim_rules.claimed_at(text)


def test_an_outsiders_uuid_is_a_token_of_some_other_instant():
    # A date, or out of any calendar's range: never an error of another kind.
    assert isinstance(claim_rules.claimed_at(str(uuid.UUID(int=0))), datetime)
    assert isinstance(claim_rules.claimed_at(str(uuid.UUID(int=2**128 - 1))), datetime)


def candidates(*repositories):
    return [Candidate(NOW + timedelta(minutes=place), place, name) for place, name in enumerate(repositories)]


def names(line):
    return "".join(str(candidate.repository) for candidate in line)


@pytest.mark.parametrize(
    "waiting,served",
    [
        ("aaaaaabc", "aaabcaaa"),
        ("abababab", "abababab"),
        ("aaaa", "aaaa"),
        ("baaaaabb", "baaabbaa"),
        ("aaaaabbbbbc", "aaabbbcaabb"),
        ("", ""),
    ],
)
def test_three_of_each_repository_come_first_then_the_rest_by_age(waiting, served):
    assert names(line_up(candidates(*waiting))) == served


def test_a_table_without_repositories_is_served_by_age_alone():
    line = line_up(reversed(candidates(None, None, None, None, None)))
    assert [candidate.sequence for candidate in line] == [0, 1, 2, 3, 4]
    assert line.beyond == []


def test_of_the_same_second_the_lower_sequence_comes_first():
    line = line_up([Candidate(NOW, 3, "a"), Candidate(NOW, 1, "a"), Candidate(NOW, 2, "b")])
    assert [candidate.sequence for candidate in line] == [1, 2, 3]


@given(st.lists(st.tuples(st.integers(0, 5), st.sampled_from("abc")), max_size=40))
def test_no_repository_has_a_fourth_row_before_another_has_had_its_three(waiting):
    found = [
        Candidate(NOW + timedelta(minutes=age), place, name) for place, (age, name) in enumerate(waiting)
    ]
    line = list(line_up(found))
    assert sorted(line) == sorted(found)
    counts = Counter(candidate.repository for candidate in found)
    first = Counter(candidate.repository for candidate in line[: sum(min(3, n) for n in counts.values())])
    assert first == {name: min(3, n) for name, n in counts.items()}
