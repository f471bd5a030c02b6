"""Repositories, installations and members."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from core.functions import CurrentTimestamp
from webhooks.events.incoming import Incoming, Outcome, ignored, stale
from webhooks.models import Delivery, Installation, Repository, User
from webhooks.payload import Payload
from webhooks.services import rows

INSTALLATION_STATUS = {
    "created": Installation.ACTIVE,
    "deleted": Installation.INACTIVE,
    "suspend": Installation.INACTIVE,
    "unsuspend": Installation.ACTIVE,
    "new_permissions_accepted": None,
}


def write_installation(incoming: Incoming) -> Outcome:
    """Keep the current row of the installation; `created` appends one, with the repositories it came with."""
    if incoming.action not in INSTALLATION_STATUS:
        return ignored(f"no rule for an installation that was {incoming.action}")
    columns = installation_columns(incoming)
    found = Installation.objects.filter(installation_id=columns["installation_id"]).order_by("-pk")
    current = found.select_for_update().first()
    if current is not None and is_gone(current) and incoming.action != "unsuspend":
        return stale(f"installation {current.installation_id} is gone; GitHub never uses its id again")
    if current is None or incoming.action == "created":
        return append_installation(incoming, columns)
    if incoming.action == "suspend" and is_over(current, incoming.payload):
        return stale(f"installation {current.installation_id} was unsuspended since")
    rows.update(Installation, current.pk, incoming, **columns)
    return rows.said(incoming, f"installation row {current.pk}: {incoming.action}")


def is_gone(row: Installation) -> bool:
    """Tell a deleted installation from a suspended one, which has a date."""
    return row.status == Installation.INACTIVE and row.suspended_date is None


def is_over(row: Installation, payload: Payload) -> bool:
    """Tell whether a suspension began before the Event that ended it, which overtook it (field case F03).

    The installation's own updated_at does not move with an unsuspension, so that the row's Delivery must tell.
    """
    since = payload.instant("installation.suspended_at")
    if since is None or row.status != Installation.ACTIVE or row.date < since:
        return False
    ending = Delivery.objects.filter(guid=str(row.delivery_id), event="installation", action="unsuspend")
    return ending.exists()


def append_installation(incoming: Incoming, columns: dict[str, Any]) -> Outcome:
    """Append the installation's row and, on created, those of its repositories."""
    pk = rows.insert(Installation, incoming, **columns)
    listed = (
        append_repositories(incoming, "repositories", added_columns()) if incoming.action == "created" else 0
    )
    return rows.said(incoming, f"new installation row {pk} with {listed} repositories")


def installation_columns(incoming: Incoming) -> dict[str, Any]:
    """Return the facts of the installation; raises Unusable without its id."""
    payload = incoming.payload
    columns: dict[str, Any] = {
        "installation_id": payload.needed_id("installation.id"),
        "account_id": payload.id("installation.account.id") or 0,
        "account_login": payload.name("installation.account.login"),
        "account_type": payload.text("installation.account.type", 50),
        "account_node_id": payload.name("installation.account.node_id"),
        "repository_selection": payload.text("installation.repository_selection", 50),
    }
    if status := INSTALLATION_STATUS[incoming.action]:
        suspended = incoming.action == "suspend"
        since = payload.instant("installation.suspended_at") or CurrentTimestamp()
        columns |= {"status": status, "suspended_date": since if suspended else None}
    return columns


def write_installation_repositories(incoming: Incoming) -> Outcome:
    """Append a row for every repository that came or went."""
    if incoming.action not in {"added", "removed"}:
        return ignored(f"no rule for repositories that were {incoming.action}")
    incoming.payload.needed_id("installation.id")
    added = append_repositories(incoming, "repositories_added", added_columns())
    removed = append_repositories(incoming, "repositories_removed", removed_columns())
    return rows.said(incoming, f"{added} repositories added, {removed} removed")


def added_columns() -> dict[str, Any]:
    """Return how a repository row says that the installation can see it now."""
    return {"installation_action": "added", "installation_action_date": CurrentTimestamp()}


def removed_columns() -> dict[str, Any]:
    """Return how a repository row says that the installation can no longer see it."""
    return {
        "last_action": "deleted",
        "last_action_date": CurrentTimestamp(),
        "installation_action": "removed",
        "installation_action_date": CurrentTimestamp(),
    }


def append_repositories(incoming: Incoming, member: str, columns: dict[str, Any]) -> int:
    """Append a row for each repository listed at that member and return how many there were."""
    shared = rows.origin_columns(Repository, incoming) | rows.born(Repository, incoming) | columns
    new = [Repository(**shared, **listed) for listed in listed_repositories(incoming.payload, member)]
    Repository.objects.bulk_create(new, batch_size=500)
    return len(new)


def listed_repositories(payload: Payload, member: str) -> Iterator[dict[str, Any]]:
    """Yield the facts of each repository of a list; one without id or name says nothing and is passed over."""
    for listed in payload.objects(member):
        owner, _, name = listed.name("full_name", 500).partition("/")
        if (github_id := listed.id("id")) and owner and name:
            yield {
                "github_id": github_id,
                "node_id": listed.name("node_id"),
                "name": name,
                "full_name": f"{owner}/{name}",
                "private": listed.flag("private") is True,
                "owner_login": owner,
                "owner_id": payload.id("installation.account.id") or 0,
                "owner_node_id": payload.name("installation.account.node_id"),
            }


def write_member(incoming: Incoming) -> Outcome:
    """A repository's member fills github_users."""
    if incoming.payload.object("member") is None:
        return ignored("GitHub no longer knows this member")
    key = {"user_id": incoming.payload.needed_id("member.id")}
    login = incoming.payload.needed_name("member.login")
    return rows.upsert(User, key, incoming, login=login)
