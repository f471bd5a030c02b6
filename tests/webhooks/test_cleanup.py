"""What the pass `cleanup` removes, and what it leaves."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django_q.models import Task

from core.models import ApiRate, PassRun, Setting
from core.passes import Verdict, run_pass
from core.rates import WINDOW
from tests.clock import DrivenClock
from tests.factories import DeliveryFactory, PullRequestFactory
from webhooks.models import Delivery, PullRequestHistory, Rejection
from webhooks.passes import CLEANUP


def counters() -> dict[str, int]:
    result = run_pass(CLEANUP, force=True)
    assert result.verdict is Verdict.RAN
    assert result.run is not None
    return dict(result.run.counters)


def test_a_body_goes_after_30_days_and_the_delivery_after_90(clock: DrivenClock) -> None:
    for age in (29, 31, 89, 91):
        DeliveryFactory(received_at=clock.now - timedelta(days=age), body=b"x", event=str(age))
    found = counters()
    assert (found["bodies"], found["deliveries"]) == (3, 1)
    left = dict(Delivery.objects.values_list("event", "body"))
    assert left == {"29": b"x", "31": None, "89": None}


def test_the_settings_decide(clock: DrivenClock) -> None:
    Setting.objects.create(name="cleanup.delivery-days", value="5")
    DeliveryFactory(received_at=clock.now - timedelta(days=6))
    assert counters()["deliveries"] == 1


@pytest.mark.parametrize(
    "state, line_age, touched_age, left",
    [("CLOSED", 91, 91, 0), ("CLOSED", 91, 10, 1), ("OPEN", 300, 300, 1), ("CLOSED", 10, 10, 1)],
)
def test_history_goes_90_days_after_the_closing(
    clock: DrivenClock, state: str, line_age: int, touched_age: int, left: int
) -> None:
    pull = PullRequestFactory(state=state, updated_at=clock.now - timedelta(days=touched_age))
    PullRequestHistory.objects.create(
        pull_request_sequence=pull.pk, kind="event", at=clock.now - timedelta(days=line_age)
    )
    counters()
    assert PullRequestHistory.objects.count() == left


def test_old_runs_tasks_and_rejections_go(clock: DrivenClock) -> None:
    old = clock.now - timedelta(days=91)
    PassRun.objects.create(name="idle", started_at=old, outcome="succeeded")
    Task.objects.create(id="t", name="t", func="f", started=old, stopped=old, success=False)
    Rejection.objects.create(hour=old, reason="wrong", last_seen=old)
    found = counters()
    assert (found["runs"], found["tasks"], found["rejections"]) == (1, 1, 1)
    assert list(PassRun.objects.values_list("name", flat=True)) == ["cleanup"]


def test_rates_of_callers_who_stay_away_go(clock: DrivenClock) -> None:
    minute = int(clock.now.timestamp() // WINDOW)
    for name, ago in (("calls", 0), ("rests", 59), ("is gone", 61)):
        ApiRate.objects.create(caller=name, minute=minute - ago, used=1)
    assert counters()["api_rates"] == 1
    assert set(ApiRate.objects.values_list("caller", flat=True)) == {"calls", "rests"}


def test_many_rows_go_in_batches_and_stop_with_the_time(clock: DrivenClock, monkeypatch: Any) -> None:
    monkeypatch.setattr("webhooks.services.cleanup.BATCH", 2)
    monkeypatch.setattr("core.passes.BUDGET", 0)
    DeliveryFactory.create_batch(5, received_at=clock.now - timedelta(days=200))
    result = run_pass(CLEANUP, force=True)
    assert result.run is not None
    assert result.run.outcome == "out_of_time"
    monkeypatch.setattr("core.passes.BUDGET", 60)
    assert counters()["deliveries"] == 5


def test_it_runs_once_a_day(clock: DrivenClock) -> None:
    assert run_pass(CLEANUP).verdict is Verdict.RAN
    clock.shift(hours=23, minutes=59)
    assert run_pass(CLEANUP).verdict is Verdict.NOT_DUE
    clock.shift(minutes=1)
    assert run_pass(CLEANUP).verdict is Verdict.RAN
