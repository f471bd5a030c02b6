"""What needs a person: from facts that are all well, one spoilt at a time."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from monitor.decisions import STUCK_AFTER, Facts, problems
from monitor.values import Tone

NOW = datetime(2026, 3, 4, 9, 0, tzinfo=UTC)
WELL = Facts(now=NOW, worker_alive=True, worker_beat=NOW)


def test_nothing_needs_anybody_when_all_is_well():
    assert problems(WELL) == []


@pytest.mark.parametrize(
    "spoilt, tone, part",
    [
        ({"worker_alive": False, "worker_beat": NOW - timedelta(hours=3)}, Tone.RED, "last heard 3 h ago"),
        ({"worker_alive": False, "worker_beat": None}, Tone.RED, "never heard"),
        ({"oldest_pending": NOW - STUCK_AFTER}, Tone.AMBER, "1 d ago"),
        ({"failed_deliveries": 1}, Tone.RED, "1 delivery"),
        ({"rejected": 2_000}, Tone.AMBER, "2,000 requests"),
        ({"unreadable_states": {"github_issues": 2}}, Tone.RED, "github_issues: 2 rows"),
        ({"paused": {"idle": "holiday"}}, Tone.AMBER, "idle is paused: holiday"),
        ({"obstacles": {"a": "no key", "b": "no key"}}, Tone.AMBER, "(a, b): no key."),
        ({"last_outcomes": {"idle": "failed"}}, Tone.RED, "idle failed"),
        ({"last_outcomes": {"idle": "lost"}}, Tone.RED, "idle was lost"),
        ({"refused_settings": {"idle.enabled": "Use on or off."}}, Tone.AMBER, "Use on or off."),
    ],
)
def test_one_thing_that_is_wrong_is_one_problem(spoilt, tone, part):
    (problem,) = problems(replace(WELL, **spoilt))
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
    assert problems(replace(WELL, **harmless)) == []


def test_the_gravest_come_first():
    found = problems(replace(WELL, paused={"idle": ""}, rejected=1, last_outcomes={"cleanup": "failed"}))
    assert [problem.tone for problem in found] == [Tone.RED, Tone.AMBER, Tone.AMBER]
