"""Retry and cancel, for items of any type."""

from __future__ import annotations

import pytest

from tests.workqueue.conftest import dimensions, item, told
from tests.workqueue.lamps import LAMP, Lamp, submit
from workqueue.models import WorkItem
from workqueue.services import control, submitting
from workqueue.services.working import work
from workqueue.values import Changes, Refused

pytestmark = pytest.mark.usefixtures("shop")


def lamp_in(phase: str, room: str = "hall") -> int:
    sequence, _ = submit(room)
    work()
    WorkItem.objects.filter(pk=sequence).update(phase=phase, attempts=7, error="no current")
    return sequence


@pytest.mark.parametrize("phase", ["failed", "cancelled"])
def test_b5_40_failed_and_cancelled_items_come_back_by_a_retry(phase):
    lamp = lamp_in(phase)
    control.retry(lamp, actor="bob")
    after = item(lamp)
    assert (after.phase, after.actionable, after.attempts, after.error) == ("active", True, 0, "")
    assert after.ended_at is None
    assert dimensions(lamp)["needs_light"] == "true"
    assert told(lamp, "retry") == ["retried by bob"]
    work()
    assert dimensions(lamp)["needs_light"] == "false"


@pytest.mark.parametrize("phase, why", [("active", "nothing to retry"), ("completed", "completed")])
def test_b5_40_other_phases_refuse_a_retry_with_the_reason(phase, why):
    lamp = lamp_in(phase)
    with pytest.raises(Refused, match=why) as refused:
        control.retry(lamp, actor="bob")
    assert refused.value.code == "wrong_phase"
    assert item(lamp).attempts == 7


def test_a_type_may_refuse_a_retry_with_a_reason_of_its_own():
    lamp = lamp_in("failed", room="cellar")
    with pytest.raises(Refused, match="broken for good") as refused:
        control.retry(lamp, actor="bob")
    assert refused.value.code == "refused_by_type"
    assert item(lamp).phase == "failed"


def test_a_cancelled_item_with_a_living_successor_stays_cancelled():
    lamp = lamp_in("cancelled")
    successor, _ = submit()
    with pytest.raises(Refused, match="younger work item") as refused:
        control.retry(lamp, actor="bob")
    assert refused.value.code == "superseded"
    assert (item(lamp).phase, item(successor).phase) == ("cancelled", "active")


@pytest.mark.parametrize("phase", ["active", "failed"])
def test_active_and_failed_items_can_be_cancelled(phase):
    lamp = lamp_in(phase)
    control.cancel(lamp, actor="bob", reason="not wanted")
    after = item(lamp)
    assert (after.phase, after.actionable) == ("cancelled", False)
    assert told(lamp, "cancel") == ["cancelled by bob: not wanted"]
    assert f"{phase} -> cancelled: cancelled by bob: not wanted" in told(lamp, "transition")


@pytest.mark.parametrize("phase", ["completed", "cancelled"])
def test_ended_items_refuse_to_be_cancelled(phase):
    lamp = lamp_in(phase)
    with pytest.raises(Refused, match=f"It is {phase} already"):
        control.cancel(lamp, actor="bob")


def test_an_item_of_a_type_that_nobody_knows_is_refused_and_one_that_is_not_there_is_said_so():
    lamp = lamp_in("failed")
    WorkItem.objects.filter(pk=lamp).update(item_type="torch")
    with pytest.raises(Refused, match="knows the item type torch"):
        control.retry(lamp, actor="bob")
    with pytest.raises(WorkItem.DoesNotExist):
        control.retry(lamp + 1, actor="bob")


def test_a_failed_item_that_counts_as_ended_is_retried_as_the_same_one():
    lamp = lamp_in("failed")
    WorkItem.objects.filter(pk=lamp).update(failed_is_ended=True)
    control.retry(lamp, actor="bob")
    assert (item(lamp).generation, WorkItem.objects.count()) == (1, 1)


def test_a_failed_item_that_counts_as_ended_gives_way_to_its_successor():
    lamp = lamp_in("failed")
    WorkItem.objects.filter(pk=lamp).update(failed_is_ended=True)
    after = submitting.newest(LAMP, "hall", actor="")
    made = submitting.create(LAMP, "hall", Changes(columns={"room": "hall"}), caller="", after=after)
    assert made.item.idempotency_key == "lamp:hall:2"
    with pytest.raises(Refused, match="younger work item"):
        control.retry(lamp, actor="bob")
    assert Lamp.objects.count() == 2
