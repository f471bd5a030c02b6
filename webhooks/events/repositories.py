"""Repositories: their own rows, and the name that every other row carries."""

from __future__ import annotations

from typing import Any

from core.functions import CurrentTimestamp
from webhooks.events.incoming import Incoming, Outcome, ignored, stale
from webhooks.models import Repository
from webhooks.payload import Payload
from webhooks.services import renames, rows

APPENDING = frozenset({"created", "deleted"})
RENAMING = frozenset({"renamed", "transferred"})
UPDATING = frozenset({"archived", "unarchived", "privatized", "publicized", "edited"}) | RENAMING
DELETED = "deleted"


def write_repository(incoming: Incoming) -> Outcome:
    """`created` and `deleted` append a row; others update the current one, else append; renames reach every table."""
    if incoming.action not in APPENDING | UPDATING:
        return ignored(f"no rule for a repository that was {incoming.action}")
    columns = repository_columns(incoming)
    found = Repository.objects.filter(github_id=columns["github_id"]).order_by("-pk")
    current = found.select_for_update().first()
    if reason := why_stale(current, incoming):
        return stale(reason)
    if incoming.action in RENAMING:
        carry_over(incoming)
    if current is None or incoming.action in APPENDING:
        row = rows.insert(Repository, incoming, **columns)
        return rows.said(incoming, f"new repository row {row.pk}: {incoming.action}")
    rows.update(Repository, current.pk, incoming, **columns)
    return rows.said(incoming, f"repository row {current.pk}: {incoming.action}")


def why_stale(current: Repository | None, incoming: Incoming) -> str:
    """Return why an Event comes too late for the current row; "" = it does not."""
    if current is None or incoming.action == "created":
        return ""
    if current.last_action == DELETED and current.installation_action == "" and incoming.action != DELETED:
        return f"repository row {current.pk} is deleted; a late Event does not bring it back"
    given, known = incoming.payload.instant("repository.updated_at"), current.github_updated_at
    if incoming.action != DELETED and given and known and given < known:
        return f"older than what repository row {current.pk} shows"
    return ""


def repository_columns(incoming: Incoming) -> dict[str, Any]:
    """Return the facts of the repository; raises Unusable."""
    payload, repository = incoming.payload, incoming.repository
    return {
        "github_id": repository.id,
        "node_id": payload.name("repository.node_id"),
        "name": repository.name,
        "full_name": f"{repository.owner}/{repository.name}",
        "private": payload.flag("repository.private") is True,
        "archived": payload.flag("repository.archived") is True or incoming.action == "archived",
        "owner_login": repository.owner,
        "owner_id": payload.id("repository.owner.id") or 0,
        "owner_node_id": payload.name("repository.owner.node_id"),
        "last_action": incoming.action,
        "last_action_date": CurrentTimestamp(),
        "github_updated_at": payload.instant("repository.updated_at"),
    }


def carry_over(incoming: Incoming) -> None:
    """Give every row of the repository its new name."""
    moved = incoming.action == "transferred"
    renames.carry_over(
        incoming.repository,
        old=old_name(incoming.payload, incoming),
        installation_id=incoming.installation_id if moved else None,
        actor=incoming.sender_login,
        delivery_guid=incoming.guid,
    )


def old_name(payload: Payload, incoming: Incoming) -> tuple[str, str]:
    """Return (owner, name) before the Event, as far as the payload says."""
    owner = payload.name("changes.owner.from.user.login") or payload.name("changes.owner.from.organization.login")
    name = payload.name("changes.repository.name.from")
    return owner or incoming.repository.owner, name or incoming.repository.name
