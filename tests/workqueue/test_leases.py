"""Leases: one worker an item, and nothing written by one that lost it."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import pytest
from django.db import connection

from core import registry
from tests.workqueue.conftest import dimensions, item, told
from tests.workqueue.lamps import LAMP, Lamp, handled, light, submit
from workqueue.models import WorkItem
from workqueue.services import leases, working
from workqueue.services.turns import Ended, Place, stumble, take_turn, write_early
from workqueue.services.working import work
from workqueue.values import Changes, Done, LeaseLost, Phase

pytestmark = pytest.mark.usefixtures("shop")


def place(lamp: int, token: str) -> Place:
    return Place(LAMP, lamp, token, 10)


def test_b5_06_a_leased_item_is_nobody_elses_until_the_lease_runs_out(clock):
    lamp, _ = submit()
    first = leases.claim(["lamp"], 5)
    assert first.items == ((lamp, "lamp"),)
    assert leases.claim(["lamp"], 5) is None
    clock.shift(seconds=leases.LEASE - 1)
    assert leases.claim(["lamp"], 5) is None
    clock.shift(seconds=1)
    assert leases.claim(["lamp"], 5).items == first.items


def test_b5_06_a_heartbeat_extends_the_lease(clock):
    submit()
    lease = leases.claim(["lamp"], 5)
    for _ in range(5):
        clock.shift(seconds=leases.LEASE - 1)
        assert leases.renew(lease.token) == 1
    assert leases.claim(["lamp"], 5) is None


def test_the_oldest_goes_first_and_the_batch_is_bounded(clock):
    lamps = []
    for room in ("a", "b", "c"):
        lamps.append(submit(room)[0])
        clock.shift(seconds=1)
    assert [sequence for sequence, _ in leases.claim(["lamp"], 2).items] == lamps[:2]
    assert [sequence for sequence, _ in leases.claim(["lamp"], 2).items] == lamps[2:]


def test_a_lost_lease_changes_no_row_and_says_so(clock):
    lamp, _ = submit()
    slow = leases.claim(["lamp"], 1)
    step = take_turn(place(lamp, slow.token), None, leave=False).step
    clock.shift(seconds=leases.LEASE)
    quick = leases.claim(["lamp"], 1)
    before = rows(lamp)
    ended = Ended(step, Done("lit", Changes(columns={"brightness": 9}, phase=Phase.COMPLETED)))
    for late in (
        lambda: take_turn(place(lamp, slow.token), ended, leave=False),
        lambda: write_early(place(lamp, slow.token), step, Changes(columns={"brightness": 9})),
        lambda: stumble(place(lamp, slow.token), "odd"),
    ):
        with pytest.raises(LeaseLost, match=f"lease of work item {lamp} is over"):
            late()
    assert rows(lamp) == before
    assert leases.renew(slow.token) == leases.give_back(slow.token) == 0
    assert item(lamp).lease_token == quick.token


def rows(lamp: int) -> list[object]:
    return [
        *Lamp.objects.filter(pk=lamp).values(),
        *WorkItem.objects.get(pk=lamp).dimensions.values(),
        *WorkItem.objects.get(pk=lamp).audit.values(),
    ]


def test_a_worker_that_finds_its_lease_lost_goes_on_with_the_next_item(executor):
    def steal(job):
        if job.item.room == "attic":
            WorkItem.objects.filter(pk=job.item.pk).update(lease_token="somebody else's")
        return light(job)

    executor("light", steal)
    attic, hall = submit("attic")[0], submit("hall")[0]
    assert work() == "The work queue: lost 1, worked on 1."
    assert item(attic).lease_token == "somebody else's"
    assert dimensions(attic)["needs_light"] == "true"
    assert dimensions(hall)["needs_light"] == "false"


def test_a_lease_lost_while_writing_early_ends_the_action(executor):
    def steal(job):
        WorkItem.objects.filter(pk=job.item.pk).update(lease_token="somebody else's")
        job.write(Changes(columns={"brightness": 9}))
        raise AssertionError("never reached")

    executor("light", steal)
    lamp, _ = submit()
    assert work() == "The work queue: lost 1."
    assert Lamp.objects.get(pk=lamp).brightness == 0


def test_items_not_begun_go_back_at_once_when_the_time_is_over(executor, monkeypatch):
    seconds = [0]
    monkeypatch.setattr(working.time, "monotonic", lambda: seconds[0])

    def slow(job):
        seconds[0] += working.BUDGET
        return light(job)

    executor("light", slow)
    first, second = submit("a")[0], submit("b")[0]
    assert work() == "The work queue: worked on 1."
    assert (item(second).attempts, item(second).lease_token, item(second).actionable) == (0, None, True)
    assert dimensions(first)["needs_light"] == "false"


@pytest.mark.django_db(transaction=True)
def test_b5_32_b5_46_four_workers_do_each_item_once(executor):
    done: list[str] = []
    lock = threading.Lock()

    def count(job):
        with lock:
            done.append(job.item.room)
        return Done("lit", Changes(dimensions=[handled("needs_light", job)]))

    executor("light", count)
    registry.write(working.setting_specs.BATCH_SIZE, "3")
    rooms = [f"room {number}" for number in range(24)]
    for room in rooms:
        submit(room)

    def one(_: int) -> None:
        try:
            work()
        finally:
            connection.close()

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(one, range(4)))
    assert sorted(done) == sorted(rooms)
    assert not WorkItem.objects.filter(actionable=True).exists()


@pytest.mark.django_db(transaction=True)
def test_f04_a_task_that_comes_twice_finds_the_item_held_and_leaves_without_effect(executor):
    calls: list[int] = []

    def twice(job):
        calls.append(job.item.pk)
        with ThreadPoolExecutor(1) as pool:
            assert pool.submit(partial(closing, work)).result() == "The work queue: nothing to do."
        return light(job)

    executor("light", twice)
    lamp, _ = submit()
    work()
    assert calls == [lamp]
    assert told(lamp, "outcome") == ["light done: it shines"]


def closing(act):
    try:
        return act()
    finally:
        connection.close()


@pytest.mark.django_db(transaction=True)
def test_the_heartbeat_runs_beside_the_action_on_a_connection_of_its_own(executor, monkeypatch):
    monkeypatch.setattr(leases, "BEAT", 0.01)
    beaten = threading.Event()
    renew = leases.renew

    def tell(token: str) -> int:
        held = renew(token)
        beaten.set()
        return held

    monkeypatch.setattr(leases, "renew", tell)

    def slow(job):
        assert beaten.wait(timeout=30)
        return light(job)

    executor("light", slow)
    lamp, _ = submit()
    work()
    assert dimensions(lamp)["needs_light"] == "false"
    assert threading.active_count() < 10


@pytest.mark.django_db(transaction=True)
def test_a_heartbeat_that_fails_once_beats_on(executor, monkeypatch):
    monkeypatch.setattr(leases, "BEAT", 0.01)
    beats = []
    beaten = threading.Event()

    def odd(token: str) -> int:
        beats.append(token)
        if len(beats) > 1:
            beaten.set()
        raise OSError("gone away")

    monkeypatch.setattr(leases, "renew", odd)
    executor("light", lambda job: light(job) if beaten.wait(timeout=30) else None)
    lamp, _ = submit()
    work()
    assert dimensions(lamp)["needs_light"] == "false"
