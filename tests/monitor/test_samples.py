"""The trend of the backlog: sampled, kept for a while, drawn."""

from __future__ import annotations

from datetime import timedelta

from core.models import PassRun, Setting
from core.passes import find_pass, run_pass
from monitor.models import BacklogSample
from monitor.selectors.trends import charts
from tests import factories


def test_a_sample_counts_what_is_pending_claimed_and_idle(clock):
    factories.PullRequestFactory(processing_state="IDLE")
    factories.IssueFactory(processing_state="NEW")
    factories.IssueFactory(processing_state="PROCESSING")
    for days, retries in ((5, 0), (2, 3), (60, 10)):
        factories.PullRequestFactory(updated_at=clock.now - timedelta(days=days), idle_retry_count=retries)
    run_pass(find_pass("sample"))
    taken = BacklogSample.objects.get()
    assert (taken.pending, taken.processing) == (2, 1)
    assert (taken.due, taken.waiting, taken.gave_up) == (1, 1, 1)
    assert PassRun.objects.get().counters == {"pending": 2, "dropped": 0}


def test_one_is_taken_each_quarter_of_an_hour(clock):
    job = find_pass("sample")
    for _ in range(31):
        run_pass(job)
        clock.shift(minutes=1)
    assert BacklogSample.objects.count() == 3


def test_samples_older_than_the_setting_are_dropped(clock):
    Setting.objects.update_or_create(name="sample.days", defaults={"value": "2"})
    for hours in (1, 47, 49):
        BacklogSample.objects.create(at=clock.now - timedelta(hours=hours))
    run_pass(find_pass("sample"))
    assert BacklogSample.objects.count() == 3
    assert PassRun.objects.get().counters["dropped"] == 1


def test_an_hour_without_a_sample_is_a_gap_and_not_a_zero(clock):
    for minutes, rows in ((10, 5), (65, 9), (70, 12), (24 * 60 + 1, 99)):
        BacklogSample.objects.create(at=clock.now - timedelta(minutes=minutes), pending=rows)
    pending, _ = charts(now=clock.now)[3].series
    assert pending.values[-3:] == [12, 5, None]
    assert 99 not in pending.values
