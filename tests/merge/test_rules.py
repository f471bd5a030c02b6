"""The rules over an all-green snapshot, one field spoiled at a time."""

from __future__ import annotations

from dataclasses import fields, replace
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from githubapi.merging_values import Review
from merge.rules.order import CLASSIFIER, EXECUTOR, decide_merge
from merge.values import ELIGIBLE, Demands, FileMode, Part, Snapshot, Standing, Verdict
from tests.merge.made import ALL_GREEN, NEXT_HEAD, changed, checks, green_but, required, run, touching

HOUR = timedelta(hours=1)


def judged(snapshot: Snapshot) -> Verdict:
    verdict = decide_merge(snapshot)
    assert isinstance(verdict, Verdict)
    return verdict


def test_everything_green_is_eligible():
    assert judged(ALL_GREEN) == ELIGIBLE
    assert decide_merge(ALL_GREEN, EXECUTOR) == ELIGIBLE


SPOILED: dict[str, tuple[dict[str, Any], Standing]] = {
    "merged": ({"merged": True, "state": "closed"}, Standing.REFUSED),
    "closed": ({"state": "closed"}, Standing.REFUSED),
    "held": ({"title": "Explain (Held) the retries"}, Standing.REFUSED),
    "draft": ({"draft": True}, Standing.REFUSED),
    "head_moved": ({"pinned_sha": NEXT_HEAD}, Standing.REFUSED),
    "not_docs_only": ({"files": (changed("src/a.py"),)}, Standing.SCOPE),
    "files_incomplete": ({"changed_files": 2}, Standing.REFUSED),
    "no_files": ({"files": (), "changed_files": 0}, Standing.REFUSED),
    "many_folders": (
        {"files": tuple(changed(f"docs/{n}/a.md") for n in range(31)), "changed_files": 31},
        Standing.SCOPE,
    ),
    "not_regular_files": ({"modes": (FileMode("docs/retries.md", "120000"),)}, Standing.SCOPE),
    "file_not_found": ({"modes": (FileMode("docs/retries.md", ""),)}, Standing.REFUSED),
    "demands_unreadable": ({"demands": Demands(None)}, Standing.REFUSED),
    "merge_queue": ({"demands": Demands((), merge_queue=True)}, Standing.REFUSED),
    "changes_requested": ({"reviews": (Review("mira", "CHANGES_REQUESTED"),)}, Standing.REFUSED),
    "conflict": ({"mergeable": False, "mergeable_state": "dirty"}, Standing.REFUSED),
    "mergeable_unknown": ({"mergeable": None, "mergeable_state": "unknown"}, Standing.WAITING),
    "unknown": ({"mergeable": None, "unknown_reads": 3}, Standing.REFUSED),
    "checks_failed": ({"checks": checks(run(conclusion="failure"))}, Standing.REFUSED),
    "checks_running": ({"checks": checks(run(conclusion=None))}, Standing.WAITING),
    "checks_missing": ({"checks": checks()}, Standing.WAITING),
    "no_checks": ({"checks": checks(), "head_age": HOUR}, Standing.REFUSED),
    "no_success": ({"checks": checks(run(conclusion="neutral"))}, Standing.REFUSED),
    "required_missing": ({"demands": required("build", "lint")}, Standing.WAITING),
    "blocked": ({"mergeable_state": "blocked"}, Standing.REFUSED),
    "behind": ({"mergeable_state": "behind"}, Standing.REFUSED),
}


@pytest.mark.parametrize("code", SPOILED)
def test_one_field_spoiled_is_enough_to_refuse(code):
    members, standing = SPOILED[code]
    verdict = judged(green_but(**members))
    assert (verdict.code, verdict.standing) == (code, standing)
    assert verdict.sentence.endswith((".", "”."))
    assert (verdict.again is not None) == (standing is Standing.WAITING)


def test_every_member_that_a_rule_reads_is_spoiled_above():
    """What is only named in sentences, or a length of time, spoils nothing by itself."""
    told = {"repository", "number", "head_sha", "base_ref", "base_sha", "may_lack_checks"}
    spoiled = {name for members, _ in SPOILED.values() for name in members}
    assert {field.name for field in fields(Snapshot)} - told == spoiled


@pytest.mark.parametrize("rule", CLASSIFIER, ids=lambda rule: rule.judge.__module__.rpartition(".")[2])
def test_no_rule_could_be_left_out(rule):
    """Without it, at least one spoiled snapshot would be called eligible, or for another reason."""
    others = [other for other in CLASSIFIER if other is not rule]
    changed_by_it = [
        code
        for code, (members, _) in SPOILED.items()
        if decide_merge(green_but(**members), others) != judged(green_but(**members))
    ]
    assert changed_by_it


