"""What the receiver missed is asked for again: within the hour, three times at most, never twice what is there."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from core.models import Setting
from core.passes import Verdict
from sync.models import Redelivery
from tests.sync.github import INSTALLATIONS, REDELIVER, REPOSITORIES, differences, dump, rows
from tests.sync.stories import live_on, work_pending, world
from webhooks import models

pytestmark = pytest.mark.django_db
ATTEMPTS = r"/app/hook/deliveries/\d+/attempts"


@pytest.fixture
def receiving(pair, settings):
    """Our receiver, connected; what GitHub is asked to send again waits for `deliver`."""
    return pair.connect(settings)


@pytest.fixture
def lost(pair, receiving):
    """One pull request was opened while the receiver was down; it is up again."""
    receiving.answers = "down"
    made = pair.github.changes.open_pull_request(800_001, "Missed")
    receiving.answers = None
    pair.github.hook.held = True
    pair.clock.shift(minutes=5)
    return made


def asked_at(pair) -> list[float]:
    """Return how many minutes after the first lost delivery GitHub was asked for a redelivery."""
    begin = min(attempt.delivered_at for attempt in pair.github.hook.attempts.values())
    return [(logged.at - begin).total_seconds() / 60 for logged in pair.github.requests(ATTEMPTS)]


def ticks(pair, *, hours: int) -> None:
    """Let the schedule tick every five minutes for so many hours, and GitHub deliver what it was asked for."""
    for _ in range(hours * 12):
        pair.run(REDELIVER, force=False, expected=None)
        pair.github.hook.flush()
        pair.clock.shift(minutes=5, seconds=-1)


def test_f26_a_missed_delivery_comes_again(pair, lost):
    run = pair.run(REDELIVER)
    assert {name: run.counters[name] for name in ("listed", "missed", "requested", "failed", "requests")} == {
        "listed": 1,
        "missed": 1,
        "requested": 1,
        "failed": 0,
        "requests": 2,
    }
    pair.github.hook.flush()
    (row,) = rows(models.PullRequest)
    assert (row.node_id, row.title) == (lost.node_id, "Missed")
    pair.clock.shift(minutes=15)
    assert pair.run(REDELIVER).counters["missed"] == 0
    assert [delivery.status for delivery in rows(models.Delivery)] == ["applied"]


def test_what_was_stored_is_not_asked_for(pair, receiving):
    pair.github.changes.open_pull_request(800_001, "Received")
    pair.clock.shift(minutes=5)
    run = pair.run(REDELIVER)
    assert (run.counters["listed"], run.counters["missed"]) == (1, 0)


def test_a_delivery_may_still_be_on_its_way(pair, receiving):
    receiving.answers = "down"
    pair.github.changes.open_pull_request(800_001, "Just now")
    pair.clock.shift(seconds=110)
    assert pair.run(REDELIVER).counters["missed"] == 0
    pair.clock.shift(seconds=10)
    assert pair.run(REDELIVER).counters["missed"] == 1


def test_three_times_at_most_with_doubling_pauses(pair, lost, receiving):
    receiving.answers = "down"
    ticks(pair, hours=12)
    first, second, third = asked_at(pair)
    assert first <= 17
    assert 10 <= second - first <= 20
    assert 20 <= third - second <= 35
    assert third <= 60, "three attempts within the hour"
    assert [(row.attempts, row.guid) for row in rows(Redelivery)] == [
        (3, str(next(iter(pair.github.hook.attempts.values())).guid))
    ]


def test_never_for_a_422(pair, receiving):
    receiving.answers = 422
    pair.github.changes.open_pull_request(800_001, "Unusable")
    pair.github.hook.held = True
    pair.clock.shift(minutes=5)
    ticks(pair, hours=3)
    assert asked_at(pair) == []


@pytest.mark.parametrize("answers", [500, 503, 401, 404])
def test_any_other_failure_is_asked_for(pair, receiving, answers):
    receiving.answers = answers
    pair.github.changes.open_pull_request(800_001, "Refused")
    pair.github.hook.held = True
    receiving.answers = None
    pair.clock.shift(minutes=5)
    ticks(pair, hours=1)
    assert len(asked_at(pair)) == 1
    assert len(rows(models.PullRequest)) == 1


def test_a_delivery_stored_as_failed_is_processed_when_it_comes_again(pair, receiving, monkeypatch):
    def fail(*_):
        raise RuntimeError("a fault of ours")

    with monkeypatch.context() as broken:
        broken.setattr("webhooks.services.receiving._write_rows", fail)
        pair.github.changes.open_pull_request(800_001, "Failed at first")
    assert [row.status for row in rows(models.Delivery)] == ["failed"]
    pair.github.hook.held = True
    pair.clock.shift(minutes=5)
    ticks(pair, hours=1)
    assert [row.status for row in rows(models.Delivery)] == ["applied"]
    assert len(rows(models.PullRequest)) == 1


def test_deliveries_that_github_accepted_and_we_lost_are_asked_for(pair, receiving):
    pair.github.changes.open_pull_request(800_001, "Restored from yesterday's backup")
    models.Delivery.objects.all().delete()
    models.PullRequest.objects.all().delete()
    pair.github.hook.held = True
    pair.clock.shift(minutes=5)
    ticks(pair, hours=1)
    assert len(rows(models.PullRequest)) == 1


def test_nothing_older_than_github_keeps_is_looked_for(pair, lost):
    pair.clock.shift(days=3)
    assert pair.run(REDELIVER).counters["listed"] == 0


def test_a_delivery_that_the_cleanup_has_forgotten_is_not_asked_for(pair, receiving):
    Setting.objects.create(name="cleanup.delivery-days", value="1")
    pair.github.changes.open_pull_request(800_001, "Applied, and forgotten by now")
    pair.clock.shift(hours=25)
    pair.run("cleanup")
    assert rows(models.Delivery) == []
    assert pair.run(REDELIVER).counters["listed"] == 0


def test_a_run_looks_back_to_the_last_complete_one(pair, lost):
    pair.github.inject("/app/hook/deliveries", "status", status=500, times=None)
    pair.run(REDELIVER, expected=Verdict.FAILED)
    pair.clock.shift(days=2)
    pair.github.heal()
    assert pair.run(REDELIVER).counters["requested"] == 1
    pair.clock.shift(hours=7)
    assert pair.run(REDELIVER).counters["listed"] == 0


def test_f10_a_rate_limit_stops_the_run_cleanly(pair, lost, receiving):
    receiving.answers = "down"
    pair.github.hook.held = False
    for number in range(4):
        pair.github.changes.open_issue(800_001, f"Missed {number}")
    pair.clock.shift(minutes=5)
    pair.github.inject(ATTEMPTS, "secondary_limit", seconds=600, after=2)
    run = pair.run(REDELIVER)
    assert (run.outcome, run.counters["missed"], run.counters["requested"]) == ("out_of_time", 5, 2)
    pair.github.heal()
    pair.clock.shift(minutes=9)
    # The refused one has lost nothing; those that were asked for wait until their pause is over.
    assert pair.run(REDELIVER).counters["requested"] == 3


def test_one_that_github_refuses_does_not_stop_the_others(pair, lost):
    pair.github.inject(ATTEMPTS, "status", status=422)
    run = pair.run(REDELIVER)
    assert (run.outcome, run.counters["requested"], run.counters["failed"]) == ("succeeded", 0, 1)


def test_what_needs_no_memory_any_more_is_forgotten(pair, lost):
    pair.run(REDELIVER)
    pair.clock.shift(days=7)
    pair.run(REDELIVER)
    assert rows(Redelivery) == []


@pytest.mark.parametrize("first", ["redeliver", "syncs"])
def test_an_hour_without_a_receiver_heals_and_nothing_is_done_twice(pair_with, settings, first):
    pair = pair_with(world(installations=4, repositories=2, pull_requests=40))
    pair.sync_everything()
    work_pending(pair)
    receiving = pair.connect(settings)
    receiving.answers = "down"
    pair.clock.shift(days=100)
    live_on(pair, random.Random(2))
    pair.clock.shift(hours=1)
    receiving.answers = None
    pair.github.hook.held = True
    steps = [lambda: ticks(pair, hours=1), pair.sync_everything]
    for step in steps if first == "redeliver" else reversed(steps):
        step()
        pair.clock.shift(hours=1)
    work_pending(pair)
    pair.sync_everything()
    assert differences(pair.state) == {}
    guids = {str(attempt.guid) for attempt in pair.github.hook.attempts.values()}
    stored = Counter(row.guid for row in rows(models.Delivery))
    assert stored == dict.fromkeys(guids, 1)
    before = dump()
    ticks(pair, hours=3)
    pair.sync_everything()
    assert dump() == before


@pytest.mark.django_db(transaction=True)
def test_over_http_a_lost_delivery_comes_again(pair, live_server, settings):
    pair.connect(settings).answers = "down"
    pair.github.changes.open_pull_request(800_001, "Missed")
    pair.github.deliver_to(f"{live_server.url}/webhooks/github")
    pair.clock.shift(minutes=5)
    pair.run(REDELIVER)
    (row,) = rows(models.PullRequest)
    assert row.title == "Missed"
    assert [(a.redelivery, a.status_code) for a in pair.github.hook.attempts.values()] == [
        (False, 502),
        (True, 202),
    ]


def test_the_passes_do_not_wait_for_each_other(pair, lost):
    assert [pair.run(name, force=False).outcome for name in (INSTALLATIONS, REPOSITORIES, REDELIVER)] == [
        "succeeded"
    ] * 3
