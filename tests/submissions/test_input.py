"""What a submission may hold: paths, branches, actions, sizes. Nothing of it reaches the database or GitHub."""

from __future__ import annotations

import base64

import pytest
from rest_framework.serializers import ValidationError

from submissions.decisions.actions import LARGEST_FILE, MOST_ACTIONS, faults_of
from submissions.decisions.paths import blocked_by, branch_fault, path_fault, patterns_in
from submissions.values import Change, FileAction
from tests.submissions.world import body, checked


def create(path: str, content: str | None = "x") -> FileAction:
    return FileAction(action=Change.CREATE, path=path, content=content)


@pytest.mark.parametrize(
    "path", ["a", "a/b.c", "src/日本/ü.py", ".gitignore", "a b/c", "x" * 255, "git/x", ".gitx/y"]
)
def test_an_ordinary_path_is_taken(path):
    assert path_fault(path) == ""


@pytest.mark.parametrize(
    "path",
    [
        "",
        "/etc/passwd",
        "../x",
        "a/../b",
        "./a",
        "a//b",
        "a/",
        "a\\b",
        "a\nb",
        "a\0b",
        "a/ b",
        "a /b",
        ".git/config",
        "a/.GIT/hooks/x",
        ".g\u200cit/config",
        "git~1/config",
        ".git./config",
        "\uff0egit/config",
        "x" * 256,
        "a/" * 600 + "a",
        "a/\ud800",
    ],
)
def test_b5_10_a_path_that_leads_elsewhere_is_refused_with_a_sentence(path):
    assert path_fault(path).endswith(".")


@pytest.mark.parametrize("name", ["auto/x", "a-b.c", "feature/a#1%2Fb+c", "日本", "x@y"])
def test_f38_a_branch_that_git_takes_is_taken(name):
    assert branch_fault(name) == ""


@pytest.mark.parametrize(
    "name",
    [
        "",
        "a b",
        "a..b",
        "a~1",
        "a^",
        "a:b",
        "a?",
        "a*",
        "a[",
        "a\\b",
        "/a",
        "a/",
        "a//b",
        ".a",
        "a/.b",
        "a.lock",
        "a.lock/b",
        "a.",
        "@",
        "@{x",
        "a@{b",
        "-a",
        "refs/heads/a",
        "a\x7f",
        "a\u200bb",
        "x" * 245,
    ],
)
def test_f38_a_branch_that_git_refuses_is_refused(name):
    assert branch_fault(name).endswith(".")


@pytest.mark.parametrize(
    "path,blocked",
    [
        (".github/workflows/x.yml", True),
        (".GITHUB/x", True),
        (".github/a/b/c", True),
        ("docs/.github", False),
        ("github/x", False),
        ("secrets/a.pem", True),
        ("deep/er/a.PEM", True),
        ("\uff0egithub/x", True),
    ],
)
def test_b5_10_the_block_list_is_compared_with_the_whole_path_in_any_letter_case(path, blocked):
    assert bool(blocked_by(path, patterns_in(".github/*,\n *.pem"))) is blocked


def test_an_empty_block_list_blocks_nothing():
    assert patterns_in(" , \n") == ()
    assert blocked_by(".github/x", ()) == ""


@pytest.mark.parametrize(
    "action,words",
    [
        (create("a", None), "needs the file's content"),
        (FileAction(action=Change.UPDATE, path="a"), "needs the file's content"),
        (FileAction(action=Change.DELETE, path="a", content=""), "takes no content"),
        (FileAction(action=Change.DELETE, path="a", mode="100644"), "takes no mode"),
        (FileAction(action=Change.MOVE, path="a"), "needs previous_path"),
        (FileAction(action=Change.MOVE, path="a", previous_path="a"), "somewhere else"),
        (FileAction(action=Change.CREATE, path="a", previous_path="b", content=""), "Only a move"),
        (FileAction(action=Change.CREATE, path="a", content="", mode="120000"), "A mode is one of"),
        (FileAction(action=Change.MOVE, path="a", previous_path="../b"), "as a part"),
        (create("a", "x" * (LARGEST_FILE + 1)), "bytes"),
        (create("a", "\ud800"), "no text"),
    ],
)
def test_b5_10_an_action_that_makes_no_sense_is_named(action, words):
    found = faults_of([create("fine"), action])
    assert list(found) == [1]
    assert words in found[1]


@pytest.mark.parametrize(
    "actions,words",
    [
        ([create("a"), create("a")], "more than one action"),
        ([create("a"), FileAction(action=Change.MOVE, path="b", previous_path="a")], "more than one action"),
        ([create("a"), create("a/b")], "a file and a folder"),
        ([create("x/y"), create("x/y/z/1")], "a file and a folder"),
    ],
)
def test_b5_10_actions_that_clash_are_named(actions, words):
    assert words in " ".join(faults_of(actions).values())


def test_a_file_may_give_way_to_a_folder_of_its_name():
    assert faults_of([FileAction(action=Change.DELETE, path="a"), create("a/b")]) == {}


def test_sizes_and_numbers_have_bounds():
    assert faults_of([create(f"f{number}") for number in range(MOST_ACTIONS + 1)])
    assert "All files together" in " ".join(
        faults_of([create(f"f{number}", "x" * LARGEST_FILE) for number in range(5)]).values()
    )


def refusals(**members: object) -> dict[str, object]:
    with pytest.raises(ValidationError) as refused:
        checked(body(**members))
    return dict(refused.value.detail)


def test_unknown_fields_are_refused_at_every_depth():
    assert "source" in refusals(source="x")
    assert "force" in str(refusals(options={"force": True}))
    assert "chmod" in str(refusals(file_actions=[{"action": "delete", "path": "a", "chmod": "1"}]))


def test_the_first_wrong_action_is_named_by_its_position():
    wrong = refusals(file_actions=[{"action": "delete", "path": "a"}, {"action": "delete", "path": "/b"}])
    assert "Action 1: The path must be relative" in str(wrong["file_actions"])


def test_content_that_is_no_base64_is_refused():
    action = {"action": "create", "path": "a", "content": "%%%", "encoding": "base64"}
    assert "not base64" in str(refusals(file_actions=[action]))
    good = action | {"content": base64.b64encode(b"\0").decode()}
    assert checked(body(file_actions=[good]))["file_actions"][0]["content"] == good["content"]


def test_a_pull_request_leads_from_one_branch_to_another():
    assert "head_branch" in refusals(head_branch="main")
    assert "base_branch" in refusals(base_branch="a b")


def test_white_space_in_content_is_content():
    action = {"action": "create", "path": "a", "content": "  x\n\n"}
    assert checked(body(file_actions=[action]))["file_actions"][0]["content"] == "  x\n\n"


def test_what_is_left_out_has_its_default():
    data = checked(body())
    assert data["options"] == {
        "merge_when_ready": False,
        "merge_method": "squash",
        "ci_retry": True,
        "draft": False,
    }
    assert (data["labels"], data["body"]) == ([], "It was dark.")
