"""What is asked of GitHub before a merge: completely, or it counts as not known (F01, F02, F12, F16 at the wire)."""

from __future__ import annotations

import pytest

from merge import setting_specs
from tests.github_app import REPOSITORY
from tests.merge.world import World

pytestmark = pytest.mark.django_db


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
    assert world.verdict_after_tick(world.open(files=files)) == code


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
    assert world.verdict_after_tick(number) == "files_incomplete"


def test_f16_a_change_without_files_is_no_documentation(world):
    number = world.open()
    world.github.state.merging.files[REPOSITORY][number] = []
    world.changes.edit_pull_request(REPOSITORY, number, changed_files=0)
    assert world.verdict_after_tick(number) == "no_files"


def test_f16_a_file_that_github_lists_and_does_not_show_is_not_known(world):
    number = world.open()
    world.github.inject(".*/git/trees/.*", "body", text='{"sha": "x", "truncated": false, "tree": []}')
    assert world.verdict_after_tick(number) == "file_not_found"


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
    assert world.verdict_after_tick(number) == "unanswered"
    assert (world.statuses(number), world.last.counters["refused: unanswered"]) == ([], 1)
    world.github.heal()
    assert proposed(world, number)


def test_a_folder_that_github_lists_in_part_only_is_not_known(world):
    number = world.open()
    world.github.inject(".*/git/trees/.*", "body", text='{"sha": "x", "truncated": true, "tree": []}')
    assert world.verdict_after_tick(number) == "unanswered"


# --- F01, F02: checks ------------------------------------------------------------------------------------------------


def test_f01_without_any_check_it_waits_an_hour_and_then_reads_no_checks(world, clock):
    number = world.open(green=False)
    assert world.verdict_after_tick(number) == "checks_missing"
    clock.shift(minutes=59)
    assert world.verdict_after_tick(number) == "checks_missing"
    clock.shift(minutes=1)
    assert world.verdict_after_tick(number) == "no_checks"
    assert world.merge_calls() == []


def test_f01_a_required_check_that_is_missing_is_waited_for(world, clock):
    world.changes.demand(REPOSITORY, required=[["build", None]])
    number = world.open(green=False)
    world.changes.finish_check(REPOSITORY, number, "success", name="lint")
    assert world.verdict_after_tick(number) == "required_missing"
    clock.shift(hours=1)
    assert world.verdict_after_tick(number) == "no_checks"


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
    assert world.verdict_after_tick(number) == "checks_running"


def test_f02_check_runs_alone_are_green_though_the_combined_status_says_pending(world):
    assert proposed(world, world.open())


def test_f02_a_failure_on_the_second_page_is_seen(world):
    number = world.open(green=False)
    for run in range(35):
        conclusion = "failure" if run == 34 else "success"
        world.changes.finish_check(REPOSITORY, number, conclusion, name=f"check {run:02}")
    assert world.verdict_after_tick(number) == "checks_failed"
    assert "check 34" in world.verdict(number).sentence


def test_f02_a_rerun_replaces_what_failed_before(world):
    number = world.open(green=False)
    world.changes.finish_check(REPOSITORY, number, "failure")
    assert world.verdict_after_tick(number) == "checks_failed"
    world.changes.repeat_check(REPOSITORY, number, "success")
    assert proposed(world, number)


def test_f02_another_apps_check_of_the_same_name_replaces_nothing(world):
    number = world.open(green=False)
    world.changes.finish_check(REPOSITORY, number, "failure")
    world.changes.repeat_check(REPOSITORY, number, "success", app_id=99)
    assert world.verdict_after_tick(number) == "checks_failed"


# --- what the branch demands -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("source", ["required", "protected"])
def test_both_sources_of_required_checks_are_read(world, source):
    world.changes.demand(REPOSITORY, **{source: [["lint", None]]})
    assert world.verdict_after_tick(world.open()) == "required_missing"


@pytest.mark.parametrize("part", [".*/rules/branches/main", "/repositories/[0-9]+/branches/main"])
@pytest.mark.parametrize("status", [403, 404])
def test_one_source_that_is_hidden_leaves_the_other(world, part, status):
    world.github.inject(part, "status", status=status, message="Upgrade to see this", times=None)
    assert proposed(world, world.open())


def test_when_both_are_hidden_it_is_refused_with_that_reason(world):
    number = world.open()
    world.github.inject(".*/branches/main", "status", status=403, message="Upgrade to see this", times=None)
    assert world.verdict_after_tick(number) == "demands_unreadable"


def test_a_branch_that_demands_a_merge_queue_is_refused_and_said_so(world):
    world.changes.demand(REPOSITORY, merge_queue=True)
    number = world.open()
    assert world.verdict_after_tick(number) == "merge_queue"
    assert "merge queue" in world.verdict(number).sentence


def test_f14_three_unknown_answers_are_called_unknown(world, clock):
    number = world.open()
    world.changes.judge(REPOSITORY, number, None, "unknown")
    codes = []
    for _ in range(4):
        codes.append(world.verdict_after_tick(number))
        clock.shift(minutes=10)
    assert codes == ["mergeable_unknown", "mergeable_unknown", "unknown", "unknown"]
    world.changes.judge(REPOSITORY, number, True, "clean")
    assert proposed(world, number)
