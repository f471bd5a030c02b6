"""A renamed or transferred repository: every row that carries its name follows."""

from __future__ import annotations

from typing import Any

from django.db import models
from django.db.models import F

from webhooks.events.incoming import RepositoryRef
from webhooks.models import REPOSITORY_SCOPED, PullRequest, RecentActivity, Repository
from webhooks.services import history
from webhooks.values import HistoryKind


def carry_over(
    repository: RepositoryRef, *, old: tuple[str, str], installation_id: int | None, actor: str, delivery_guid: str
) -> None:
    """Write the new owner and name to all rows of the repository's id, and to rows without an id under the old name.

    UpdatedAt is kept and nothing becomes pending: the pull requests themselves did not change. `installation_id` is the
    one the payload came through after a transfer.
    """
    new = {"repository_owner": repository.owner, "repository_name": repository.name, "repository_id": repository.id}
    if installation_id:
        new["installation_id"] = installation_id
    by_name = {"repository_id": None, "repository_owner": old[0], "repository_name": old[1]}
    for model in REPOSITORY_SCOPED:
        for key in ({"repository_id": repository.id}, by_name):
            _rename(model, key, new, repository, actor, delivery_guid)
    _rename_repository_rows(repository, installation_id)


def _rename(
    model: type[models.Model],
    key: dict[str, Any],
    new: dict[str, Any],
    repository: RepositoryRef,
    actor: str,
    delivery_guid: str,
) -> None:
    found = model._default_manager.filter(**key)
    if model is PullRequest:
        history.append_batch(
            found.order_by("pk").values_list("pk", "processing_state"),
            HistoryKind.RENAME,
            reason=f"the repository is now {repository.owner}/{repository.name}",
            actor=actor,
            to_state=None,
            delivery_guid=delivery_guid,
        )
    kept = {} if model is RecentActivity else {"updated_at": F("updated_at")}
    found.update(**new, **kept)


def _rename_repository_rows(repository: RepositoryRef, installation_id: int | None) -> None:
    columns: dict[str, Any] = {
        "owner_login": repository.owner,
        "name": repository.name,
        "full_name": f"{repository.owner}/{repository.name}",
        "updated_at": F("updated_at"),
    }
    if installation_id:
        columns["installation_id"] = installation_id
    Repository.objects.filter(github_id=repository.id).update(**columns)
