"""Made-up rows and listings for the pure comparisons, and a model of what applying a change does to a row."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

from sync.values import (
    Add,
    BranchColumns,
    InstallationMetadata,
    Listed,
    Listing,
    PullColumns,
    Refresh,
    Remove,
    RepositoryMetadata,
    ReRequest,
    Revive,
    Stored,
    StoredBranch,
    StoredInstallation,
    StoredRepository,
    StoredThread,
)

T0 = datetime(2026, 3, 4, 9, 0, tzinfo=UTC)
GUID = uuid.UUID(int=1)
PLACE = {"repository_owner": "octo", "repository_name": "tools", "repository_id": 4242, "installation_id": 7}
HERE, ELSEWHERE = 7, 8


def at(second: int) -> datetime:
    return T0 + timedelta(seconds=second)


def pull_facts(key: str = "PR_1", **changes: Any) -> PullColumns:
    facts = PullColumns(
        **PLACE,
        node_id=key,
        github_id=1,
        number=5,
        sender="alice",
        title="Add a lamp",
        ref="lamp",
        head_sha="a" * 40,
        draft=False,
        auto_merge_enabled=False,
    )
    return replace(facts, **changes)


def repository_facts(key: int = 4242, **changes: Any) -> RepositoryMetadata:
    facts = RepositoryMetadata(
        github_id=key,
        node_id=f"R_{key}",
        name="tools",
        full_name="octo/tools",
        private=False,
        archived=False,
        owner_login="octo",
        owner_id=70,
        owner_node_id="O_70",
        installation_id=HERE,
    )
    return replace(facts, **changes)


def installation_facts(key: int = HERE, **changes: Any) -> InstallationMetadata:
    facts = InstallationMetadata(
        installation_id=key,
        account_id=70,
        account_login="octo",
        account_type="Organization",
        account_node_id="O_70",
        repository_selection="all",
        status="1",
        suspended_date=None,
    )
    return replace(facts, **changes)


def seen(facts: Any, *, pk: int = 1, updated: int = 0, state: str = "PROCESSED") -> dict[str, Any]:
    return {
        "pk": pk,
        "updated_at": at(updated),
        "processing_state": state,
        "delivery_id": GUID,
        "facts": facts,
    }


def pull(
    key: str = "PR_1",
    *,
    is_open: bool = True,
    merged: bool = False,
    known: int | None = None,
    facts: PullColumns | None = None,
    **row: Any,
) -> StoredThread[PullColumns]:
    return StoredThread(
        **seen(facts or pull_facts(key), **row),
        is_open=is_open,
        merged=merged,
        github_updated_at=None if known is None else at(known),
    )


def branch(ref: str = "lamp", *, exists: bool = True, **row: Any) -> StoredBranch:
    return StoredBranch(**seen(BranchColumns(**PLACE, ref=ref), **row), exists=exists)


def repository(
    facts: RepositoryMetadata | None = None, *, removed: bool = False, known: int | None = None, **row: Any
) -> StoredRepository:
    github_updated_at = None if known is None else at(known)
    return StoredRepository(
        **seen(facts or repository_facts(), **row), removed=removed, github_updated_at=github_updated_at
    )


def installation(facts: InstallationMetadata | None = None, **row: Any) -> StoredInstallation:
    return StoredInstallation(**seen(facts or installation_facts(), **row))


def listing(
    facts: Iterable[Any] = (), *, began: int = 10, changed: int | None = None, pages: int = 1
) -> Listing[Any]:
    """Return a complete listing that began ten seconds after the rows were written, unless said otherwise."""
    items = [Listed(item, None if changed is None else at(changed)) for item in facts]
    return Listing.of(items, at(began), pages=pages)


class Model:
    """The rows of one table, and what applying changes makes of them: what the services write, in plain values."""

    def __init__(self, rows: Sequence[Stored[Any]]) -> None:
        self.rows = {row.pk: row for row in rows}

    def apply(self, changes: Iterable[Any], *, second: int) -> None:
        for change in changes:
            self._apply(change, at(second))

    def _apply(self, change: Any, now: datetime) -> None:
        match change:
            case Add(item):
                self._insert(item, now)
            case Refresh(row, item):
                self.rows[row.pk] = replace(row, facts=item.facts, **self._known(row, item))
            case ReRequest(row, _):
                self.rows[row.pk] = replace(row, processing_state="RE_REQUESTED", updated_at=now)
            case Revive(row, _) if isinstance(row, StoredBranch):
                self.rows[row.pk] = replace(row, processing_state="UPDATED", updated_at=now, exists=True)
            case Revive(row, item):
                del self.rows[row.pk]  # no longer the current one
                self._insert(item, now)
            case Remove(row):
                self.rows[row.pk] = replace(row, updated_at=now, **self._removed(row))

    def _insert(self, item: Listed[Any], now: datetime) -> None:
        pk = max(self.rows, default=0) + 1
        fresh = {
            "pk": pk,
            "updated_at": now,
            "processing_state": "NEW",
            "delivery_id": uuid.uuid4(),
            "facts": item.facts,
        }
        kinds: dict[type, Any] = {
            PullColumns: lambda: StoredThread(**fresh, is_open=True, github_updated_at=item.updated_at),
            BranchColumns: lambda: StoredBranch(**fresh, exists=True),
            RepositoryMetadata: lambda: StoredRepository(
                **fresh, removed=False, github_updated_at=item.updated_at
            ),
            InstallationMetadata: lambda: StoredInstallation(**fresh),
        }
        self.rows[pk] = kinds[type(item.facts)]()

    @staticmethod
    def _known(row: Stored[Any], item: Listed[Any]) -> dict[str, Any]:
        return {"github_updated_at": item.updated_at} if hasattr(row, "github_updated_at") else {}

    @staticmethod
    def _removed(row: Stored[Any]) -> dict[str, Any]:
        match row:
            case StoredBranch():
                return {"exists": False, "processing_state": "UPDATED"}
            case StoredRepository():
                return {"removed": True}
            case StoredInstallation():
                return {
                    "facts": replace(row.facts, status="0", suspended_date=None),
                    "processing_state": "UPDATED",
                }
        raise AssertionError(row)
