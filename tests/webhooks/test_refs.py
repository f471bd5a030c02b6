"""Pushes, branches and tags: field cases F13 and F38."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import connection

from sandbox import payloads
from sandbox.world import NO_COMMIT, Commit
from tests.webhooks.hook import ALICE, BASE, OUR_BOT, TOOLS, Hook
from webhooks.models import Branch, Delivery, Push

COMMITS = [Commit(sha=f"{number}" * 40, message=f"Step {number}", author=ALICE, at=BASE) for number in (1, 2)]
NAMES = [
    "refs/heads/x",
    "feature/a#1%2Fb+c",
    "日本",
    "a" * 255,
    "UPPER",
    "upper",
    "ä",
    "a",
    "trailing.",
    "%",
    "a'b\"c\\d",
]


def push(
    ref: str = "refs/heads/main", commits: Any = COMMITS, sender: Any = ALICE, **changes: Any
) -> dict[str, Any]:
    return payloads.push(TOOLS, ref, commits, sender, before="0a" * 20) | changes


def present_branches() -> set[str]:
    with connection.cursor() as cursor:
        cursor.execute("SELECT Ref FROM github_branches_view")
        return {row[0] for row in cursor.fetchall()}


def test_a_push_is_a_row_with_its_head_commit(hook: Hook) -> None:
    assert hook.send("push", push()).status_code == 202
    row = Push.objects.get()
    assert (row.ref, row.head_commit_id, row.head_commit_message) == ("refs/heads/main", "2" * 40, "Step 2")
    assert (row.head_commit_author_name, row.head_commit_author_email) == ("alice", ALICE.email)
    assert (row.head_commit_committer_name, row.head_commit_timestamp) == ("GitHub", BASE)
    assert len(row.head_commit_tree_id) == 40
    assert (row.processing_state, row.repository_id, row.installation_id) == ("NEW", TOOLS.id, 7)


def test_every_push_appends(hook: Hook) -> None:
    for _ in range(2):
        hook.send("push", push())
    assert Push.objects.count() == 2


@pytest.mark.parametrize("ref", ["refs/tags/v1", "refs/notes/commits", "refs/headsx/main", "main"])
def test_only_pushes_to_branches_are_kept(hook: Hook, ref: str) -> None:
    answer = hook.send("push", push(ref))
    assert (answer.status_code, answer.json()["status"]) == (200, "ignored")
    assert not Push.objects.exists()
    assert not Branch.objects.exists()


def test_f13_a_push_that_deleted_its_branch_leaves_no_work_at_the_zero_sha(hook: Hook) -> None:
    hook.send("create", payloads.create(TOOLS, "gone", ALICE))
    hook.send("push", push("refs/heads/gone", []))
    row = Push.objects.get()
    assert (row.head_commit_id, row.processing_state, row.head_commit_timestamp) == (
        NO_COMMIT,
        "PROCESSED",
        None,
    )
    assert Branch.objects.get().event == "delete"
    assert present_branches() == set()


def test_f13_recreating_a_branch_revives_its_row(hook: Hook) -> None:
    hook.send("create", payloads.create(TOOLS, "main", ALICE))
    hook.send("push", push(commits=[]))
    again = {"before": NO_COMMIT, "created": True, "deleted": False, "after": "e" * 40, "head_commit": None}
    hook.send("push", push(commits=[], **again))
    assert Branch.objects.get().event == "create"
    assert Push.objects.count() == 2
    assert present_branches() == {"main"}


def test_a_push_makes_no_branch_row_of_its_own(hook: Hook) -> None:
    """`create` does, and the scheduled sync; a push to a long known branch says nothing new about it."""
    hook.send("push", push())
    assert not Branch.objects.exists()


def test_the_head_is_after_whatever_head_commit_says(hook: Hook) -> None:
    hook.send("push", push(after="e" * 40))
    assert Push.objects.get().head_commit_id == "e" * 40


@pytest.mark.parametrize(
    "date", ["2039-01-01T00:00:00Z", "9999-12-31T23:59:59Z", "1901-01-01T00:00:00Z", "soon", None, 7]
)
def test_a_commit_may_carry_any_date(hook: Hook, date: Any) -> None:
    payload = push()
    payload["head_commit"]["timestamp"] = date
    assert hook.send("push", payload).status_code == 202
    stored = Push.objects.get().head_commit_timestamp
    expected = date[:4] if isinstance(date, str) and date[0].isdigit() else None
    assert (stored and str(stored.year)) == expected


def test_a_push_by_our_own_app_is_an_echo(hook: Hook) -> None:
    assert hook.send("push", push(sender=OUR_BOT)).json()["status"] == "echo"
    assert Push.objects.get().processing_state == "PROCESSED"


@pytest.mark.parametrize("name", NAMES)
def test_f38_a_branchs_name_round_trips_exactly(hook: Hook, name: str) -> None:
    hook.send("create", payloads.create(TOOLS, name, ALICE))
    hook.send("push", push(f"refs/heads/{name}"))
    assert (Branch.objects.get().ref, Branch.objects.get().ref_type) == (name, "branch")
    assert Push.objects.get().ref == f"refs/heads/{name}"
    hook.send("push", push(f"refs/heads/{name}", []))
    assert Branch.objects.get().event == "delete"


def test_f38_names_that_differ_in_anything_are_different_branches(hook: Hook) -> None:
    for name in NAMES:
        assert hook.send("create", payloads.create(TOOLS, name, ALICE)).status_code == 202
    assert present_branches() == set(NAMES)


def test_f38_a_tag_and_a_branch_may_share_a_name(hook: Hook) -> None:
    hook.send("create", payloads.create(TOOLS, "v1", ALICE))
    hook.send("create", payloads.create(TOOLS, "v1", ALICE, ref_type="tag"))
    hook.send("delete", payloads.delete(TOOLS, "v1", ALICE, ref_type="tag"))
    rows = set(Branch.objects.values_list("ref", "ref_type", "event"))
    assert rows == {("v1", "branch", "create"), ("v1", "tag", "delete")}
    assert present_branches() == {"v1"}


def test_a_branch_keeps_one_row_through_its_lives(hook: Hook) -> None:
    for event in ("create", "delete", "create"):
        hook.send(event, getattr(payloads, event)(TOOLS, "lamp", ALICE))
        Branch.objects.filter(event="create").update(processing_state="PROCESSED", updated_at=BASE)
    row = Branch.objects.get()
    assert (row.event, row.master_branch) == ("create", "main")


def test_the_branch_row_waits_for_the_bot(hook: Hook) -> None:
    hook.send("create", payloads.create(TOOLS, "lamp", ALICE))
    assert Branch.objects.get().processing_state == "NEW"
    Branch.objects.update(processing_state="PROCESSED", updated_at=BASE)
    hook.send("delete", payloads.delete(TOOLS, "lamp", ALICE))
    assert Branch.objects.get().processing_state == "UPDATED"


def test_another_kind_of_ref_is_ignored_by_name(hook: Hook) -> None:
    answer = hook.send("create", payloads.create(TOOLS, "notes", ALICE, ref_type="repository"))
    assert answer.json()["status"] == "ignored"
    assert "neither branch nor tag" in Delivery.objects.get().note
