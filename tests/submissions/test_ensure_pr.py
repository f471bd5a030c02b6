"""The branch, its one commit and the pull request; whatever an earlier try has left of them is used."""

from __future__ import annotations

import base64

import pytest

from submissions.models import Submission, SubmissionCommit
from tests.github_app import INSTALLATION, REPOSITORY, app_client
from tests.submissions.world import BRANCH, MAIN, World, hand_in, item, needs, told
from workqueue.services import control
from workqueue.values import Phase


def test_b5_11_a_submission_becomes_a_branch_with_one_commit_and_a_pull_request(world: World) -> None:
    assert hand_in(labels=["bulbs"]).word == "created"
    world.work()
    pull = world.pull()
    assert (pull.title, pull.body, pull.head_ref, pull.base_ref) == (
        "Add a bulb",
        "It was dark.",
        BRANCH,
        MAIN,
    )
    assert pull.labels == ("bulbs",)
    assert world.changed() == {"bulbs/one.txt": "added"}
    assert world.files()["bulbs/one.txt"] == ("100644", "lit\n")
    (commit,) = world.commits()
    assert world.objects.commits[commit].message == "Add a bulb\n\nIt was dark."
    assert (item().number, item().head_sha, item().phase) == (pull.number, commit, "active")


def test_b5_11_nothing_is_cloned_and_the_tree_is_written_before_the_branch(world: World) -> None:
    hand_in()
    world.work()
    assert world.writes()[:4] == ["POST /git/trees", "POST /git/commits", "POST /git/refs", "POST /pulls"]


def test_b5_16_after_the_opening_the_item_stays_active_with_nothing_to_do(world: World) -> None:
    hand_in()
    world.settle()
    assert (item().phase, item().actionable, item().attempts) == ("active", False, 0)
    since = len(world.github.log)
    world.work()
    assert world.asked(since) == []


def test_every_kind_of_file_action_is_in_the_one_commit(world: World) -> None:
    hand_in(
        file_actions=[
            {"action": "create", "path": "bulbs/run", "content": "#!/bin/sh\n", "mode": "100755"},
            {
                "action": "create",
                "path": "bulbs/raw",
                "content": base64.b64encode(b"\xff\x00\xfe").decode(),
                "encoding": "base64",
            },
            {"action": "update", "path": "tools/build.sh", "content": "exit 1\n"},
            {"action": "delete", "path": "docs/guide.md"},
            {"action": "move", "path": "src/light/bulb.py", "previous_path": "src/lamp/bulb.py"},
        ]
    )
    world.work()
    assert world.changed() == {
        "bulbs/raw": "added",
        "bulbs/run": "added",
        "docs/guide.md": "removed",
        "src/lamp/bulb.py": "removed",
        "src/light/bulb.py": "added",
        "tools/build.sh": "modified",
    }
    assert len(world.commits()) == 1
    files = world.files()
    assert files["bulbs/run"] == ("100755", "#!/bin/sh\n")
    # An update without a mode keeps the file's.
    assert files["tools/build.sh"] == ("100755", "exit 1\n")


def test_a_moved_file_keeps_its_content_without_being_downloaded(world: World) -> None:
    hand_in(file_actions=[{"action": "move", "path": "lamp.py", "previous_path": "src/lamp/bulb.py"}])
    world.work()
    assert world.files()["lamp.py"] == ("100644", "LIT = False\n")
    assert not [call for call in world.asked() if "blobs" in call or "contents" in call]