OF_SCOPE = {
    "not_docs_only",
    "files_incomplete",
    "no_files",
    "not_regular_files",
    "file_not_found",
    "many_folders",
}


@pytest.mark.parametrize("code", sorted(OF_SCOPE))
def test_what_a_person_approved_is_carried_out_whatever_it_touches(code):
    assert decide_merge(green_but(**SPOILED[code][0]), EXECUTOR) == ELIGIBLE


@pytest.mark.parametrize("code", sorted(set(SPOILED) - OF_SCOPE))
def test_what_a_person_approved_must_be_green_all_the_same(code):
    verdict = decide_merge(green_but(**SPOILED[code][0]), EXECUTOR)
    assert isinstance(verdict, Verdict)
    assert verdict.code == code


@pytest.mark.parametrize("part", Part)
def test_a_part_is_asked_for_only_when_a_rule_needs_it(part):
    assert decide_merge(green_but(**{part.value: None})) == part
    assert judged(green_but(draft=True, **dict.fromkeys(Part, None))).code == "draft"


def test_code_outside_documents_costs_no_call_beyond_its_files():
    bare = green_but(modes=None, demands=None, reviews=None, checks=None, files=(changed("src/a.py"),))
    assert judged(bare).code == "not_docs_only"


def test_what_only_a_new_head_can_change_is_kept_and_nothing_else():
    kept = {code for code, (members, _) in SPOILED.items() if judged(green_but(**members)).kept}
    assert kept == {"not_docs_only", "many_folders", "not_regular_files"}


# --- the walk --------------------------------------------------------------------------------------------------------

some_spoils = st.lists(st.sampled_from(sorted(SPOILED)), min_size=1, max_size=6)


@given(some_spoils)
def test_however_many_fields_are_spoiled_nothing_becomes_eligible(codes):
    """Spoils of the same member replace each other; whichever stands last is still a spoil."""
    members: dict[str, Any] = {}
    for code in codes:
        members |= SPOILED[code][0]
    assert judged(green_but(**members)).standing is not Standing.ELIGIBLE


@given(st.sets(st.sampled_from(list(Part))))
def test_the_walk_asks_for_each_missing_part_once_and_ends(missing):
    snapshot, asked = green_but(**dict.fromkeys(missing, None)), []
    while isinstance(answer := decide_merge(snapshot), Part):
        asked.append(answer)
        snapshot = replace(snapshot, **{answer.value: getattr(ALL_GREEN, answer.value)})
    assert (set(asked), len(asked), answer) == (missing, len(missing), ELIGIBLE)


words = st.sampled_from("success neutral skipped failure cancelled timed_out action_required stale".split())
runs = st.lists(st.tuples(st.sampled_from("abc"), st.none() | words), max_size=6)
states = st.dictionaries(st.sampled_from("abc"), st.sampled_from(["success", "pending", "failure", "error"]))


@given(runs, states)
def test_green_means_all_complete_none_bad_and_one_good(drawn, contexts):
    made = [run(name, word, number=number, app=number) for number, (name, word) in enumerate(drawn)]
    verdict = judged(green_but(checks=checks(*made, **contexts), demands=required()))
    found = [word for _, word in drawn] + list(contexts.values())
    good = set(found) <= {"success", "neutral", "skipped"} and "success" in found
    assert (verdict == ELIGIBLE) == good


# --- field cases -----------------------------------------------------------------------------------------------------


def test_f01_nothing_reported_waits_and_after_an_hour_it_is_called_no_checks():
    young = green_but(checks=checks(), demands=required(), head_age=HOUR - timedelta(seconds=1))
    assert judged(young).standing is Standing.WAITING
    assert judged(replace(young, head_age=HOUR)).code == "no_checks"
    assert judged(replace(young, head_age=HOUR)).sentence.startswith("No checks")


def test_f01_a_required_check_that_is_missing_is_no_success_of_another():
    young = green_but(checks=checks(run("lint")), demands=required("build"))
    assert judged(young).code == "required_missing"
    assert judged(replace(young, head_age=HOUR)).code == "no_checks"


def test_f01_only_the_setting_of_a_repository_allows_merging_without_checks():
    bare = green_but(checks=checks(), demands=required(), head_age=HOUR)
    assert judged(replace(bare, may_lack_checks=True)) == ELIGIBLE
    assert judged(replace(bare, may_lack_checks=True, demands=required("build"))).code == "no_checks"


