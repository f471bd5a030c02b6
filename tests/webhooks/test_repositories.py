"""Repository events: rows appended or updated, and names carried over to every table (field case F20)."""

from __future__ import annotations

import uuid
from dataclasses import replace
from typing import Any

import pytest

from sandbox import payloads
from sandbox.world import Installation, Person, Repository
from tests.webhooks.hook import ALICE, BASE, INSTALLATION, OCTO, PULL, TOOLS, Hook, at
from webhooks import models
from webhooks.models import REPOSITORY_SCOPED, Delivery, PullRequest, PullRequestHistory

UPDATING = ["archived", "unarchived", "privatized", "publicized", "edited", "renamed", "transferred"]


def event(action: str, repo: Repository = TOOLS, second: int = 0, **changes: Any) -> dict[str, Any]:
    return payloads.repository(action, replace(repo, updated_at=at(second)), ALICE) | changes


def current(github_id: int = TOOLS.id) -> models.Repository:
    found: models.Repository = models.Repository.objects.filter(github_id=github_id).latest("sequence")
    return found


def test_a_created_repository_is_a_row_with_its_facts(hook: Hook) -> None:
    assert hook.send("repository", event("created")).status_code == 202
    row = current()
    assert (row.owner_login, row.name, row.full_name, row.private) == ("octo", "tools", "octo/tools", False)
    assert (row.owner_id, row.node_id, row.installation_id) == (OCTO.id, TOOLS.node_id, 7)
    assert (row.last_action, row.installation_action, row.processing_state) == ("created", "", "NEW")


@pytest.mark.parametrize("action", UPDATING)
def test_other_actions_update_the_current_row(hook: Hook, action: str) -> None:
    hook.send("repository", event("created"))
    hook.send("repository", event(action, replace(TOOLS, archived=action == "archived"), second=5))
    assert models.Repository.objects.count() == 1
    assert (current().last_action, current().archived) == (action, action == "archived")


@pytest.mark.parametrize("action", UPDATING)
def test_other_actions_append_where_no_row_is_known(hook: Hook, action: str) -> None:
    assert hook.send("repository", event(action)).status_code == 202
    assert current().last_action == action


def test_created_and_deleted_append(hook: Hook) -> None:
    for second, action in enumerate(("created", "deleted")):
        hook.send("repository", event(action, second=second))
    assert list(models.Repository.objects.order_by("pk").values_list("last_action", flat=True)) == [
        "created",
        "deleted",
    ]


def test_a_late_event_does_not_bring_a_deleted_repository_back(hook: Hook) -> None:
    for action in ("created", "deleted", "edited"):
        answer = hook.send("repository", event(action))
    assert answer.json()["status"] == "stale"
    assert current().last_action == "deleted"


def test_an_older_event_keeps_the_newer_facts(hook: Hook) -> None:
    hook.send("repository", event("privatized", replace(TOOLS, private=True), second=9))
    assert hook.send("repository", event("edited", second=3)).json()["status"] == "stale"
    assert current().private is True


# ---------------------------------------------------------------------------------------------------------------------
def scoped_row(model: Any, **columns: Any) -> Any:
    """Insert a row of any repository-scoped table, processed, with its unique columns made up."""
    unique = {
        "node_id": str(uuid.uuid4()),
        "delivery_id": uuid.uuid4(),
        "updated_at": BASE,
        "processing_state": "PROCESSED",
    }
    unique |= dict.fromkeys(("comment_id", "workflow_run_id", "release_id"), uuid.uuid4().int % 10**15)
    unique |= {"ref": str(uuid.uuid4()), "repository_owner": "octo", "repository_name": "tools", **columns}
    fields = {field.name for field in model._meta.concrete_fields}
    row = {name: value for name, value in unique.items() if name in fields}
    if model is models.PendingAction:
        row["notification"] = models.Notification.objects.create(title="parent", repository_name="elsewhere")
    return model.objects.create(**row)


RENAMED = replace(TOOLS, name="instruments", updated_at=at(60))
RENAMING = payloads.repository("renamed", RENAMED, ALICE, old_name="tools")
NEW_OWNER = Person(id=900, login="orbit", type="Organization")
MOVED = replace(
    TOOLS, owner=NEW_OWNER, installation=Installation(id=88, account=NEW_OWNER), updated_at=at(60)
)
MOVING = payloads.repository("transferred", MOVED, ALICE) | {
    "changes": {"owner": {"from": {"organization": {"login": "octo", "id": OCTO.id}}}}
}
MOVING_FROM_USER = MOVING | {"changes": {"owner": {"from": {"user": {"login": "octo", "id": OCTO.id}}}}}


@pytest.mark.parametrize("model", REPOSITORY_SCOPED)
@pytest.mark.parametrize(
    "payload, name, installation",
    [
        (RENAMING, ("octo", "instruments"), 7),
        (MOVING, ("orbit", "tools"), 88),
        (MOVING_FROM_USER, ("orbit", "tools"), 88),
    ],
)
def test_a_new_name_reaches_every_row_and_wakes_none(
    hook: Hook, model: Any, payload: dict, name: tuple, installation: int
) -> None:
    by_id = scoped_row(model, repository_id=TOOLS.id, installation_id=7)
    older_name = scoped_row(model, repository_id=TOOLS.id, repository_name="very-old", installation_id=7)
    by_name = scoped_row(
        model, repository_id=None, repository_owner="Octo", repository_name="TOOLS", installation_id=7
    )
    other = scoped_row(model, repository_id=5, installation_id=7)
    stranger = scoped_row(model, repository_id=None, repository_name="tools2", installation_id=7)
    assert hook.send("repository", payload).status_code == 202
    after = model.objects.in_bulk()
    for row in (by_id, older_name, by_name):
        found = after[row.pk]
        assert (found.repository_owner, found.repository_name, found.repository_id) == (*name, TOOLS.id)
        assert found.installation_id == installation
    for row in (other, stranger):
        assert (after[row.pk].repository_name, after[row.pk].repository_id) == (
            row.repository_name,
            row.repository_id,
        )
    for row in after.values():
        assert getattr(row, "updated_at", BASE) == BASE or getattr(row, "title", "") == "parent"
        assert getattr(row, "processing_state", "PROCESSED") == "PROCESSED"


