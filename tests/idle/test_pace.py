"""How often the idle pass works (field case F06), and what its Settings change."""

from __future__ import annotations

from datetime import timedelta
from itertools import pairwise

from core.models import PassRun, Setting
from core.passes import Verdict, run_pass
from idle.passes import IDLE, idle_pass
from webhooks.models import PullRequestHistory
from webhooks.values import HistoryKind


def test_one_run_an_hour_whatever_ticks(untouched, clock):
    for number in range(5):
        untouched(repo=f"r{number}", days=5)
    for _ in range(121):
        idle_pass()
        clock.shift(minutes=1)
    instants = list(PassRun.objects.order_by("sequence").values_list("started_at", flat=True))
    assert [later - earlier for earlier, later in pairwise(instants)] == [timedelta(hours=1)] * 2
    assert PullRequestHistory.objects.filter(kind=HistoryKind.IDLE_RETRY).count() == 3


def test_f06_two_days_of_downtime_are_followed_by_one_run(untouched, clock):
    for number in range(5):
        untouched(repo=f"r{number}", days=9)
    idle_pass()
    clock.shift(hours=48)
    for _ in range(5 * 60):
        idle_pass()
        clock.shift(seconds=1)
    assert PassRun.objects.count() == 2
    assert PullRequestHistory.objects.filter(kind=HistoryKind.IDLE_RETRY).count() == 2


def test_the_interval_is_a_setting_and_a_forced_run_counts_for_the_pace(untouched, clock, run_idle):
    Setting.objects.create(name="idle.interval-minutes", value="10")
    untouched(days=5)
    assert run_idle().forced
    clock.shift(minutes=9)
    assert run_pass(IDLE).verdict is Verdict.NOT_DUE
    clock.shift(minutes=1)
    assert run_pass(IDLE).verdict is Verdict.RAN


def test_switched_off_it_says_why(clock):
    Setting.objects.create(name="idle.enabled", value="off")
    Setting.objects.create(name="idle.pause-reason", value="the bot is being moved")
    result = run_pass(IDLE, force=True)
    assert result.verdict is Verdict.PAUSED
    assert "the bot is being moved" in result.sentence