def test_f02_one_system_green_and_the_other_still_running_is_not_green():
    assert judged(green_but(checks=checks(run("build", None), ci="success"))).code == "checks_running"
    assert judged(green_but(checks=checks(run("build"), ci="pending"))).code == "checks_running"


def test_f02_no_status_at_all_is_no_pending_status():
    assert judged(green_but(checks=checks(run("build")))) == ELIGIBLE


def test_f02_one_failure_among_many_is_not_green():
    many = [run("build"), *(run(f"check {n}", "failure" if n == 34 else "success") for n in range(35))]
    assert judged(green_but(checks=checks(*many))).sentence == "Not passed: check 34."


def test_f02_the_newest_run_of_a_name_and_app_counts():
    rerun = checks(run(conclusion="failure", number=1), run(conclusion="success", number=2))
    assert judged(green_but(checks=rerun)) == ELIGIBLE
    broken = checks(run(conclusion="success", number=1), run(conclusion="failure", number=2))
    assert judged(green_but(checks=broken)).code == "checks_failed"
    other_app = checks(run(conclusion="failure", number=1, app=1), run(conclusion="success", number=2, app=2))
    assert judged(green_but(checks=other_app)).code == "checks_failed"


@pytest.mark.parametrize("app,found", [(None, 5), (9, 9), (-1, 5)])
def test_a_required_check_is_met_by_the_app_that_must_make_it(app, found):
    assert judged(green_but(checks=checks(run(app=found)), demands=required("build", app=app))) == ELIGIBLE


def test_a_required_check_of_an_app_is_not_met_by_another_app_nor_by_a_status():
    demands = required("build", app=9)
    assert judged(green_but(checks=checks(run(app=5)), demands=demands)).code == "required_missing"
    assert judged(green_but(checks=checks(build="success"), demands=demands)).code == "required_missing"


def test_f14_not_known_is_neither_yes_nor_no_and_has_an_end():
    unknown = green_but(mergeable=None, mergeable_state="unknown")
    codes = [judged(replace(unknown, unknown_reads=reads)).code for reads in (1, 2, 3, 9)]
    assert codes == ["mergeable_unknown", "mergeable_unknown", "unknown", "unknown"]
    assert "conflict" not in judged(replace(unknown, unknown_reads=9)).sentence
    assert judged(green_but(unknown_reads=3)) == ELIGIBLE


@pytest.mark.parametrize(
    "words,stands",
    [
        (["CHANGES_REQUESTED", "COMMENTED", "PENDING"], True),
        (["CHANGES_REQUESTED", "APPROVED"], False),
        (["CHANGES_REQUESTED", "DISMISSED"], False),
        (["APPROVED", "CHANGES_REQUESTED"], True),
    ],
)
def test_a_reviewers_last_word_counts(words, stands):
    verdict = judged(green_but(reviews=tuple(Review("mira", word) for word in words)))
    assert (verdict.code == "changes_requested") == stands


def test_one_reviewers_approval_does_not_take_back_what_another_requests():
    reviews = (Review("mira", "CHANGES_REQUESTED"), Review("tomas", "APPROVED"))
    assert judged(green_but(reviews=reviews)).sentence == "Changes are requested by mira."


# --- F16: documents --------------------------------------------------------------------------------------------------


def test_f16_a_rename_counts_both_names():
    assert judged(touching(changed("docs/a.md", "src/a.py", "renamed"))).code == "not_docs_only"
    assert judged(touching(changed("src/a.py", "docs/a.md", "renamed"))).code == "not_docs_only"
    assert judged(touching(changed("docs/b.md", "docs/a.md", "renamed"))) == ELIGIBLE


def test_f16_a_cut_list_is_no_list():
    files = tuple(changed(f"docs/{number}.md") for number in range(3000))
    assert judged(green_but(files=files, changed_files=3050)).code == "files_incomplete"
    assert judged(green_but(files=files, changed_files=None)).code == "files_incomplete"


@pytest.mark.parametrize(
    "mode,kind", [("120000", "symbolic link"), ("160000", "submodule"), ("040000", "folder")]
)
def test_f16_a_link_or_a_submodule_is_no_document(mode, kind):
    assert kind in judged(green_but(modes=(FileMode("docs/a.md", mode),))).sentence


def test_f16_zero_files_are_not_documents():
    assert judged(touching()).code == "no_files"


def test_a_long_list_of_other_files_is_told_in_short():
    sentence = judged(touching(*(f"src/{letter}.py" for letter in "abcde"))).sentence
    assert sentence == "It changes more than documents: src/a.py, src/b.py, src/c.py and 2 more."
