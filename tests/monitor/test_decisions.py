"""What needs a person: from facts that are all well, one spoilt at a time."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from monitor.decisions import (
    STUCK_AFTER,
    WELL,
    Area,
    Facts,
    checks,
    grouped_failures,
    liveness,
    missed_runs,
    problems,
)
from monitor.values import Liveness, Tone

NOW = datetime(2026, 3, 4, 9, 0, tzinfo=UTC)
FINE = Facts(now=NOW, worker_beat=NOW)
QUARTER = timedelta(minutes=15)


def test_nothing_needs_anybody_when_all_is_well():
    assert problems(FINE) == []


@pytest.mark.parametrize(
    "spoilt, tone, part",
    [
        ({"worker_beat": NOW - timedelta(hours=3)}, Tone.RED, "silent (it was last heard 3 h ago)"),
        ({"worker_beat": NOW - timedelta(seconds=120)}, Tone.AMBER, "late: it was last heard 2 min ago"),
        ({"worker_beat": None}, Tone.RED, "never heard"),
        ({"oldest_pending": NOW - STUCK_AFTER}, Tone.AMBER, "1 d ago"),
        ({"failed_deliveries": 1}, Tone.RED, "1 delivery"),
        ({"rejected": 2_000}, Tone.AMBER, "2,000 requests"),
        ({"unreadable_states": {"github_issues": 2}}, Tone.RED, "github_issues: 2 rows"),
        ({"paused": {"idle": "holiday"}}, Tone.AMBER, "idle is paused: holiday"),
        ({"obstacles": {"a": "no key", "b": "no key"}}, Tone.AMBER, "(a, b): no key."),
        ({"last_outcomes": {"idle": "failed"}}, Tone.RED, "idle failed"),
        ({"last_outcomes": {"idle": "lost"}}, Tone.RED, "idle was lost"),
        ({"missed": {"idle": 3, "bot": 1_400}}, Tone.AMBER, "idle 3, bot 1,400."),
        (
            {"throttled": {"octo": NOW + timedelta(minutes=12)}},
            Tone.AMBER,
            "octo is used up: asked again in 12 min",
        ),
        ({"refused_settings": {"idle.enabled": "Use on or off."}}, Tone.AMBER, "Use on or off."),
    ],
)
def test_one_thing_that_is_wrong_is_one_problem(spoilt, tone, part):
    (problem,) = problems(replace(FINE, **spoilt))
    assert problem.tone is tone
    assert part in problem.sentence


@pytest.mark.parametrize(
    "harmless",
    [
        {"oldest_pending": NOW - STUCK_AFTER + timedelta(seconds=1)},
        {"last_outcomes": {"idle": "succeeded", "cleanup": "out_of_time", "bot": "running"}},
    ],
)
def test_what_ends_by_itself_needs_nobody(harmless):
    assert problems(replace(FINE, **harmless)) == []


def test_the_gravest_come_first():
    found = problems(replace(FINE, paused={"idle": ""}, rejected=1, last_outcomes={"cleanup": "failed"}))
    assert [problem.tone for problem in found] == [Tone.RED, Tone.AMBER, Tone.AMBER]


def test_every_area_has_a_word_and_the_gravest_one_when_something_is_wrong():
    assert [(check.word, check.tone) for check in checks([])] == [(WELL[area], Tone.GREEN) for area in Area]
    found = problems(replace(FINE, paused={"idle": ""}, last_outcomes={"cleanup": "failed"}))
    words = {check.area: (check.word, check.tone) for check in checks(found)}
    assert words.pop(Area.PASSES) == ("failed", Tone.RED)
    assert set(words.values()) == {(WELL[area], Tone.GREEN) for area in Area if area is not Area.PASSES}


@pytest.mark.parametrize(
    "seconds, state",
    [(0, "alive"), (99, "alive"), (100, "late"), (179, "late"), (180, "down"), (9_000, "down")],
)
def test_a_worker_is_late_before_it_is_down(seconds, state):
    assert liveness(NOW - timedelta(seconds=seconds), now=NOW) is Liveness(state)


def test_a_worker_that_was_never_heard_is_down():
    assert liveness(None, now=NOW) is Liveness.DOWN


def missed(*minutes_ago, since=timedelta(days=1)):
    starts = [NOW - timedelta(minutes=minutes) for minutes in minutes_ago]
    return missed_runs(starts, QUARTER, now=NOW, since=NOW - since)


def test_runs_that_come_a_tick_late_are_not_missed():
    assert missed(47, 31, 15) == 0
    assert missed(62, 46, 30, 14) == 0


def test_an_outage_is_counted_in_runs_that_fell_out():
    assert missed(300, 240, 225, 210, 195, 5) == 13 - 1
    assert missed(120) == 6


def test_what_was_before_the_first_run_or_never_ran_is_not_missed():
    assert missed() == 0
    assert missed(5) == 0


def test_failures_that_say_the_same_are_one_group():
    errors = [
        ("deliveries", "Traceback\nKeyError: row 17 of 3f2a9c1d"),
        ("deliveries", "Traceback\nother line\nKeyError: row 18 of aaaaaaa"),
        ("passes", "KeyError: row 17 of 3f2a9c1d"),
        ("deliveries", ""),
    ]
    found = [(group.page, group.words, group.number) for group in grouped_failures(errors, most=9)]
    assert found[0] == ("deliveries", "KeyError: row … of …", 2)
    assert set(found[1:]) == {("passes", "KeyError: row … of …", 1), ("deliveries", "(no words)", 1)}
    assert len(grouped_failures(errors, most=1)) == 1
