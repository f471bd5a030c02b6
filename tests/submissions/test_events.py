"""What happens at GitHub reaches the item it concerns, and ends it when it is over."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from sandbox import payloads
from sandbox.server.changer import person
from submissions.handlers.events import concerned
from tests.github_app import REPOSITORY
from tests.submissions.world import READY, World, hand_in, item, needs, opened
from workqueue.models import WorkItem, WorkItemDimension
from workqueue.values import Event


@pytest.mark.parametrize("event", ["check", "status", "review"])
def test_b5_53_a_finished_check_or_a_review_leads_to_a_look_at_once(world: World, event: str) -> None:
    opened(world, **READY)
    since = len(world.github.log)
    if event == "check":
        world.changes.finish_check(REPOSITORY, 1, "failure")
    elif event == "status":
        world.changes.set_status(REPOSITORY, 1, "failure")
    else:
        world.changes.review(REPOSITORY, 1, "APPROVED")
    world.settle()
    assert "GET /pulls/1" in world.asked(since)


def test_b5_41_a_closing_cancels_and_a_reopening_revives_nothing(world: World) -> None:
    opened(world)
    world.changes.close_pull_request(REPOSITORY, 1)
    world.settle()
    assert item().phase == "cancelled"
    world.changes.reopen_pull_request(REPOSITORY, 1)
    since = len(world.github.log)
    world.settle()
    assert (item().phase, world.asked(since)) == ("cancelled", [])


def test_b5_41_a_merge_by_a_person_completes_and_a_later_closing_cancels_nothing(world: World) -> None:
    opened(world)
    world.changes.close_pull_request(REPOSITORY, 1, merged=True)
    world.settle()
    assert item().phase == "completed"
    world.changes.edit_pull_request(REPOSITORY, 1, merged=False)
    world.changes.close_pull_request(REPOSITORY, 1)
    world.settle()
    assert item().phase == "completed"


def test_b5_40_a_closing_that_no_event_told_of_is_found_by_the_regular_look(world: World) -> None:
    opened(world)
    world.github.hook.receiver = None
    world.changes.close_pull_request(REPOSITORY, 1)
    world.shift(minutes=40)
    world.settle()
    assert item().phase == "cancelled"


def test_b5_42_what_an_event_asks_for_counts_even_when_its_phase_is_stale(world: World) -> None:
    opened(world)
    pull = world.pull()

    world.changes.close_pull_request(REPOSITORY, 1, merged=False)
    world.github.hook._waiting.clear()
    stale = replace(world.pull(), updated_at=pull.updated_at - timedelta(days=1))

    WorkItem.objects.update(last_event_at=pull.updated_at)
    world.github.state.add_thing(pull)
    world.github.hook.emit("pull_request", payloads.pull_request("closed", stale, person("mira")))
    since = len(world.github.log)
    world.settle()
    assert item().phase == "active"
    assert "GET /pulls/1" in world.asked(since)
    assert needs()["needs_reconcile"] == "false"


def test_b5_47_the_regular_looks_of_many_do_not_come_all_at_once(world: World) -> None:
    for number in range(5):
        path = f"bulbs/{number}.txt"
        hand_in(
            head_branch=f"auto/{number}", file_actions=[{"action": "create", "path": path, "content": "x"}]
        )
    world.settle()
    looks = WorkItemDimension.objects.filter(dimension="needs_empty_check").values_list(
        "pending_until", flat=True
    )
    assert len(set(looks)) == 5
    assert all(
        timedelta(minutes=30) <= look - world.clock.now <= timedelta(minutes=36) for look in looks if look
    )


@pytest.mark.parametrize(
    "event,payload", [("check_suite", {}), ("push", {"repository": {"id": 1}}), ("status", [])]
)
def test_an_event_that_lacks_what_it_is_known_by_concerns_nobody(event, payload) -> None:
    asked = concerned(Event(event, "completed", dict(payload)))
    assert asked is None
