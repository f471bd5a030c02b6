"""A renamed or transferred repository: every row that carries its name follows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.db import models
from django.db.models import F

from webhooks.models import REPOSITORY_SCOPED, PullRequest, RecentActivity, Repository
from webhooks.services import history
from webhooks.values import Cause, HistoryKind, RepositoryRef


@dataclass(frozen=True, kw_only=True)
class Rename:
    """A repository under its new name, the (owner, name) it had, and who says so.

    `installation_id` is the one that sees it after a transfer; None = as before.
    """

    repository: RepositoryRef
    old: tuple[str, str]
    cause: Cause
    installation_id: int | None = None

    def columns(self, owner: str, name: str) -> dict[str, Any]:
        """Return what is written, under a table's own column names."""
        columns: dict[str, Any] = {owner: self.repository.owner, name: self.repository.name}
        if self.installation_id:
            columns["installation_id"] = self.installation_id
        return columns


def carry_over(rename: Rename) -> None:
    """Write the new name to all rows of the repository's id, and to rows without an id under the old name.

    UpdatedAt is kept and nothing becomes pending: the pull requests themselves did not change.
    """
    owner, name = rename.old
    for model in REPOSITORY_SCOPED:
        _rename(model, rename, repository_id=rename.repository.id)
        _rename(model, rename, repository_id=None, repository_owner=owner, repository_name=name)
    _rename_repository_rows(rename)


def _rename(model: type[models.Model], rename: Rename, **key: Any) -> None:
    found = model._default_manager.filter(**key)
    if model is PullRequest:
        _note(found, rename)
    kept = {} if model is RecentActivity else {"updated_at": F("updated_at")}
    columns = rename.columns("repository_owner", "repository_name")
    found.update(**columns, **kept, repository_id=rename.repository.id)


def _note(pulls: models.QuerySet[Any], rename: Rename) -> None:
    history.append_batch(
        pulls.order_by("pk").values_list("pk", "processing_state"),
        HistoryKind.RENAME,
        None,
        reason=f"the repository is now {rename.repository}",
        cause=rename.cause,
    )


def _rename_repository_rows(rename: Rename) -> None:
    Repository.objects.filter(github_id=rename.repository.id).update(
        **rename.columns("owner_login", "name"), full_name=str(rename.repository), updated_at=F("updated_at")
    )
