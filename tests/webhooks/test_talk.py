"""Issues and comments: field case F21."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from sandbox import payloads
from tests.clock import DrivenClock
from tests.webhooks.hook import ALICE, BASE, ISSUE, OTHER_BOT, OUR_BOT, PULL, TOOLS, Hook, at
from webhooks.models import Comment, Delivery, Issue, PullRequest

ACTIONS = (
    "assigned closed deleted demilestoned edited labeled locked milestoned opened pinned reopened transferred typed "
    "unassigned unlabeled unlocked unpinned untyped"
).split()


def issue(action: str, second: int = 0, sender: Any = ALICE, **changes: Any) -> dict[str, Any]:
    return payloads.issues(action, replace(ISSUE, updated_at=at(second), **changes), sender)


def row() -> Issue:
    found: Issue = Issue.objects.get()
    return found


def finish() -> None:
    Issue.objects.update(processing_state="PROCESSED", updated_at=BASE)


def test_a_new_issue_is_a_new_row_with_its_facts(hook: Hook) -> None:
    assert hook.send("issues", issue("opened")).status_code == 202
    found = row()
    assert (found.github_id, found.number, found.title, found.sender) == (2001, 6, "It is dark", "alice")
    assert (found.state, found.processing_state, found.repository_id) == ("OPEN", "NEW", TOOLS.id)


@pytest.mark.parametrize("action", ACTIONS)
def test_every_action_makes_a_known_issue_pending(hook: Hook, clock: DrivenClock, action: str) -> None:
    hook.send("issues", issue("opened"))
    finish()
    hook.send("issues", issue(action, 5, state="closed" if action == "closed" else "open"))
    gone = action in {"closed", "deleted", "transferred"}
    assert (row().processing_state, row().updated_at) == ("UPDATED", clock.now)
    assert row().state == ("CLOSED" if gone else "OPEN")


def test_an_older_event_keeps_the_newer_facts_and_wakes_an_open_issue(hook: Hook) -> None:
    hook.send("issues", issue("edited", 9, title="Newer"))
    finish()
    answer = hook.send("issues", issue("edited", 3, title="Older"))
    assert answer.json()["status"] == "stale"
    assert (row().title, row().processing_state) == ("Newer", "UPDATED")


def test_an_older_event_leaves_a_closed_issue_alone(hook: Hook) -> None:
    hook.send("issues", issue("closed", 9, state="closed"))
    finish()
    hook.send("issues", issue("labeled", 3))
    assert (row().state, row().processing_state, row().updated_at) == ("CLOSED", "PROCESSED", BASE)


def test_a_reopened_issue_is_open_again(hook: Hook) -> None:
    hook.send("issues", issue("closed", 5, state="closed"))
    hook.send("issues", issue("reopened", 60))
    assert row().state == "OPEN"


def test_f03_within_one_second_only_a_reopening_opens_an_issue(hook: Hook) -> None:
    """Programs that clear up label and close at once, and GitHub's clock counts whole seconds."""
    hook.send("issues", issue("closed", 5, state="closed"))
    hook.send("issues", issue("labeled", 5))
    assert row().state == "CLOSED"
    hook.send("issues", issue("reopened", 5))
    assert row().state == "OPEN"


def test_an_echo_about_an_issue_notes_facts_and_wakes_nobody(hook: Hook) -> None:
    hook.send("issues", issue("opened"))
    finish()
    assert hook.send("issues", issue("labeled", 5, OUR_BOT, title="Labeled")).json()["status"] == "echo"
    assert (row().title, row().processing_state, row().updated_at) == ("Labeled", "PROCESSED", BASE)


def test_an_issue_of_a_ghost_is_kept(hook: Hook) -> None:
    payload = issue("opened", author=None) | {"sender": None, "installation": None}
    assert hook.send("issues", payload).status_code == 202
    assert (row().sender, row().sender_login, row().installation_id) == ("ghost", None, None)


# ---------------------------------------------------------------------------------------------------------------------
def comment(
    action: str = "created", author: Any = ALICE, about: Any = PULL, text: str = "/retry"
) -> dict[str, Any]:
    return payloads.issue_comment(action, about, author, text)


def test_a_comment_on_a_pull_request_is_a_row_with_both_their_facts(hook: Hook) -> None:
    hook.send("pull_request", payloads.pull_request("opened", PULL, ALICE))
    assert hook.send("issue_comment", comment()).status_code == 202
    found = Comment.objects.get()
    assert (found.comment_body, found.comment_sender, found.action) == ("/retry", "alice", "created")
    assert (found.pull_request_id, found.pull_request_number) == (PULL.id, 5)
    assert (found.pull_request_title, found.pull_request_sender) == (PULL.title, "alice")
    assert found.processing_state == "NEW"


def test_a_comment_wakes_no_pull_request(hook: Hook) -> None:
    hook.send("pull_request", payloads.pull_request("opened", PULL, ALICE))
    PullRequest.objects.update(processing_state="PROCESSED", idle_retry_count=2, updated_at=BASE)
    hook.send("issue_comment", comment())
    found = PullRequest.objects.get()
    assert (found.processing_state, found.idle_retry_count, found.updated_at) == ("PROCESSED", 2, BASE)


@pytest.mark.parametrize(
    "payload, word",
    [
        (comment("edited"), "only new comments"),
        (comment("deleted"), "only new comments"),
        (comment(about=ISSUE), "plain issue"),
    ],
)
def test_a_comment_without_a_command_for_us_is_ignored_by_name(hook: Hook, payload: dict, word: str) -> None:
    answer = hook.send("issue_comment", payload)
    assert (answer.status_code, answer.json()["status"]) == (200, "ignored")
    assert word in Delivery.objects.get().note
    assert not Comment.objects.exists()


@pytest.mark.parametrize("author, state", [(OUR_BOT, "PROCESSED"), (OTHER_BOT, "NEW"), (ALICE, "NEW")])
def test_f21_only_our_own_comments_need_no_work(hook: Hook, author: Any, state: str) -> None:
    hook.send("issue_comment", comment(author=author))
    assert Comment.objects.get().processing_state == state


def test_f21_an_edit_of_our_own_comment_is_ignored(hook: Hook) -> None:
    hook.send("issue_comment", comment(author=OUR_BOT))
    assert hook.send("issue_comment", comment("edited", OUR_BOT)).json()["status"] == "ignored"
    assert Comment.objects.count() == 1


def test_a_second_delivery_of_a_comment_finds_its_row(hook: Hook) -> None:
    """Two hooks, or an App and a repository webhook, tell of the same comment."""
    hook.send("issue_comment", comment())
    Comment.objects.update(processing_state="PROCESSED", updated_at=BASE)
    hook.send("issue_comment", comment())
    assert Comment.objects.get().processing_state == "PROCESSED"


def test_f27_the_longest_comment_is_stored_whole(hook: Hook) -> None:
    text = "🚀" * 65_536
    assert hook.send("issue_comment", comment(text=text)).status_code == 202
    assert Comment.objects.get().comment_body == text
