"""Installations, members and releases; and everything that no rule is about."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from sandbox import payloads
from sandbox.world import Repository
from tests.clock import DrivenClock
from tests.webhooks.hook import ALICE, BASE, HOOK_ID, INSTALLATION, OCTO, OUR_BOT, PULL, TOOLS, Hook, at
from webhooks.events import WRITERS
from webhooks.models import CLAIMED, Delivery, Installation, Release, User
from webhooks.models import Repository as RepositoryRow

SPARE = Repository(id=4300, name="spare", owner=OCTO, private=True)


def installation(action: str, *repos: Repository, **changes: Any) -> dict[str, Any]:
    return payloads.installation(action, replace(INSTALLATION, **changes), ALICE, repos)


def current() -> Installation:
    found: Installation = Installation.objects.latest("sequence")
    return found


def test_a_new_installation_comes_with_its_repositories(hook: Hook) -> None:
    answer = hook.send("installation", installation("created", TOOLS, SPARE))
    assert answer.status_code == 202
    assert (current().installation_id, current().account_login, current().account_type) == (
        7,
        "octo",
        "Organization",
    )
    assert (current().status, current().repository_selection, current().processing_state) == (
        "1",
        "all",
        "NEW",
    )
    rows = RepositoryRow.objects.order_by("pk").values_list(
        "github_id", "full_name", "private", "installation_id"
    )
    assert list(rows) == [(4242, "octo/tools", False, 7), (4300, "octo/spare", True, 7)]
    assert set(RepositoryRow.objects.values_list("installation_action", "last_action")) == {
        ("added", "created")
    }


def test_an_installation_created_again_appends(hook: Hook) -> None:
    """A deleted installation never comes back under its id, but a redelivered or replayed Event may tell it twice."""
    for _ in range(2):
        hook.send("installation", installation("created"))
    assert Installation.objects.count() == 2


@pytest.mark.parametrize(
    "actions, status, suspended",
    [
        (["created", "deleted"], "0", False),
        (["created", "suspend"], "0", True),
        (["created", "suspend", "unsuspend"], "1", False),
        (["created", "new_permissions_accepted"], "1", False),
        (["created", "suspend", "new_permissions_accepted"], "0", True),
        (["deleted"], "0", False),
        (["suspend"], "0", True),
        (["created", "deleted", "suspend"], "0", False),
    ],
)
def test_the_installations_status_follows_its_events(
    hook: Hook, actions: list[str], status: str, suspended: bool
) -> None:
    for action in actions:
        instant = at(5) if action == "suspend" else None
        assert hook.send("installation", installation(action, suspended_at=instant)).status_code == 202
    assert Installation.objects.count() == 1
    assert (current().status, current().suspended_date) == (status, at(5) if suspended else None)


def test_f03_a_suspension_that_comes_after_its_end_suspends_nothing(hook: Hook, clock: DrivenClock) -> None:
    """The redelivery pass may bring a lost `suspend` an hour after the `unsuspend` that ended it."""
    hook.send("installation", installation("created"))
    suspended = installation("suspend", suspended_at=clock.now)
    clock.shift(hours=1)
    hook.send("installation", installation("unsuspend"))
    clock.shift(hours=1)
    assert hook.send("installation", suspended).json()["status"] == "stale"
    assert (current().status, current().suspended_date) == ("1", None)
    assert hook.send("installation", installation("suspend", suspended_at=clock.now)).status_code == 202
    assert (current().status, current().suspended_date) == ("0", clock.now)


def test_an_unknown_installation_action_is_ignored(hook: Hook) -> None:
    answer = hook.send("installation", installation("expanded"))
    assert (answer.status_code, answer.json()["status"]) == (200, "ignored")


@pytest.mark.parametrize(
    "action, columns",
    [("added", ("created", "added")), ("removed", ("deleted", "removed"))],
)
def test_repositories_that_come_and_go_append_rows(
    hook: Hook, clock: DrivenClock, action: str, columns: tuple[str, str]
) -> None:
    payload = payloads.installation_repositories(action, INSTALLATION, ALICE, [TOOLS, SPARE])
    assert hook.send("installation_repositories", payload).status_code == 202
    rows = RepositoryRow.objects.values_list("last_action", "installation_action", "installation_action_date")
    assert list(rows) == [(*columns, clock.now)] * 2
    assert set(RepositoryRow.objects.values_list("owner_login", "owner_id")) == {("octo", 70)}


def test_a_listed_repository_without_an_id_is_passed_over(hook: Hook) -> None:
    payload = payloads.installation_repositories("removed", INSTALLATION, ALICE, [TOOLS])
    payload["repositories_removed"] += [
        {},
        {"id": 5},
        {"full_name": "o/x"},
        {"id": 5, "full_name": "no slash"},
        None,
        3,
    ]
    assert hook.send("installation_repositories", payload).status_code == 202
    assert RepositoryRow.objects.get().github_id == TOOLS.id


def test_many_repositories_come_in_one_event(hook: Hook) -> None:
    many = [replace(SPARE, id=5000 + number, name=f"spare-{number}") for number in range(1200)]
    assert hook.send("installation", installation("created", *many)).status_code == 202
    assert RepositoryRow.objects.count() == 1200


# ---------------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("action", ["added", "edited", "removed"])
def test_a_member_fills_the_users(hook: Hook, action: str) -> None:
    assert hook.send("member", payloads.member(action, TOOLS, ALICE, ALICE)).status_code == 202
    row = User.objects.get()
    assert (row.user_id, row.login, row.token, row.processing_state) == (71, "alice", None, "NEW")


def test_a_known_member_keeps_what_others_wrote(hook: Hook) -> None:
    hook.send("member", payloads.member("added", TOOLS, ALICE, ALICE))
    User.objects.update(token="t", email="a@example.org", processing_state="PROCESSED", updated_at=BASE)
    hook.send("member", payloads.member("edited", TOOLS, replace(ALICE, login="alice-new"), ALICE))
    row = User.objects.get()
    assert (row.login, row.token, row.email, row.processing_state) == (
        "alice-new",
        "t",
        "a@example.org",
        "UPDATED",
    )


def test_a_null_member_is_ignored_by_name(hook: Hook) -> None:
    answer = hook.send("member", payloads.member("added", TOOLS, ALICE, ALICE) | {"member": None})
    assert (answer.status_code, answer.json()["status"]) == (200, "ignored")
    assert "member" in Delivery.objects.get().note


# ---------------------------------------------------------------------------------------------------------------------
def release(action: str = "published", name: str = "One", author: Any = ALICE) -> dict[str, Any]:
    return payloads.release(action, TOOLS, "v1.0", author, name=name)


@pytest.mark.parametrize(
    "action", ["created", "edited", "prereleased", "published", "released", "unpublished"]
)
def test_a_release_has_one_row(hook: Hook, action: str) -> None:
    hook.send("release", release("created", name="Draft"))
    assert hook.send("release", release(action)).status_code == 202
    row = Release.objects.get()
    assert (row.release_name, row.tag_name, row.release_created_at) == ("One", "v1.0", TOOLS.updated_at)
    assert (row.repository_owner, row.repository_name) == ("octo", "tools")
    assert row.html_url == "https://github.com/octo/tools/releases/tag/v1.0"


def test_a_deleted_release_has_none(hook: Hook) -> None:
    for action in ("created", "deleted"):
        assert hook.send("release", release(action)).status_code == 202
    assert not Release.objects.exists()


def test_our_own_release_is_an_echo(hook: Hook) -> None:
    assert hook.send("release", release(author=OUR_BOT)).json()["status"] == "echo"
    assert Release.objects.count() == 1


# ---------------------------------------------------------------------------------------------------------------------
NO_RULE = ["star", "gollum", "fork", "deployment", "page_build", "security_advisory", "an_event_of_next_year"]


@pytest.mark.parametrize("event", NO_RULE)
@pytest.mark.parametrize(
    "payload", [{}, payloads.common(TOOLS, ALICE), {"action": 7, "repository": [], "sender": "x"}]
)
def test_an_unknown_event_is_recorded_and_ignored(hook: Hook, event: str, payload: dict) -> None:
    assert event not in WRITERS
    answer = hook.send(event, payload)
    assert (answer.status_code, answer.json()["status"]) == (200, "ignored")
    kept = Delivery.objects.get()
    assert (kept.event, kept.status, kept.hook_id) == (event, "ignored", HOOK_ID)
    assert kept.note
    assert not any(model.objects.exists() for model in CLAIMED)


def test_a_ping_is_recorded_with_its_repository(hook: Hook) -> None:
    payload = payloads.ping(TOOLS, HOOK_ID, ALICE, "https://example.org/webhooks/github")
    assert hook.send("ping", payload).status_code == 200
    kept = Delivery.objects.get()
    assert (kept.status, kept.repository_owner, kept.repository_name) == ("ignored", "octo", "tools")
    assert (kept.sender_login, kept.target_type, kept.target_id) == ("alice", "integration", 200100)


UNKNOWN_ACTIONS = {
    "pull_request_review": payloads.pull_request_review("submitted", PULL, ALICE),
    "issue_comment": payloads.issue_comment("created", PULL, ALICE, "x"),
    "repository": payloads.repository("created", TOOLS, ALICE),
    "installation": installation("created"),
    "installation_repositories": payloads.installation_repositories("added", INSTALLATION, ALICE, [TOOLS]),
    "check_suite": {**payloads.common(TOOLS, ALICE)},
}


@pytest.mark.parametrize("event", UNKNOWN_ACTIONS)
@pytest.mark.parametrize("action", ["pondered", "", None, 7, ["created"]])
def test_an_unknown_action_is_recorded_and_ignored(hook: Hook, event: str, action: Any) -> None:
    answer = hook.send(event, UNKNOWN_ACTIONS[event] | {"action": action})
    assert (answer.status_code, answer.json()["status"]) == (200, "ignored")
    assert not any(model.objects.exists() for model in CLAIMED)
