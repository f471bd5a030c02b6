"""Rows of repositories and installations, written as their Events would write them."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import F

from core import bell
from core.functions import CurrentTimestamp
from githubapi.values import InstallationFacts, RepositoryFacts
from webhooks.models import Installation, Repository
from webhooks.services import renames
from webhooks.services.pending import BOT_BELL, pending_columns
from webhooks.services.rows import backfilled_columns
from webhooks.values import Cause, ProcessingState, RepositoryRef

BY_SYNC = "scheduled sync"


def repository_columns(facts: RepositoryFacts) -> dict[str, Any]:
    """Return the metadata of a repository."""
    return {
        "github_id": facts.id,
        "node_id": facts.node_id,
        "name": facts.name,
        "full_name": f"{facts.owner_login}/{facts.name}",
        "private": facts.private,
        "archived": facts.archived,
        "owner_login": facts.owner_login,
        "owner_id": facts.owner_id,
        "owner_node_id": facts.owner_node_id,
    }


def append_repository(facts: RepositoryFacts, installation_id: int) -> Repository:
    """Append the row that says "the installation can see it now", as `installation_repositories` added does."""
    row: Repository = Repository.objects.create(
        **backfilled_columns(),
        **repository_columns(facts),
        installation_id=installation_id,
        installation_action="added",
        installation_action_date=CurrentTimestamp(),
        github_updated_at=facts.updated_at,
    )
    return row


@transaction.atomic
def update_repository(row: Repository, facts: RepositoryFacts, *, began: datetime) -> bool:
    """Take over metadata; a new name reaches every table, as after a `renamed` or `transferred` Event.

    False when an Event wrote the repository since `began`.
    """
    if (current := _untouched(row, began)) is None:
        return False
    if (current.owner_login, current.name) != (facts.owner_login, facts.name):
        _carry_over(current, facts)
    Repository.objects.filter(pk=current.pk).update(
        **repository_columns(facts), github_updated_at=facts.updated_at, updated_at=F("updated_at")
    )
    return True


def _carry_over(current: Repository, facts: RepositoryFacts) -> None:
    renames.carry_over(
        renames.Rename(
            repository=RepositoryRef(facts.id, facts.owner_login, facts.name),
            old=(current.owner_login, current.name),
            cause=Cause(actor=BY_SYNC),
        )
    )


@transaction.atomic
def remove_repository(row: Repository, *, began: datetime) -> bool:
    """Append the row that says "gone", as `installation_repositories` removed does; False when an Event was faster."""
    if (current := _untouched(row, began)) is None:
        return False
    kept = ("github_id", "node_id", "name", "full_name", "private", "archived", "owner_login", "owner_id")
    Repository.objects.create(
        **backfilled_columns(),
        **{name: getattr(current, name) for name in (*kept, "owner_node_id", "installation_id")},
        last_action="deleted",
        last_action_date=CurrentTimestamp(),
        installation_action="removed",
        installation_action_date=CurrentTimestamp(),
    )
    bell.ring(BOT_BELL)
    return True


def _untouched(row: Repository, began: datetime) -> Repository | None:
    """Lock and return the repository's current row if it is still this one, and not written since `began`."""
    rows = Repository.objects.select_for_update().filter(github_id=row.github_id).order_by("-pk")
    current: Repository | None = rows.first()
    if current is None or current.pk != row.pk or current.updated_at >= began:
        return None
    return current


def installation_columns(facts: InstallationFacts) -> dict[str, Any]:
    """Return the metadata of an installation; listed and not suspended means active."""
    suspended = facts.suspended_at is not None
    return {
        "account_id": facts.account_id,
        "account_login": facts.account_login,
        "account_type": facts.account_type,
        "account_node_id": facts.account_node_id,
        "repository_selection": facts.repository_selection,
        "status": Installation.INACTIVE if suspended else Installation.ACTIVE,
        "suspended_date": facts.suspended_at,
    }


def append_installation(facts: InstallationFacts) -> Installation:
    """Register an installation whose Event was missed."""
    row: Installation = Installation.objects.create(
        **backfilled_columns(), installation_id=facts.id, **installation_columns(facts)
    )
    return row


def suspend_installation(installation_id: int, *, since: datetime | None) -> None:
    """Write what the `suspend` Event writes to the current row."""
    _deactivate(installation_id, suspended_date=since or CurrentTimestamp())


def remove_installation(installation_id: int) -> None:
    """Write what the `deleted` Event writes to the current row."""
    _deactivate(installation_id, suspended_date=None)


def _deactivate(installation_id: int, *, suspended_date: Any) -> None:
    current = Installation.objects.filter(installation_id=installation_id).order_by("-pk").values_list("pk", flat=True)
    Installation.objects.filter(pk=current.first(), status=Installation.ACTIVE).update(
        **pending_columns(ProcessingState.UPDATED),
        status=Installation.INACTIVE,
        suspended_date=suspended_date,
        updated_at=CurrentTimestamp(),
    )
    bell.ring(BOT_BELL)
