"""B2: the guards of the poller, in their order, each with its counter; the classifier never sees what they stop."""

from __future__ import annotations

import json

import pytest

from core.models import PassRun
from core.passes import run_pass
from merge import setting_specs
from merge.passes import MERGE
from merge.services import approving, considering
from sandbox import pulls
from tests.factories import InstallationFactory
from tests.github_app import INSTALLATION, REPOSITORY
from tests.merge.world import CODE, World

pytestmark = pytest.mark.django_db


@pytest.fixture
def judged(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The numbers that the classifier was asked about."""
    asked: list[int] = []

    def listening(place, detail, settings, **more):
        asked.append(detail.facts.number)
        return original(place, detail, settings, **more)

    original = considering.judge
    monkeypatch.setattr(considering, "judge", listening)
    return asked


def fail_once(world: World, number: int) -> None:
    """Let a merge of a pull request fail."""
    world.tick()
    world.github.inject(
        rf".*/pulls/{number}/merge", "status", status=405, message="Pull Request is not mergeable"
    )
    world.work()
    assert world.statuses(number) == ["failed"]


def test_b2_01_a_green_pull_request_of_documents_is_merged(world, judged):
    number = world.open()
    counters = world.tick()
    assert (counters["seen"], counters["enqueued"]) == (1, 1)
    assert world.statuses(number) == ["approved"]
    world.work()
    assert world.pull(number).merged
    assert (world.statuses(number), judged) == (["done"], [number])


def test_b2_01_the_pass_is_off_until_somebody_switches_it_on_and_ticks_every_ten_minutes(world, clock):
    assert setting_specs.SWITCH.enabled.default is False
    assert setting_specs.INTERVAL_MINUTES.default == 10
    run_pass(MERGE)
    clock.shift(minutes=9, seconds=59)
    assert run_pass(MERGE).run is None
    clock.shift(seconds=1)
    assert run_pass(MERGE).run is not None


def test_b2_03_one_that_turns_green_later_is_found_later(world):
    number = world.open(green=False)
    world.changes.start_check(REPOSITORY, number)
    assert world.tick()["waiting: checks_running"] == 1
    world.changes.finish_check(REPOSITORY, number, "success")
    world.tick_and_work()
    assert world.pull(number).merged


def test_b2_04_the_search_asks_for_open_pull_requests_that_are_no_drafts(world):
    world.open(draft=True)
    assert world.tick()["seen"] == 0
    (asked,) = world.github.requests("/search/issues")
    assert asked.query["q"] == "is:pr state:open draft:false user:account-1"


def test_b2_05_an_item_still_marked_draft_is_dropped_whatever_the_search_says(world, judged):
    number = world.open(draft=True)
    world.github.state.merging.lagging.append([REPOSITORY, number])
    assert world.tick()["drafts_dropped"] == 1
    assert (judged, world.calls(number)) == ([], [])


def test_b2_05_one_that_became_a_draft_since_is_dropped_after_it_was_read(world, judged):
    number = world.open()
    inject_stale_hit(world, number, draft=False)
    world.changes.edit_pull_request(REPOSITORY, number, draft=True)
    assert world.tick()["drafts_dropped"] == 1
    assert (judged, world.calls(number)) == ([], [""])


def inject_stale_hit(world: World, number: int, *, draft: bool) -> None:
    """Let the search show a pull request as it is now, whatever becomes of it."""
    item = pulls.issue(world.pull(number)) | {"draft": draft, "score": 1.0}
    text = json.dumps({"total_count": 1, "incomplete_results": False, "items": [item]})
    world.github.inject("/search/issues", "body", text=text)


@pytest.mark.parametrize("title", ["(HELD) a runbook", "A runbook (held)", "Run(Held)book"])
def test_b2_06_a_held_one_is_skipped(world, judged, title):
    world.open(title)
    assert world.tick()["held"] == 1
    assert judged == []


def test_b2_07_the_held_check_asks_neither_the_database_nor_github(world, django_assert_num_queries):
    number = world.open("(HELD) a runbook")
    with django_assert_num_queries(0):
        found = considering.consider(None, number, "(HELD) a runbook", None)
    assert (found.ending, world.calls(number)) == ("held", [])


def test_b2_06_one_that_was_held_since_the_search_is_skipped_before_the_classifier(world, judged):
    number = world.open()
    inject_stale_hit(world, number, draft=False)
    world.changes.edit_pull_request(REPOSITORY, number, title="(HELD) not yet")
    assert world.tick()["held"] == 1
    assert judged == []


def test_b2_08_one_in_flight_is_skipped_before_any_github_call(world, judged):
    number = world.open()
    world.tick()
    calls = len(world.calls(number))
    assert world.tick()["in_flight"] == 1
    assert (len(world.calls(number)), judged) == (calls, [number])


def test_b2_08_a_rejected_one_blocks_its_head_and_no_other(world, judged):
    number = world.open()
    world.tick()
    approving.reject(world.newest(number).pk, actor="mira", reason="not before the fair")
    assert world.tick()["in_flight"] == 1
    assert judged == [number]
    world.push(number)
    world.tick_and_work()
    assert world.statuses(number) == ["done", "rejected"]


def test_b2_09_one_whose_merge_failed_is_skipped_before_the_classifier(world, judged, clock):
    number = world.open()
    fail_once(world, number)
    judged.clear()
    calls = len(world.calls(number))
    assert world.tick()["backed_off"] == 1
    assert (judged, len(world.calls(number))) == ([], calls)


def test_b2_11_a_failure_of_ten_minutes_backs_off_and_one_past_the_window_does_not(world, clock):
    number = world.open()
    fail_once(world, number)
    clock.shift(minutes=10)
    assert world.tick()["backed_off"] == 1
    clock.shift(hours=5, minutes=49, seconds=59)
    assert world.tick()["backed_off"] == 1
    clock.shift(minutes=5)
    assert world.tick()["enqueued"] == 1


def test_b2_12_a_failed_one_is_not_enqueued_again_on_the_next_tick_but_after_the_window_by_a_new_item(
    world, clock
):
    number = world.open()
    fail_once(world, number)
    for _ in range(35):
        clock.shift(minutes=10)
        world.tick_and_work()
    assert world.statuses(number) == ["failed"]
    clock.shift(minutes=10)
    world.tick_and_work()
    assert world.statuses(number) == ["done", "failed"]


def test_b2_10_nothing_stopped_by_a_guard_reaches_the_classifier(world, judged):
    failed = world.open("Failed")
    fail_once(world, failed)
    in_flight = world.open("In flight")
    world.tick()
    assert world.statuses(in_flight) == ["approved"]
    world.open("(HELD) a runbook")
    draft = world.open("A draft", draft=True)
    world.github.state.merging.lagging.append([REPOSITORY, draft])
    fine = world.open("Fine")
    judged.clear()
    counters = world.tick()
    expected = {"held": 1, "drafts_dropped": 1, "in_flight": 1, "backed_off": 1, "seen": 5, "enqueued": 1}
    assert {name: counters[name] for name in expected} == expected
    assert judged == [fine]


@pytest.mark.parametrize(
    "title, guard", [("(HELD) a runbook", "guard_title"), ("A failed one", "guard_past")]
)
def test_b2_17_without_its_guard_a_held_or_failed_one_reaches_the_classifier(
    world, judged, monkeypatch, title, guard
):
    """The removal check: what the tests above see kept away is kept away by these two, and by nothing else."""
    number = world.open(title)
    if guard == "guard_past":
        fail_once(world, number)
    judged.clear()
    monkeypatch.setattr(considering, guard, lambda *_: None)
    world.tick()
    assert judged == [number]


def test_b2_13_the_backoff_is_a_setting(world, clock):
    world.set(setting_specs.BACKOFF_HOURS, "1")
    number = world.open()
    fail_once(world, number)
    clock.shift(minutes=59)
    assert world.tick()["backed_off"] == 1
    clock.shift(minutes=1)
    assert world.tick()["enqueued"] == 1
    assert setting_specs.BACKOFF_HOURS.default == 6


def test_b2_16_a_fixed_pull_request_waits_for_the_window_and_the_setting_says_so(world, clock):
    number = world.open()
    fail_once(world, number)
    world.push(number)
    assert world.tick()["backed_off"] == 1
    assert "up to merge.failure-backoff-hours" in setting_specs.BACKOFF_SCOPE.description


def test_b2_19_keyed_to_the_head_a_fixed_pull_request_need_not_wait(world, clock):
    world.set(setting_specs.BACKOFF_SCOPE, "head_sha")
    number = world.open()
    fail_once(world, number)
    assert world.tick()["backed_off"] == 1
    world.push(number)
    world.tick_and_work()
    assert world.statuses(number) == ["done", "failed"]


def test_b2_14_every_counter_is_in_the_record_of_a_quiet_run_b2_15(world):
    assert world.tick() | {"requests": 0, "remaining_quota": 0} == {
        "accounts": 1,
        "accounts_failed": 0,
        "seen": 0,
        "drafts_dropped": 0,
        "held": 0,
        "in_flight": 0,
        "backed_off": 0,
        "refused": 0,
        "waiting": 0,
        "enqueued": 0,
        "requests": 0,
        "remaining_quota": 0,
    }


def test_b2_15_a_broken_run_says_which_account_failed_and_the_others_go_on(world):
    InstallationFactory(installation_id=INSTALLATION + 5, account_login="stranger")
    number = world.open()
    counters = world.tick()
    assert (counters["accounts"], counters["accounts_failed"], counters["enqueued"]) == (2, 1, 1)
    assert world.last.outcome == PassRun.Outcome.FAILED
    assert "stranger" in world.last.error
    assert world.statuses(number) == ["approved"]


def test_a_refusal_is_counted_by_its_reason_and_code_is_never_proposed(world):
    number = world.open(files=CODE)
    counters = world.tick_and_work()
    assert (counters["refused"], counters["refused: not_docs_only"]) == (1, 1)
    assert (world.statuses(number), world.merge_calls()) == ([], [])


def test_what_only_a_new_head_can_change_is_not_asked_again(world, judged):
    number = world.open(files=CODE)
    for _ in range(3):
        world.tick()
    assert judged == [number]
    assert world.calls(number).count("/files") == 1
    world.push(number)
    world.changes.change_files(REPOSITORY, number, [{"filename": "README.md"}])
    world.tick_and_work()
    assert world.pull(number).merged
