"""Pull requests at work while GitHub throttles, refuses, is away, or moves things."""

from __future__ import annotations

from typing import Any

import pytest

from githubapi.client import InstallationClient
from tests.bot.world import DETAIL, FINALIZED, UPDATE, World, columns, told
from tests.clock import DrivenClock
from tests.github_app import INSTALLATION, REPOSITORY


@pytest.mark.parametrize(
    "kind,details,seconds",
    [
        ("secondary_limit", {}, 60),
        ("secondary_limit", {"status": 429, "seconds": 90}, 90),
        ("primary_limit", {"seconds": 55 * 60}, 55 * 60 + 1),
    ],
)
def test_f10_a_throttle_gives_the_row_back_and_holds_that_installation_only(
    world: World, clock: DrivenClock, kind, details, seconds
):
    row, other = world.row(1), world.row(2)
    world.github.inject(rf"/repositories/{REPOSITORY}/pulls/\d+", kind, **details)
    world.work()
    for one in (row, other):
        assert columns(one, "processing_state", "processing_attempts", "idle_retry_count") == {
            "processing_state": "UPDATED",
            "processing_attempts": 0,
            "idle_retry_count": 0,
        }
    assert len(world.github.requests(rf"/repositories/{REPOSITORY}/pulls/\d+")) == 1
    clock.shift(seconds=seconds - 1)
    world.work()
    assert columns(row, "processing_state")["processing_state"] == "UPDATED"
    clock.shift(seconds=1)
    world.work()
    assert columns(row, "processing_state")["processing_state"] == "PROCESSED"


def test_f10_a_plain_refusal_is_permanent_and_says_why(world: World):
    row = world.row()
    world.changes.move_base(REPOSITORY)
    world.github.inject(UPDATE, "status", status=403, message="Resource not accessible by integration")
    world.work()
    found = columns(row, "processing_state", "processing_error", "processed_date")
    assert found["processing_state"] == "PROCESSED"
    assert "Resource not accessible by integration" in found["processing_error"]


def test_out_of_reach_is_permanent_and_says_why(world: World):
    rows = {
        "not_found": world.row(1),
        "no_installation": world.row(2, installation_id=None, repository_id=None, repository_name="unknown"),
        "suspended": None,
    }
    world.github.state.things[REPOSITORY].pop(1)
    world.work()
    world.changes.suspend(INSTALLATION)
    rows["suspended"] = world.row(3)
    world.work()
    for word, row in rows.items():
        found = columns(row, "processing_state", "processing_error", "idle_retry_count")
        assert (found["processing_state"], found["processing_error"].partition(":")[0]) == ("PROCESSED", word)


def test_a_wrong_key_finalizes_nothing(world: World, clock: DrivenClock):
    row = world.row()
    world.github.inject(r"/app/installations/.*", "status", status=401, message="Bad credentials", times=None)
    world.work()
    assert columns(row, "processing_state", "processing_attempts") == {
        "processing_state": "UPDATED",
        "processing_attempts": 0,
    }


def test_a_row_of_another_program_is_found_by_name_and_follows_a_rename(world: World):
    world.changes.rename_repository(REPOSITORY, "renamed")
    row = world.row(repository_id=None, repository_name="repository-1")
    world.work()
    assert columns(row, "repository_name", "repository_id", "processing_state") == {
        "repository_name": "renamed",
        "repository_id": REPOSITORY,
        "processing_state": "PROCESSED",
    }


def test_a_redirect_whose_repository_has_another_name_now_takes_the_name_over(
    world: World, clock: DrivenClock
):
    row, sibling = world.row(1), world.row(2, processing_state="PROCESSED")
    world.changes.rename_repository(REPOSITORY, "renamed")
    world.github.inject(DETAIL, "redirect", location=f"{world.github.url}/repositories/999/pulls/1")
    world.work()
    assert columns(row, "repository_name", "processing_state", "processing_attempts") == {
        "repository_name": "renamed",
        "processing_state": "UPDATED",
        "processing_attempts": 0,
    }
    assert columns(sibling, "repository_name")["repository_name"] == "renamed"
    clock.shift(seconds=1)
    world.work()
    assert columns(row, *FINALIZED) == FINALIZED


def test_a_repository_that_another_one_took_the_place_of_is_out_of_reach(world: World):
    row = world.row()
    world.github.inject(DETAIL, "redirect", location=f"{world.github.url}/repositories/999/pulls/1")
    world.work()
    found = columns(row, "processing_state", "processing_error")
    assert (found["processing_state"], found["processing_error"].partition(":")[0]) == ("PROCESSED", "moved")


def test_an_event_during_the_work_is_not_swallowed(world: World, monkeypatch: pytest.MonkeyPatch):
    row = world.row()
    compare = InstallationClient.compare

    def edited_meanwhile(*arguments: Any) -> Any:
        monkeypatch.undo()
        world.changes.edit_pull_request(REPOSITORY, 1, title="Changed meanwhile")
        world.deliver()
        return compare(*arguments)

    monkeypatch.setattr(InstallationClient, "compare", edited_meanwhile)
    world.work()
    kinds = [kind for kind, _ in told(row)]
    assert kinds == ["claim", "event", "claim", "finalize"]
    assert columns(row, "title", "processing_state") == {
        "title": "Changed meanwhile",
        "processing_state": "PROCESSED",
    }


def test_while_a_moved_repository_cannot_be_asked_for_the_row_waits(world: World):
    row = world.row()
    world.github.inject(DETAIL, "redirect", location=f"{world.github.url}/repositories/999/pulls/1")
    world.github.inject(rf"/repositories/{REPOSITORY}", "status", status=502, times=None)
    world.work()
    assert columns(row, "processing_state", "processing_attempts") == {
        "processing_state": "UPDATED",
        "processing_attempts": 0,
    }
