"""F12: which pull requests are considered at all, and what stops one of them or all of an account."""

from __future__ import annotations

import pytest

from core.models import PassRun
from githubapi.client import search
from sandbox.server import search_routes
from tests.github_app import REPOSITORY

pytestmark = pytest.mark.django_db


def test_f12_a_hit_that_was_merged_since_is_read_again_and_refused(world):
    number = world.open()
    world.changes.close_pull_request(REPOSITORY, number, merged=True)
    world.github.state.merging.lagging.append([REPOSITORY, number])
    assert world.verdict_after_tick(number) == "merged"


def test_f12_an_incomplete_search_is_no_search_every_repository_is_listed(world):
    merged, missed, draft = world.open("Merged"), world.open("Missed"), world.open("Draft", draft=True)
    world.changes.close_pull_request(REPOSITORY, merged, merged=True)
    state = world.github.state.merging
    state.lagging += [[REPOSITORY, merged], [REPOSITORY, draft]]
    state.unlisted.append([REPOSITORY, missed])
    state.search_incomplete = True
    counters = world.tick_and_work()
    assert (counters["seen"], counters["drafts_dropped"]) == (2, 1)
    assert world.pull(missed).merged
    assert world.calls(merged) == []


def test_f12_more_hits_than_github_shows_are_listed_by_repository(world, monkeypatch):
    for module in (search, search_routes):
        monkeypatch.setattr(module, "MOST_HITS", 100)
    numbers = [world.changes.open_pull_request(REPOSITORY, f"(HELD) {n}").number for n in range(101)]
    assert world.tick()["held"] == len(numbers)
    assert len(world.github.requests("/repositories/[0-9]+/pulls")) == 2


def test_f12_hits_on_several_pages_are_all_considered(world):
    for number in range(130):
        world.changes.open_pull_request(REPOSITORY, f"(HELD) {number}")
    assert world.tick()["held"] == 130
    assert [logged.query["page"] for logged in world.github.requests("/search/issues")] == ["1", "2"]


@pytest.mark.parametrize("kind", ["truncate", "html", "status"])
def test_f12_an_account_whose_search_fails_is_skipped_counted_and_shown(world, kind):
    world.open()
    world.github.inject("/search/issues", kind, times=None)
    assert world.tick()["accounts_failed"] == 1
    assert world.last.outcome == PassRun.Outcome.FAILED
    assert "account-1" in world.last.error


def test_one_page_that_repeats_another_does_not_pass_for_the_whole(world):
    for number in range(130):
        world.changes.open_pull_request(REPOSITORY, f"(HELD) {number}")
    world.github.inject("/search/issues", "repeat", page=2)
    assert world.tick()["held"] == 130


@pytest.mark.parametrize("status", [404, 410, 451, 500])
def test_one_pull_request_that_cannot_be_read_stops_no_other(world, status):
    lost, fine = world.open("Lost"), world.open("Fine")
    world.github.inject(rf".*/pulls/{lost}", "status", status=status, times=None)
    counters = world.tick()
    assert (counters["refused"], counters["enqueued"], counters["accounts_failed"]) == (1, 1, 0)
    assert (world.statuses(lost), world.statuses(fine)) == ([], ["approved"])


def test_a_throttle_leaves_the_account_alone_until_github_takes_requests_again(world, clock):
    first, second = world.open("First"), world.open("Second")
    world.github.inject(rf".*/pulls/{first}", "secondary_limit", seconds=300)
    counters = world.tick()
    assert (counters["seen"], counters["accounts_failed"]) == (1, 1)
    asked = len(world.github.log)
    clock.shift(minutes=4)
    assert world.tick()["accounts"] == 0
    assert len(world.github.log) == asked
    clock.shift(minutes=2)
    assert world.tick()["enqueued"] == 2
    assert world.statuses(second) == ["approved"]