def test_a_new_name_is_a_line_in_each_pull_requests_history(hook: Hook) -> None:
    rows = [scoped_row(PullRequest, repository_id=TOOLS.id), scoped_row(PullRequest, repository_id=None)]
    guid = uuid.uuid4()
    hook.send("repository", RENAMING, guid=guid)
    lines = PullRequestHistory.objects.values_list(
        "pull_request_sequence", "kind", "from_state", "to_state", "delivery_guid"
    )
    assert list(lines) == [(row.pk, "rename", "PROCESSED", "PROCESSED", str(guid)) for row in rows]


def test_a_new_name_keeps_idle_retries(hook: Hook) -> None:
    scoped_row(PullRequest, repository_id=TOOLS.id, idle_retry_count=6)
    hook.send("repository", RENAMING)
    assert PullRequest.objects.get().idle_retry_count == 6


def test_every_row_of_the_repository_itself_gets_the_new_name(hook: Hook) -> None:
    hook.send("repository", event("created"))
    hook.send("repository", event("created", second=1))
    models.Repository.objects.update(processing_state="PROCESSED", updated_at=BASE)
    hook.send("repository", MOVING)
    names = models.Repository.objects.order_by("pk").values_list(
        "full_name", "installation_id", "processing_state"
    )
    assert list(names) == [("orbit/tools", 88, "PROCESSED"), ("orbit/tools", 88, "UPDATED")]


@pytest.mark.parametrize("payload, name", [(RENAMING, ("octo", "instruments")), (MOVING, ("orbit", "tools"))])
def test_a_new_name_that_comes_late_is_carried_over_all_the_same(
    hook: Hook, payload: dict, name: tuple
) -> None:
    """A newer Event of the repository has brought the new name already, but to the repository's own row only."""
    scoped_row(PullRequest, repository_id=TOOLS.id)
    scoped_row(PullRequest, repository_id=None)
    hook.send("repository", event("created"))
    hook.send(
        "repository",
        event("edited", replace(TOOLS, owner=replace(OCTO, login=name[0]), name=name[1]), second=99),
    )
    assert hook.send("repository", payload).json()["status"] == "stale"
    rows = PullRequest.objects.values_list("repository_owner", "repository_name", "repository_id")
    assert set(rows) == {(*name, TOOLS.id)}


def test_a_late_name_gives_way_to_a_newer_one(hook: Hook) -> None:
    scoped_row(PullRequest, repository_id=TOOLS.id)
    newest = payloads.repository(
        "renamed", replace(TOOLS, name="newest", updated_at=at(99)), ALICE, old_name="instruments"
    )
    for late in (newest, RENAMING):
        hook.send("repository", late)
    assert current().name == PullRequest.objects.get().repository_name == "newest"


def test_f20_names_change_hands_and_ids_do_not(hook: Hook) -> None:
    def send(action: str, github_id: int, owner: Person, name: str, **changes: Any) -> None:
        repo = Repository(id=github_id, name=name, owner=owner, installation=INSTALLATION)
        payload = payloads.repository(action, repo, ALICE, old_name=changes.pop("old", None)) | changes
        assert hook.send("repository", payload).status_code == 202

    def open_five(github_id: int, name: str) -> None:
        repo = Repository(id=github_id, name=name, owner=OCTO)
        five = replace(PULL, id=github_id * 100, repository=repo)
        assert hook.send("pull_request", payloads.pull_request("opened", five, ALICE)).status_code == 202

    send("created", 1, OCTO, "a")
    send("created", 2, OCTO, "b")
    open_five(1, "a")
    send("renamed", 2, OCTO, "c", old="b")
    send("renamed", 1, OCTO, "b", old="a")
    send("deleted", 1, OCTO, "b")
    send("created", 3, OCTO, "b")
    open_five(3, "b")
    from_octo = {"owner": {"from": {"organization": {"login": "octo", "id": OCTO.id}}}}
    send("transferred", 2, Person(id=6, login="p"), "c", changes=from_octo)
    rows = {number: (current(number).full_name, current(number).last_action) for number in (1, 2, 3)}
    assert rows == {1: ("octo/b", "deleted"), 2: ("p/c", "transferred"), 3: ("octo/b", "created")}
    pulls = PullRequest.objects.order_by("repository_id").values_list(
        "repository_id", "repository_name", "github_id"
    )
    assert list(pulls) == [(1, "b", 100), (3, "b", 300)]


def test_a_lost_rename_is_healed_by_the_next_event_of_the_pull_request(hook: Hook) -> None:
    hook.send("pull_request", payloads.pull_request("opened", PULL, ALICE))
    later = replace(PULL, repository=RENAMED, updated_at=at(5))
    hook.send("pull_request", payloads.pull_request("edited", later, ALICE))
    assert PullRequest.objects.get().repository_name == "instruments"


def test_a_repository_event_without_a_repository_is_unusable(hook: Hook) -> None:
    answer = hook.send("repository", {"action": "edited", "repository": None})
    assert answer.status_code == 422
    assert "repository.id" in Delivery.objects.get().error
