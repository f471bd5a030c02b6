"""Repositories: their own rows, and the name that every other row carries."""

from __future__ import annotations

from typing import Any

from core.functions import CurrentTimestamp
from webhooks.events.incoming import Incoming, Outcome, ignored, stale
from webhooks.models import Repository
from webhooks.services import renames, rows
from webhooks.values import RepositoryRef

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
    late = why_stale(current, incoming)
    if incoming.action in RENAMING:
        carry_over(incoming, newer=current if late else None)
    if late:
        return stale(late)
    if current is None or incoming.action in APPENDING:
        pk = rows.insert(Repository, incoming, **columns)
        return rows.said(incoming, f"new repository row {pk}: {incoming.action}")
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


def carry_over(incoming: Incoming, *, newer: Repository | None) -> None:
    """Give every row of the repository its new name: the payload's, or that of a row which has seen a later one.

    A newer Event tells the new name to the repository's own row only, so the other tables still wait for this one.
    """
    moved = incoming.action == "transferred" and newer is None
    name = RepositoryRef(newer.github_id, newer.owner_login, newer.name) if newer else incoming.repository
    renames.carry_over(
        renames.Rename(
            repository=name,
            old=old_name(incoming),
            cause=incoming.cause,
            installation_id=incoming.installation_id if moved else None,
        )
    )


def old_name(incoming: Incoming) -> tuple[str, str]:
    """Return (owner, name) before the Event, as far as the payload says."""
    changes = "changes.owner.from"
    owner = incoming.payload.name(f"{changes}.user.login") or incoming.payload.name(
        f"{changes}.organization.login"
    )
    name = incoming.payload.name("changes.repository.name.from")
    return owner or incoming.repository.owner, name or incoming.repository.name
