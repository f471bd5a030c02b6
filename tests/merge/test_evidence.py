"""What is asked of GitHub before a merge: completely, or it counts as not known (F01, F02, F12, F16 at the wire)."""

from __future__ import annotations

from typing import Any

import pytest

from core.models import PassRun
from merge import setting_specs
from tests.github_app import APP_ID, REPOSITORY
from tests.merge.world import World

pytestmark = pytest.mark.django_db


def code_after_tick(world: World, number: int) -> str:
    world.tick()
    return world.verdict(number).code


def proposed(world: World, number: int) -> bool:
    world.tick()
    return bool(world.statuses(number))


# --- F16: files ------------------------------------------------------------------------------------------------------


def regular(name: str, **more: str) -> dict[str, str]:
    return {"filename": name, **more}


@pytest.mark.parametrize(
    "files,code",
    [
        ([regular("docs/a.md", previous_filename="src/a.py", status="renamed")], "not_docs_only"),
        ([regular("docs/conf.py")], "not_docs_only"),
        ([regular("docs/../src/x.md")], "not_docs_only"),
        ([regular("docs/link.md", mode="120000")], "not_regular_files"),
        ([regular("docs/lib.md", mode="160000")], "not_regular_files"),
        ([regular("docs/gone.md", mode="120000", status="removed")], "not_regular_files"),
        ([regular("requirements.txt")], "not_docs_only"),
        ([regular("CMakeLists.txt")], "not_docs_only"),
        ([regular("AGENTS.md")], "not_docs_only"),
        ([regular(".github/copilot-instructions.md")], "not_docs_only"),
        ([regular("docs/a.md"), regular("src/b.py")], "not_docs_only"),
    ],
)
def test_f16_no_such_change_is_proposed(world, files, code):
    assert code_after_tick(world, world.open(files=files)) == code


@pytest.mark.parametrize(
    "files",
    [
        [regular("Docs/x.MD")],
        [regular("docs/a.md", previous_filename="docs/b.md", status="renamed")],
        [regular("docs/new.md", status="added")],
        [regular("docs/old.md", status="removed")],
        [regular("README"), regular("docs/deep/er/guide.rst"), regular("LICENSE.txt", mode="100755")],
        [regular(f"docs/{n}.md") for n in range(230)],
    ],
)
def test_f16_documents_are_proposed_wherever_they_are_and_however_many(world, files):
    assert proposed(world, world.open(files=files))


def test_f16_a_list_that_is_cut_is_not_believed(world):
    """GitHub lists three thousand files, whatever more there are."""
    number = world.open(files=[regular(f"docs/{n}.md") for n in range(3050)])
    assert code_after_tick(world, number) == "files_incomplete"


def test_f16_a_change_without_files_is_no_documentation(world):
    number = world.open()
    world.github.state.merging.files[REPOSITORY][number] = []
    world.changes.edit_pull_request(REPOSITORY, number, changed_files=0)
    assert code_after_tick(world, number) == "no_files"


def test_f16_a_file_that_github_lists_and_does_not_show_is_not_known(world):
    number = world.open()
    world.github.inject(".*/git/trees/.*", "body", text='{"sha": "x", "truncated": false, "tree": []}')
    assert code_after_tick(world, number) == "file_not_found"


@pytest.mark.parametrize(
    "part,kind",
    [
        (".*/files", "status"),
        (".*/files", "truncate"),
        (".*/files", "html"),
        (".*/git/trees/.*", "status"),
        (".*/check-runs", "status"),
        (".*/commits/.*/status", "truncate"),
        (".*/reviews", "status"),
        (".*/rules/branches/main", "status"),
        (".*/branches/main", "html"),
    ],
)
def test_whatever_cannot_be_read_refuses_for_this_time_only(world, part, kind):
    number = world.open()
    world.github.inject(part, kind, times=None)
    assert code_after_tick(world, number) == "unanswered"
    assert (world.statuses(number), world.last.counters["refused: unanswered"]) == ([], 1)
    world.github.heal()
    assert proposed(world, number)


def test_a_folder_that_github_lists_in_part_only_is_not_known(world):
    number = world.open()
    world.github.inject(".*/git/trees/.*", "body", text='{"sha": "x", "truncated": true, "tree": []}')
    assert code_after_tick(world, number) == "unanswered"


# --- F01, F02: checks ------------------------------------------------------------------------------------------------


def test_f01_without_any_check_it_waits_an_hour_and_then_reads_no_checks(world, clock):
    number = world.open(green=False)
    assert code_after_tick(world, number) == "checks_missing"
    clock.shift(minutes=59)
    assert code_after_tick(world, number) == "checks_missing"
    clock.shift(minutes=1)
    assert code_after_tick(world, number) == "no_checks"
    assert world.merge_calls() == []


def test_f01_a_required_check_that_is_missing_is_waited_for(world, clock):
    world.changes.demand(REPOSITORY, required=[["build", None]])
    number = world.open(green=False)
    world.changes.finish_check(REPOSITORY, number, "success", name="lint")
    assert code_after_tick(world, number) == "required_missing"
    clock.shift(hours=1)
    assert code_after_tick(world, number) == "no_checks"


