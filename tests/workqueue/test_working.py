"""The worker: one decision, one action, again, until nothing is left."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from django.conf import settings

from core import registry
from tests.workqueue import lamps
from tests.workqueue.conftest import dimensions, item, told
from tests.workqueue.lamps import Lamp, Told, handled, submit
from workqueue.services import control, working
from workqueue.services.working import work
from workqueue.values import (
    Changes,
    Dimension,
    DimensionUpdate,
    Done,
    Permanent,
    Phase,
    RetryLater,
    Snapshot,
    Transient,
)

pytestmark = pytest.mark.usefixtures("shop")


def test_b5_17_an_item_stays_active_with_nothing_to_do_until_an_event():
    lamp, _ = submit()
    assert item(lamp).actionable
    assert work() == "The work queue: worked on 1."
    after = item(lamp)
    assert (after.phase, after.actionable, after.attempts) == ("active", False, 0)
    assert (after.leased_until, after.lease_token) == (None, None)
    assert Lamp.objects.get(pk=lamp).brightness == 100
    assert dimensions(lamp) == {"needs_light": "false", "needs_dusting": "false"}
    assert work() == "The work queue: nothing to do."


def test_b5_05_one_action_then_the_decider_is_asked_again(executor):
    asked = []

    def light(job):
        asked.append(("light", job.snapshot.needs("needs_dusting")))
        return Done(
            "lit",
            Changes(dimensions=[handled("needs_light", job), DimensionUpdate("needs_dusting", needed=True)]),
        )

    def dust(job):
        asked.append(("dust", job.snapshot.needs("needs_light")))
        return Done("clean", Changes(dimensions=[handled("needs_dusting", job)]))

    executor("light", light)
    executor("dust", dust)
    submit()
    work()
    assert asked == [("light", False), ("dust", False)]


def test_b5_15_a_chain_of_four_successes_never_uses_up_the_attempts(executor):
    registry.write(working.setting_specs.MAX_ATTEMPTS, "2")
    seen = []

    def light(job):
        seen.append(job.snapshot.attempts)
        return Done("once more", Changes(dimensions=[handled("needs_light", job)] if len(seen) == 4 else []))

    executor("light", light)
    lamp, _ = submit()
    work()
    assert seen == [0, 0, 0, 0]
    assert (item(lamp).attempts, item(lamp).phase) == (0, "active")


def test_b5_16_the_executor_sets_the_phase_and_the_decider_only_names_the_action(executor):
    executor("light", lambda job: Done("it shines for ever", Changes(phase=Phase.COMPLETED)))
    lamp, _ = submit()
    work()
    after = item(lamp)
    assert (after.phase, after.actionable, after.ended_at is not None) == ("completed", False, True)
    assert told(lamp, "transition") == ["active -> completed: it shines for ever"]


def test_a_transient_failure_counts_waits_longer_each_time_and_is_parked_at_the_cap(executor, clock):
    registry.write(working.setting_specs.MAX_ATTEMPTS, "3")
    executor("light", lambda job: Transient("no current"))
    lamp, _ = submit()
    waits = []
    while item(lamp).phase == "active":
        work()
        waits.append((item(lamp).due_at - clock.now).total_seconds())
        clock.shift(seconds=max(waits[-1], 0))
    assert waits[:2] == [15, 30]
    after = item(lamp)
    assert after.phase == "failed"
    assert after.error == "given up after 3 failures in a row; the last one: no current"


def test_an_item_that_waits_after_a_failure_is_not_claimed_before_its_time(executor, clock):
    calls = []

    def light(job):
        calls.append(1)
        return Transient("no current")

    executor("light", light)
    submit()
    work()
    clock.shift(seconds=14)
    work()
    assert len(calls) == 1
    clock.shift(seconds=1)
    work()
    assert len(calls) == 2


def test_retry_later_spends_no_attempt_and_is_looked_at_again_when_it_is_time(executor, clock, now):
    later = now + timedelta(minutes=10)
    executor("light", lambda job: RetryLater("throttled", later))
    lamp, _ = submit()
    work()
    after = item(lamp)
    assert (after.attempts, after.actionable, after.phase) == (0, False, "active")
    assert after.dimensions.get(dimension="needs_light").pending_until == later
    assert dimensions(lamp)["needs_light"] == "true"


def test_a_permanent_failure_fails_the_item_with_its_reason(executor):
    executor("light", lambda job: Permanent("there is no lamp"))
    lamp, _ = submit()
    work()
    assert (item(lamp).phase, item(lamp).error) == ("failed", "there is no lamp")


def test_an_error_that_the_type_knows_means_what_the_type_says(executor):
    def light(job):
        raise Told(Permanent("GitHub says no"))

    executor("light", light)
    lamp, _ = submit()
    work()
    assert (item(lamp).phase, item(lamp).error) == ("failed", "GitHub says no")


def test_an_error_that_nobody_knows_is_transient_and_stops_no_other_item(executor):
    def light(job):
        if job.item.room == "attic":
            raise ValueError("odd \udc80 text")
        return lamps.light(job)

    executor("light", light)
    attic, hall = submit("attic")[0], submit("hall")[0]
    work()
    assert (item(attic).attempts, item(attic).phase) == (1, "active")
    assert item(attic).error == "ValueError: odd \\udc80 text"
    assert Lamp.objects.get(pk=hall).brightness == 100


def test_a_decider_that_breaks_counts_as_failures_and_is_parked_too(monkeypatch, clock):
    def broken(_):
        raise ZeroDivisionError

    registry.write(working.setting_specs.MAX_ATTEMPTS, "2")
    monkeypatch.setitem(working.TYPES, "lamp", replace(lamps.LAMP, decide=broken))
    lamp, _ = submit()
    work()
    assert (item(lamp).attempts, item(lamp).phase) == (1, "active")
    clock.shift(minutes=1)
    work()
    assert item(lamp).phase == "failed"
    assert "ZeroDivisionError" in item(lamp).error


def test_b5_49_an_item_that_always_has_an_action_leaves_the_worker_after_60_seconds(executor, monkeypatch):
    seconds = [0]
    monkeypatch.setattr(working.time, "monotonic", lambda: seconds[0])

    def light(job):
        seconds[0] += 25
        return Done("again", Changes())

    executor("light", light)
    lamp, _ = submit()
    with ExitStack() as stack:
        shift = working.Shift(stack)
        lease = working.leases.claim(["lamp"], 1)
        working.process(shift, working.Place(lamps.LAMP, lamp, lease.token, 10))
    after = item(lamp)
    assert seconds == [75]
    assert (after.phase, after.actionable, after.lease_token, after.attempts) == ("active", True, None, 0)


def test_b5_61_a_stale_actionable_costs_one_empty_loop():
    lamp, _ = submit()
    work()
    item(lamp).__class__.objects.filter(pk=lamp).update(actionable=True)
    assert work() == "The work queue: worked on 1."
    assert told(lamp)[-1] == "nothing to do now"
    assert not item(lamp).actionable


def test_a_wish_that_came_while_the_action_ran_is_not_taken_as_handled(executor):
    seen = []

    def light(job):
        seen.append(job.item.brightness)
        if len(seen) == 1:
            assert submit(brightness=7)[1] == "updated"
        return Done("lit", Changes(dimensions=[handled("needs_light", job)]))

    executor("light", light)
    lamp, _ = submit(brightness=1)
    work()
    assert seen == [1, 7]
    assert dimensions(lamp)["needs_light"] == "false"


def test_an_action_that_ends_after_its_item_was_cancelled_keeps_what_it_found_and_changes_no_phase(executor):
    def light(job):
        control.cancel(job.item.pk, actor="bob")
        return Done("lit", Changes(columns={"brightness": 55}, phase=Phase.COMPLETED))

    executor("light", light)
    lamp, _ = submit()
    work()
    assert item(lamp).phase == "cancelled"
    assert Lamp.objects.get(pk=lamp).brightness == 55
    assert item(lamp).lease_token is None


def test_what_an_executor_writes_early_is_there_for_the_next_run(executor):
    def light(job):
        if job.item.brightness:
            return Done(f"found {job.item.brightness}", Changes(dimensions=[handled("needs_light", job)]))
        job.write(Changes(columns={"brightness": 33}))
        return Transient("cut off")

    executor("light", light)
    lamp, _ = submit()
    work()
    Lamp.objects.filter(pk=lamp).update(due_at=item(lamp).created_at)
    work()
    assert "light done: found 33" in told(lamp, "outcome")


def test_a_column_that_is_not_of_the_detail_table_is_a_fault_said_by_name(executor):
    executor("light", lambda job: Done("lit", Changes(columns={"phase": "completed"})))
    lamp, _ = submit()
    work()
    assert item(lamp).error == "TypeError: phase: no columns of test_lamps."


@pytest.mark.parametrize("handled_types", ["", "merge, pull_request", " , "])
def test_b5_27_types_that_are_not_handled_are_left_alone(handled_types):
    registry.write(working.setting_specs.HANDLED_TYPES, handled_types)
    lamp, _ = submit()
    assert work() == "The work queue: nothing to do."
    assert (item(lamp).actionable, item(lamp).attempts) == (True, 0)


def test_a_type_that_cannot_work_here_is_not_claimed(monkeypatch):
    hindered = replace(lamps.LAMP, obstacle=lambda: "there is no current")
    monkeypatch.setitem(working.TYPES, "lamp", hindered)
    lamp, _ = submit()
    assert work() == "The work queue: nothing to do."
    assert item(lamp).actionable


def test_b5_50_the_first_dimension_in_need_names_the_action():
    decide = lamps.lamp_rules.decide
    both = Snapshot(item=1, item_type="lamp", phase=Phase.ACTIVE, attempts=0, now=datetime.now(UTC))
    assert decide(both).name == "light"
    assert decide(replace(both, dimensions=(Dimension("needs_light", "", needed=False),))).name == "dust"
    done = tuple(Dimension(name, "", needed=False) for name in lamps.lamp_rules.ACTIONS)
    assert decide(replace(both, dimensions=done)) is None


def test_b5_59_the_decider_is_called_in_one_place():
    sources = (settings.BASE_DIR / "workqueue").rglob("*.py")
    assert [path.name for path in sources if ".decide(" in path.read_text()] == ["deciding.py"]


@pytest.mark.parametrize("end", [SystemExit, KeyboardInterrupt])
def test_b5_60_b5_61_a_worker_that_ends_in_the_middle_leaves_its_item_to_be_found(executor, end):
    def light(job):
        raise end

    executor("light", light)
    lamp, _ = submit()
    with pytest.raises(end):
        work()
    after = item(lamp)
    assert (after.actionable, after.attempts, after.phase, after.lease_token) == (True, 1, "active", None)
