"""Events: kept by the receiver, read by the worker in order, applied alike for every type."""

from __future__ import annotations

import json
import zlib
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext

from tests.workqueue.conftest import dimensions, item, told
from tests.workqueue.lamps import Lamp, light, submit
from tests.workqueue.test_leases import closing
from workqueue.models import PendingEvent
from workqueue.services import control, intake, turns
from workqueue.services.working import work
from workqueue.values import Done, Event, Phase

pytestmark = pytest.mark.usefixtures("shop")
NEW = "2026-03-04T10:00:00+00:00"
OLD = "2026-03-04T09:59:59+00:00"


def happen(action: str = "pressed", **payload: object) -> int:
    """Let an event come in about the hall's lamp."""
    payload = {"room": "hall"} | payload
    body = zlib.compress(json.dumps(payload).encode())
    return intake.keep_event(Event("lamp", action, payload, "guid-1"), body)


@pytest.fixture
def lamp() -> int:
    """A lamp in the hall that shines and needs nothing."""
    sequence, _ = submit()
    work()
    return sequence


def test_b5_36_an_event_is_kept_raw_and_read_by_the_worker(lamp):
    assert happen(dimensions=[["needs_dusting", True]]) == 1
    stored = PendingEvent.objects.get()
    assert (stored.item_id, stored.event, stored.action, stored.guid) == (lamp, "lamp", "pressed", "guid-1")
    assert json.loads(zlib.decompress(stored.body))["room"] == "hall"
    assert dimensions(lamp)["needs_dusting"] == "false"
    work()
    assert not PendingEvent.objects.exists()
    assert told(lamp, "event") == ["lamp pressed: pressed in hall"]
    assert "dust done: it is clean" in told(lamp, "outcome")
    assert dimensions(lamp)["needs_dusting"] == "false"


def test_b5_35_the_receiver_does_one_select_and_one_insert_and_locks_no_item(lamp, django_assert_num_queries):
    from django.db import connection

    with CaptureQueriesContext(connection) as queries:
        happen()
    said = [query["sql"].split()[0] for query in queries if "RESPONSE" not in query["sql"]]
    words = [word for word in said if word not in {"BEGIN", "COMMIT", "SAVEPOINT", "RELEASE"}]
    assert words == ["SELECT", "INSERT"]
    assert not [query for query in queries if "FOR UPDATE" in query["sql"]]


@pytest.mark.parametrize("phase", ["completed", "failed", "cancelled"])
def test_b5_35_b5_40_only_active_items_get_events(lamp, phase):
    Lamp.objects.filter(pk=lamp).update(phase=phase)
    assert happen(phase="active", at=NEW) == 0
    work()
    assert item(lamp).phase == phase


def test_an_event_about_nothing_we_know_of_asks_the_database_nothing(lamp, django_assert_num_queries):
    with django_assert_num_queries(0):
        assert intake.keep_event(Event("weather", "rain", {"room": "hall"}), b"") == 0
        assert intake.keep_event(Event("lamp", "pressed", {}), b"") == 0


def test_b5_32_events_of_one_item_are_read_in_order(lamp):
    for number in range(45):
        happen(f"press {number}")
    work()
    assert told(lamp, "event") == [f"lamp press {number}: press {number} in hall" for number in range(45)]


def test_an_event_sets_the_phase_and_its_instant_is_kept(lamp):
    happen("broken", phase="cancelled", at=NEW)
    work()
    after = item(lamp)
    assert (after.phase, after.last_event_at.isoformat()) == ("cancelled", NEW)
    assert told(lamp, "transition") == ["active -> cancelled: broken in hall"]


def test_b5_34_a_repeated_event_after_a_retry_does_not_end_the_item_again(lamp):
    happen("broken", phase="cancelled", at=NEW)
    work()
    control.retry(lamp, actor="bob")
    happen("broken", phase="cancelled", at=NEW)
    work()
    assert item(lamp).phase == "active"
    assert "stale" in told(lamp, "event")[-1]


def test_b5_42_dimensions_apply_also_when_the_phase_is_stale(lamp):
    Lamp.objects.filter(pk=lamp).update(last_event_at=NEW)
    happen("broken", phase="cancelled", at=OLD, dimensions=[["needs_dusting", True]])
    work()
    assert item(lamp).phase == "active"
    assert "needs_dusting = true" in told(lamp, "dimension_change")
    assert "dust done: it is clean" in told(lamp, "outcome")


def test_b5_01_an_event_resets_one_dimension_and_leaves_the_others(lamp):
    happen(dimensions=[["needs_dusting", True, "left"], ["needs_dusting", False, "right"]])
    work()
    assert dimensions(lamp) == {
        "needs_light": "false",
        "needs_dusting": "false",
        "needs_dusting[left]": "false",
        "needs_dusting[right]": "false",
    }
    assert told(lamp, "decision").count("dust: needs_dusting left") == 1