@pytest.mark.parametrize(
    "action,sentence",
    [
        (
            {"action": "update", "path": "none.txt", "content": ""},
            "Cannot update none.txt: the base has no such file.",
        ),
        ({"action": "delete", "path": "src/none"}, "Cannot delete src/none: the base has no such file."),
        ({"action": "delete", "path": "src/lamp"}, "Cannot delete src/lamp: the base has no such file."),
        (
            {"action": "create", "path": "README.md", "content": "mine"},
            "Cannot create README.md: the base has something else there.",
        ),
        (
            {"action": "create", "path": "README.md/x", "content": "mine"},
            "Cannot write README.md/x: README.md is no folder in the base.",
        ),
        (
            {"action": "move", "path": "README.md", "previous_path": "src/lamp/bulb.py"},
            "Cannot move src/lamp/bulb.py to README.md: the base has a file there.",
        ),
        (
            {"action": "move", "path": "a", "previous_path": "b"},
            "Cannot move b: the base has no such file.",
        ),
    ],
)
def test_what_does_not_fit_the_base_fails_with_a_sentence_and_writes_nothing(
    world: World, action: dict[str, str], sentence: str
) -> None:
    hand_in(file_actions=[action])
    world.work()
    assert (item().phase, item().error) == ("failed", sentence)
    assert world.writes() == []


def test_a_missing_base_fails_with_a_sentence(world: World) -> None:
    hand_in(base_branch="release/9")
    world.work()
    assert (item().phase, item().error) == ("failed", "There is no branch release/9 to merge into.")


def test_the_default_branch_is_never_the_head(world: World) -> None:
    world.branches["release"] = world.branches[MAIN]
    hand_in(head_branch=MAIN, base_branch="release")
    world.work()
    assert item().phase == "failed"
    assert "default branch" in item().error
    assert world.writes() == []


def test_a_branch_of_somebody_else_is_left_alone(world: World) -> None:
    theirs = world.changes.commit_file(REPOSITORY, "theirs.txt", "theirs", branch=BRANCH)
    hand_in()
    world.work()
    assert item().phase == "failed"
    assert item().error == f"The branch {BRANCH} holds commits of somebody else: it is left alone."
    assert (world.branches[BRANCH], world.pulls(), world.writes()) == (theirs, [], [])


def test_a_commit_that_somebody_else_pushed_onto_ours_is_never_overwritten(world: World) -> None:
    hand_in()
    world.settle()
    theirs = world.changes.commit_file(REPOSITORY, "theirs.txt", "theirs", branch=BRANCH)
    hand_in(title="Another", file_actions=[{"action": "create", "path": "two", "content": "2"}])
    world.work()
    assert (item().phase, world.branches[BRANCH]) == ("failed", theirs)


def test_another_content_is_one_more_commit_and_the_same_pull_request(world: World) -> None:
    hand_in()
    world.settle()
    first = world.branches[BRANCH]
    answer = hand_in(file_actions=[{"action": "create", "path": "bulbs/two.txt", "content": "lit\n"}])
    assert answer.word == "updated"
    world.settle()
    assert world.changed() == {"bulbs/two.txt": "added"}
    assert world.objects.commits[world.branches[BRANCH]].parents == [first]
    assert (len(world.pulls()), item().head_sha) == (1, world.branches[BRANCH])


def test_a_base_that_has_moved_is_taken_in_and_not_shown_as_a_change(world: World) -> None:
    hand_in()
    world.settle()
    first = world.branches[BRANCH]
    base = world.changes.commit_file(REPOSITORY, "news.txt", "news")
    hand_in(file_actions=[{"action": "create", "path": "bulbs/two.txt", "content": "lit\n"}])
    world.settle()
    assert world.objects.commits[world.branches[BRANCH]].parents == [first, base]
    assert world.changed() == {"bulbs/two.txt": "added"}


def test_another_title_alone_makes_no_commit(world: World) -> None:
    hand_in()
    world.settle()
    since = len(world.github.log)
    assert hand_in(title="Add a better bulb").word == "updated"
    world.settle()
    assert world.writes(since) == ["PATCH /pulls/1"]
    assert world.pull().title == "Add a better bulb"


def test_a_head_that_the_bot_has_updated_is_still_ours(world: World) -> None:
    hand_in()
    world.settle()
    world.changes.move_base(REPOSITORY)
    with_base = _update_branch(world)
    hand_in(title="Add a better bulb")
    world.settle()
    assert (item().phase, item().head_sha, world.branches[BRANCH]) == ("active", with_base, with_base)


