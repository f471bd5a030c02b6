"""The sweep, and the pass around it."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.conf import settings

from core.models import Bell
from core.passes import find_pass, run_pass
from tests.workqueue.conftest import dimensions, item
from tests.workqueue.lamps import submit
from tests.workqueue.test_events import happen
from workqueue.models import PendingEvent, WorkItem, WorkItemDimension
from workqueue.passes import WORK_SWEEP
from workqueue.services import leases
from workqueue.services.working import work
from workqueue.values import RetryLater

pytestmark = pytest.mark.usefixtures("shop")


@pytest.fixture(autouse=True)
def rung(monkeypatch):
    """The names of the bells that were rung."""
    names: list[str] = []
    monkeypatch.setattr("core.bell.ring", names.append)
    return names


def sweep():
    return run_pass(WORK_SWEEP, force=True).run.counters


def test_b5_57_what_was_put_off_is_woken_when_it_is_time(executor, clock, rung):
    until = clock.now + timedelta(minutes=10)
    executor("light", lambda job: RetryLater("throttled", until))
    lamp, _ = submit()
    work()
    clock.shift(minutes=10, seconds=-1)
    rung.clear()
    assert sweep()["items_actionable"] == 0
    assert rung == []
    clock.shift(seconds=1)
    assert sweep() == {
        "dimensions_due": 1,
        "events_dropped": 0,
        "items_actionable": 1,
        "items_with_events": 0,
    }
    assert rung == ["work"]
    assert item(lamp).actionable
    assert item(lamp).dimensions.get(dimension="needs_light").pending_until is None


def test_woken_once_the_sweep_does_not_wake_it_again(executor, clock):
    until = clock.now + timedelta(minutes=1)
    executor("light", lambda job: RetryLater("throttled", until))
    lamp, _ = submit()
    work()
    clock.shift(minutes=2)
    sweep()
    WorkItem.objects.filter(pk=lamp).update(actionable=False)
    assert sweep()["items_actionable"] == 0


def test_b5_38_items_with_unread_events_are_found(rung):
    lamp, _ = submit()
    work()
    happen(dimensions=[["needs_dusting", True]])
    rung.clear()
    assert sweep()["items_with_events"] == 1
    assert rung == ["work"]
    work()
    assert dimensions(lamp)["needs_dusting"] == "false"


def test_items_of_a_worker_that_died_are_found_when_the_lease_has_run_out(clock, rung):
    submit()
    leases.claim(["lamp"], 1)
    rung.clear()
    assert sweep()["items_actionable"] == 0
    clock.shift(seconds=leases.LEASE)
    assert sweep()["items_actionable"] == 1
    assert rung == ["work"]


def test_b5_27_with_nothing_handled_the_sweep_returns_early(rung):
    from core.models import Setting

    Setting.objects.filter(name="workqueue.handled-types").update(value="")
    submit()
    rung.clear()
    assert sweep() == {"types_handled": 0}
    assert rung == []


def test_events_of_ended_items_go_away(clock):
    lamp, _ = submit()
    happen()
    WorkItem.objects.filter(pk=lamp).update(phase="cancelled")
    assert sweep()["events_dropped"] == 1
    assert not PendingEvent.objects.exists()


def test_an_ended_items_postponement_wakes_nobody(clock):
    lamp, _ = submit()
    WorkItemDimension.objects.filter(item=lamp).update(pending_until=clock.now)
    WorkItem.objects.filter(pk=lamp).update(phase="completed", actionable=False)
    sweep()
    assert not item(lamp).actionable


def test_the_pass_and_the_task_are_known_to_the_installation():
    assert find_pass("work-sweep") is WORK_SWEEP
    assert settings.BELLS["work"] == "workqueue.tasks.work"
    assert "work-sweep" in __import__("config.schedules", fromlist=["SCHEDULES"]).SCHEDULES


@pytest.mark.django_db(transaction=True)
def test_f33_the_bell_is_rung_after_the_commit_and_its_task_clears_it(monkeypatch):
    from django.db import transaction

    from core import bell
    from workqueue import tasks

    monkeypatch.undo()
    with transaction.atomic():
        submit()
        assert not Bell.objects.exists()
    assert Bell.objects.get(name="work").rung_at is not None
    tasks.work()
    assert Bell.objects.get(name="work").rung_at is None
    assert bell.STALE_AFTER == 60