def test_f01_only_a_repository_named_in_the_setting_merges_without_checks(world):
    number = world.open(green=False)
    world.set(setting_specs.ALLOW_WITHOUT_CHECKS, "other/thing, Account-1/Repository-1")
    world.tick_and_work()
    assert world.pull(number).merged


def test_the_setting_takes_names_of_repositories_only():
    with pytest.raises(ValueError, match="owner/name"):
        setting_specs.ALLOW_WITHOUT_CHECKS.parse("everything")


def test_f02_a_green_status_beside_a_running_check_waits(world):
    number = world.open(green=False)
    world.changes.set_status(REPOSITORY, number, "success")
    world.changes.start_check(REPOSITORY, number)
    assert code_after_tick(world, number) == "checks_running"


def test_f02_check_runs_alone_are_green_though_the_combined_status_says_pending(world):
    assert proposed(world, world.open())


def test_f02_a_failure_on_the_second_page_is_seen(world):
    number = world.open(green=False)
    for run in range(35):
        conclusion = "failure" if run == 34 else "success"
        world.changes.finish_check(REPOSITORY, number, conclusion, name=f"check {run:02}")
    assert code_after_tick(world, number) == "checks_failed"
    assert "check 34" in world.verdict(number).sentence


def test_f02_a_rerun_replaces_what_failed_before(world):
    number = world.open(green=False)
    world.changes.finish_check(REPOSITORY, number, "failure")
    assert code_after_tick(world, number) == "checks_failed"
    world.changes.repeat_check(REPOSITORY, number, "success")
    assert proposed(world, number)


def test_f02_another_apps_check_of_the_same_name_replaces_nothing(world):
    number = world.open(green=False)
    world.changes.finish_check(REPOSITORY, number, "failure")
    world.changes.repeat_check(REPOSITORY, number, "success", app_id=99)
    assert code_after_tick(world, number) == "checks_failed"


# --- what the branch demands -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("source", ["required", "protected"])
def test_both_sources_of_required_checks_are_read(world, source):
    world.changes.demand(REPOSITORY, **{source: [["lint", None]]})
    assert code_after_tick(world, world.open()) == "required_missing"


@pytest.mark.parametrize("part", [".*/rules/branches/main", "/repositories/[0-9]+/branches/main"])
@pytest.mark.parametrize("status", [403, 404])
def test_one_source_that_is_hidden_leaves_the_other(world, part, status):
    world.github.inject(part, "status", status=status, message="Upgrade to see this", times=None)
    assert proposed(world, world.open())


def test_when_both_are_hidden_it_is_refused_with_that_reason(world):
    number = world.open()
    world.github.inject(".*/branches/main", "status", status=403, message="Upgrade to see this", times=None)
    assert code_after_tick(world, number) == "demands_unreadable"


def test_a_branch_that_demands_a_merge_queue_is_refused_and_said_so(world):
    world.changes.demand(REPOSITORY, merge_queue=True)
    number = world.open()
    assert code_after_tick(world, number) == "merge_queue"
    assert "merge queue" in world.verdict(number).sentence


def test_f14_three_unknown_answers_are_called_unknown(world, clock):
    number = world.open()
    world.changes.judge(REPOSITORY, number, None, "unknown")
    codes = []
    for _ in range(4):
        codes.append(code_after_tick(world, number))
        clock.shift(minutes=10)
    assert codes == ["mergeable_unknown", "mergeable_unknown", "unknown", "unknown"]
    world.changes.judge(REPOSITORY, number, True, "clean")
    assert proposed(world, number)


# --- F12: the search -------------------------------------------------------------------------------------------------


def test_f12_a_hit_that_was_merged_since_is_read_again_and_refused(world):
    number = world.open()
    world.changes.close_pull_request(REPOSITORY, number, merged=True)
    world.github.state.merging.lagging.append([REPOSITORY, number])
    assert code_after_tick(world, number) == "merged"


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
    from githubapi.client import search
    from sandbox.server import search_routes

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


# --- saying so on GitHub ---------------------------------------------------------------------------------------------


def reports(world: World) -> list[Any]:
    return world.github.requests(".*/check-runs", verb="POST")


def test_nothing_is_said_on_github_unless_the_setting_is_on(world):
    world.open(green=False)
    world.tick()
    assert reports(world) == []


def test_each_reason_is_said_once_by_a_check_run_that_counts_as_no_evidence(world, clock):
    world.set(setting_specs.REPORT, "on")
    number = world.open(green=False)
    for _ in range(3):
        world.tick()
    (said,) = reports(world)
    assert "No check has reported" in said.sent
    clock.shift(hours=1)
    assert code_after_tick(world, number) == "no_checks"
    assert len(reports(world)) == 2
    assert setting_specs.REPORT.default is False
    assert int(APP_ID) == world.github.state.app_id


def test_an_app_that_may_not_write_checks_judges_all_the_same(world):
    world.set(setting_specs.REPORT, "on")
    world.github.inject(
        ".*/check-runs", "status", verb="POST", status=403, message="not accessible", times=None
    )
    assert code_after_tick(world, world.open(green=False)) == "checks_missing"