def _update_branch(world: World) -> str:
    """Merge the base into the branch, as the bot does."""
    with app_client(world.github.url) as app:
        app.for_installation(INSTALLATION).update_branch(REPOSITORY, 1, world.branches[BRANCH])
    return world.branches[BRANCH]


def test_b5_48_what_the_base_holds_already_opens_nothing(world: World) -> None:
    hand_in(file_actions=[{"action": "update", "path": "README.md", "content": "# A repository\n"}])
    world.work()
    assert (item().phase, world.pulls(), BRANCH in world.branches) == ("completed", [], False)
    assert "POST /git/commits" not in world.asked()
    assert told()[-1] == "ensure_pr done: nothing is left to be changed: the base holds all of it"


def test_a_refusal_of_github_is_the_items_error(world: World) -> None:
    world.github.inject(
        ".*/pulls",
        "body",
        verb="POST",
        status=422,
        text='{"message": "Validation Failed", "errors":'
        ' [{"resource": "PullRequest", "field": "title", "code": "invalid"}]}',
    )
    hand_in()
    world.work()
    assert item().phase == "failed"
    assert item().error == "GitHub does not open the pull request: Validation Failed; title is invalid"


def test_f10_a_throttle_spends_no_attempt_and_the_item_waits_as_long_as_github_says(world: World) -> None:
    world.github.inject(".*/git/trees", "primary_limit", verb="POST", seconds=3300)
    hand_in()
    world.work()
    assert (item().phase, item().attempts, item().actionable) == ("active", 0, False)
    world.shift(minutes=30)
    assert world.work().endswith("nothing to do.")
    world.shift(minutes=30)
    world.settle()
    assert len(world.pulls()) == 1


def test_b5_40_a_failed_one_that_is_submitted_again_goes_on(world: World) -> None:
    theirs = world.changes.commit_file(REPOSITORY, "theirs.txt", "theirs", branch=BRANCH)
    hand_in()
    world.work()
    assert world.branches[BRANCH] == theirs
    del world.branches[BRANCH]
    assert hand_in().word == "retried"
    world.settle()
    assert (item().phase, item().error, len(world.pulls())) == ("active", "", 1)


def test_a_cancelled_one_that_is_retried_gets_a_new_pull_request_of_the_same_branch(world: World) -> None:
    hand_in()
    world.settle()
    world.changes.close_pull_request(REPOSITORY, 1)
    world.settle()
    assert item().phase == Phase.CANCELLED
    control.retry(item().pk, actor="mira")
    world.settle()
    assert [(pull.number, pull.state) for pull in world.pulls()] == [(1, "closed"), (2, "open")]
    assert (item().phase, item().number, len(world.commits())) == ("active", 2, 1)


def test_b5_40_an_ended_one_that_is_submitted_again_is_the_next_generation(world: World) -> None:
    hand_in()
    world.settle()
    world.changes.close_pull_request(REPOSITORY, 1)
    world.settle()
    answer = hand_in()
    assert answer.word == "next_generation"
    world.settle()
    second = item(answer.item)
    assert (second.generation, second.number, second.phase) == (2, 2, "active")
    assert second.idempotency_key == f"pull_request:{REPOSITORY}:{BRANCH}:2"
    assert world.changed() == {"bulbs/one.txt": "added"}


def test_b5_09_what_was_submitted_and_what_was_made_of_it_stay_on_record(world: World) -> None:
    hand_in()
    world.settle()
    hand_in(title="Another")
    world.settle()
    rows = list(Submission.objects.order_by("pk").values_list("outcome", "caller_identity"))
    assert rows == [("created", "token:importer"), ("updated", "token:importer")]
    kept = Submission.objects.earliest("pk").content
    assert kept["file_actions"][0]["content"] == "lit\n"
    assert SubmissionCommit.objects.get().sha == world.branches[BRANCH]
    assert needs()["needs_pr"] == "false"