@pytest.mark.parametrize("ended, later", [("completed", "cancelled"), ("cancelled", "active")])
def test_b5_41_closed_cancels_no_completed_item_and_reopened_revives_no_cancelled_one(lamp, ended, later):
    happen("first", phase=ended, at=OLD)
    happen("second", phase=later, at=NEW)
    work()
    assert item(lamp).phase == ended
    assert told(lamp, "event")[-1] == f"lamp second: not read: the item is {ended}"


def test_an_event_that_breaks_its_handler_is_told_of_and_stops_nothing(lamp):
    happen("odd", phase="no such phase", at=NEW)
    happen("pressed", dimensions=[["needs_dusting", True]])
    work()
    assert told(lamp, "event")[0].startswith("lamp odd: could not be read: ValueError")
    assert "dust done: it is clean" in told(lamp, "outcome")
    assert not PendingEvent.objects.exists()


def test_an_event_without_a_body_and_one_that_is_no_json_stop_nothing(lamp):
    event = Event("lamp", "pressed", {"room": "hall"})
    intake.keep_event(event, None)
    intake.keep_event(event, b"this was never compressed")
    work()
    assert [sentence.split(":")[1].strip() for sentence in told(lamp, "event")] == [
        "pressed in hall",
        "could not be read",
    ]


def test_events_are_read_while_the_item_waits_after_a_failure(lamp, clock):
    Lamp.objects.filter(pk=lamp).update(due_at=clock.now + timedelta(hours=1), actionable=True, attempts=3)
    happen("pressed", dimensions=[["needs_dusting", True]])
    work()
    assert told(lamp, "event") == ["lamp pressed: pressed in hall"]
    after = item(lamp)
    assert (after.due_at, after.actionable, after.attempts) == (clock.now + timedelta(hours=1), True, 3)
    assert dimensions(lamp)["needs_dusting"] == "true"


def test_an_event_during_an_action_is_read_after_it(executor):
    def light(job):
        happen("during", phase="cancelled", at=NEW)
        assert item(job.item.pk).phase == "active"
        return Done("lit")

    executor("light", light)
    lamp, _ = submit()
    work()
    assert item(lamp).phase == "cancelled"


@pytest.mark.django_db(transaction=True)
def test_f33_b5_34_an_event_is_there_after_the_commit_and_not_after_a_rollback(lamp):
    with transaction.atomic():
        happen("rolled back")
        transaction.set_rollback(True)
    assert not PendingEvent.objects.exists()
    with transaction.atomic():
        happen("committed", phase=Phase.CANCELLED, at=NEW)
    work()
    assert item(lamp).phase == "cancelled"


def test_b5_33_a_turn_that_breaks_off_loses_no_event(lamp, clock, monkeypatch):
    happen(dimensions=[["needs_dusting", True]])
    with monkeypatch.context() as broken:
        broken.setattr(turns, "_decide", lambda *_, **__: 1 / 0)
        work()
    assert PendingEvent.objects.count() == 1
    assert told(lamp, "event") == []
    # It rests, unread event or not, so that a fault of ours does not run in circles.
    assert item(lamp).attempts == 1
    work()
    assert item(lamp).attempts == 1
    clock.shift(minutes=1)
    work()
    assert not PendingEvent.objects.exists()
    assert told(lamp, "event") == ["lamp pressed: pressed in hall"]
    assert "dust done: it is clean" in told(lamp, "outcome")


@pytest.mark.mariadb
@pytest.mark.django_db(transaction=True)
def test_b5_35_neither_receiver_nor_worker_waits_for_the_other(mariadb, executor):
    """A turn at its item's row, and a Delivery that is not committed yet, both at the same time."""
    lamp, _ = submit()
    worked = []

    def look(job):
        with ThreadPoolExecutor(1) as pool:
            worked.append(pool.submit(receive_while_held, job.item.pk).result(timeout=4))
        return light(job)

    executor("light", look)
    with transaction.atomic():
        happen(dimensions=[["needs_dusting", True]])
        with ThreadPoolExecutor(1) as pool:
            assert pool.submit(closing, work).result(timeout=4) == "The work queue: worked on 1."
    work()
    assert worked == [1]
    assert len(told(lamp, "event")) == 2


def receive_while_held(sequence: int) -> int:
    """Keep an event while another session holds the item's row as a turn does."""
    other = connection.copy()
    try:
        with other.cursor() as cursor:
            cursor.execute("START TRANSACTION")
            cursor.execute("SELECT 1 FROM work_items WHERE Sequence = %s FOR UPDATE", [sequence])
            return happen()
    finally:
        other.close()
        connection.close()
