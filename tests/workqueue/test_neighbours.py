"""One commit leaves an item and begins the next: half the commits, and still neither pays for the other."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import pytest
from django.db import OperationalError, connection
from django.test.utils import CaptureQueriesContext

from core import heartbeat
from tests.workqueue import lamps
from tests.workqueue.conftest import dimensions, item, told
from tests.workqueue.lamps import light, submit
from workqueue.models import PendingEvent, WorkItem
from workqueue.services import intake, turns, working
from workqueue.services.working import work
from workqueue.values import Event

pytestmark = pytest.mark.usefixtures("shop")
ROOMS = ("attic", "cellar", "hall")
PAYLOAD: dict[str, Any] = {"room": "hall", "dimensions": [["needs_dusting", True]]}


@pytest.mark.django_db(transaction=True)
def test_an_item_costs_one_commit_when_another_follows():
    for number in range(5):
        submit(f"room {number}")
    heartbeat.beat(heartbeat.WORKER)
    with CaptureQueriesContext(connection) as asked:
        work()
    commits = sum(query["sql"] == "COMMIT" for query in asked.captured_queries)
    claims, begun_first, left_and_begun, left_last = 2, 1, 4, 1
    assert commits == claims + begun_first + left_and_begun + left_last


@pytest.mark.django_db(transaction=True)
def test_the_attempt_is_stored_before_its_work_and_that_of_no_other_item(executor):
    seen: dict[str, list[tuple[int, bool]]] = {}

    def look(job):
        with ThreadPoolExecutor(1) as pool:
            seen[job.item.room] = pool.submit(states).result()
        return light(job)

    executor("light", look)
    for room in ROOMS:
        submit(room)
    work()
    waiting, at_work, left = (0, True), (1, True), (0, False)
    assert seen == {
        "attic": [at_work, waiting, waiting],
        "cellar": [left, at_work, waiting],
        "hall": [left, left, at_work],
    }


def states() -> list[tuple[int, bool]]:
    """What another session sees: of each item its attempts and whether it is leased."""
    try:
        rows = WorkItem.objects.order_by("pk").values_list("attempts", "lease_token")
        return [(attempts, token is not None) for attempts, token in rows]
    finally:
        connection.close()


def test_an_item_whose_decider_breaks_costs_its_neighbours_nothing(monkeypatch):
    def decide(snapshot):
        if snapshot.facts[0] == "cellar":
            raise ZeroDivisionError
        return lamps.lamp_rules.decide(snapshot)

    monkeypatch.setitem(working.TYPES, "lamp", replace(lamps.LAMP, decide=decide))
    attic, cellar, hall = (submit(room)[0] for room in ROOMS)
    assert work() == "The work queue: failed 1, worked on 2."
    for healthy in (attic, hall):
        assert (item(healthy).attempts, item(healthy).lease_token) == (0, None)
        assert told(healthy, "outcome") == ["light done: it shines"]
    assert (item(cellar).attempts, item(cellar).error) == (1, "ZeroDivisionError: ")


@pytest.mark.parametrize("stolen", ROOMS)
def test_a_lease_lost_is_lost_for_one_item_alone_and_said(executor, stolen):
    made = {room: submit(room)[0] for room in ROOMS}

    def steal(job):
        if job.item.room == "attic":
            WorkItem.objects.filter(pk=made[stolen]).update(lease_token="somebody else's")
        return light(job)

    executor("light", steal)
    assert work() == "The work queue: lost 1, worked on 2."
    assert (item(made[stolen]).lease_token, told(made[stolen], "outcome")) == ("somebody else's", [])
    for room in set(ROOMS) - {stolen}:
        assert told(made[room], "outcome") == ["light done: it shines"]
        assert (item(made[room]).attempts, item(made[room]).lease_token) == (0, None)


def test_a_database_that_refuses_the_shared_commit_gets_two(monkeypatch):
    refused = []

    def refuse(following):
        refused.append(following.sequence)
        raise OperationalError(1205, "Lock wait timeout exceeded")

    monkeypatch.setattr(turns, "_first_turn", refuse)
    made = [submit(room)[0] for room in ROOMS]
    assert work() == "The work queue: worked on 3."
    assert refused == made[1:]
    for sequence in made:
        assert told(sequence, "outcome") == ["light done: it shines"]


class Killed(BaseException):
    """The process is gone: nothing of the product catches this."""


@pytest.mark.django_db(transaction=True)
def test_an_event_that_kills_its_reader_takes_no_neighbour_along(monkeypatch):
    def deadly(*_):
        raise Killed

    attic, hall = submit("attic")[0], submit("hall")[0]
    monkeypatch.setitem(working.TYPES, "lamp", replace(lamps.LAMP, handlers={"lamp": deadly}))
    intake.keep_event(Event("lamp", "pressed", PAYLOAD), None)
    with pytest.raises(Killed):
        work()
    assert told(attic, "outcome") == ["light done: it shines"]
    assert (item(attic).attempts, item(attic).actionable) == (0, False)
    assert (item(hall).attempts, PendingEvent.objects.count()) == (0, 1)


def test_an_item_with_nothing_to_do_is_left_in_the_commit_that_would_have_begun_it():
    attic, hall = submit("attic")[0], submit("hall")[0]
    work()
    submit("attic", brightness=7)
    WorkItem.objects.filter(pk=hall).update(actionable=True)
    assert work() == "The work queue: worked on 2."
    assert told(hall)[-1] == "nothing to do now"
    assert [item(each).lease_token for each in (attic, hall)] == [None, None]
    assert dimensions(attic)["needs_light"] == "false"
