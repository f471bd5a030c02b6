"""What the syncs compare: rows as we stored them, a listing of GitHub's, and the changes between them. Pure.

Both sides speak in columns, cleaned and cut as the tables hold them: so equal means equal, and writing what differs
leaves nothing to differ. Identity is GitHub's: node ids, ids, and for branches the name within their repository.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Generic, Protocol, TypeVar
from uuid import UUID

from webhooks.values import PENDING

ACTIVE, INACTIVE = "1", "0"


class Keyed(Protocol):
    """Facts that say what they are about."""

    @property
    def key(self) -> Hashable: ...


F = TypeVar("F", bound=Keyed)


@dataclass(frozen=True, kw_only=True)
class Place:
    """The repository that a row belongs to, by its present name, and the installation that sees it."""

    repository_owner: str
    repository_name: str
    repository_id: int | None
    installation_id: int | None


@dataclass(frozen=True, kw_only=True)
class PullColumns(Place):
    """The facts of a pull request."""

    node_id: str
    github_id: int
    number: int
    sender: str
    title: str
    ref: str
    head_sha: str
    draft: bool
    auto_merge_enabled: bool

    @property
    def key(self) -> str:
        return self.node_id


@dataclass(frozen=True, kw_only=True)
class IssueColumns(Place):
    """The facts of an issue."""

    node_id: str
    github_id: int
    number: int
    sender: str
    title: str

    @property
    def key(self) -> str:
        return self.node_id


@dataclass(frozen=True, kw_only=True)
class BranchColumns(Place):
    """A branch has no facts but its name."""

    ref: str

    @property
    def key(self) -> str:
        return self.ref


@dataclass(frozen=True, kw_only=True)
class RepositoryMetadata:
    """The facts of a repository, and the installation that sees it."""

    github_id: int
    node_id: str
    name: str
    full_name: str
    private: bool
    archived: bool
    owner_login: str
    owner_id: int
    owner_node_id: str
    installation_id: int | None

    @property
    def key(self) -> int:
        return self.github_id


@dataclass(frozen=True, kw_only=True)
class InstallationMetadata:
    """The facts of an installation: listed and not suspended means active."""

    installation_id: int
    account_id: int
    account_login: str
    account_type: str
    account_node_id: str
    repository_selection: str
    status: str
    suspended_date: datetime | None

    @property
    def key(self) -> int:
        return self.installation_id


@dataclass(frozen=True, kw_only=True)
class Stored(Generic[F]):
    """A row as it was read. A change is written only while the row still is what it was then.

    Every Event moves UpdatedAt or, when our own App caused it, at least DeliveryId; an Idle Retry moves the state.
    """

    pk: int
    updated_at: datetime
    processing_state: str
    delivery_id: UUID
    facts: F

    @property
    def pending(self) -> bool:
        """Somebody will look at the row anyway."""
        return self.processing_state in PENDING


@dataclass(frozen=True, kw_only=True)
class StoredThread(Stored[F]):
    """A stored pull request or issue; an issue is never merged."""

    is_open: bool
    merged: bool = False
    github_updated_at: datetime | None = None


@dataclass(frozen=True, kw_only=True)
class StoredBranch(Stored[BranchColumns]):
    """A stored branch; one that was deleted keeps its row."""

    exists: bool


@dataclass(frozen=True, kw_only=True)
class StoredRepository(Stored[RepositoryMetadata]):
    """The current row of a repository."""

    removed: bool
    github_updated_at: datetime | None = None


@dataclass(frozen=True, kw_only=True)
class StoredInstallation(Stored[InstallationMetadata]):
    """The current row of an installation."""

    @property
    def gone(self) -> bool:
        """Uninstalled: a suspended one is known to exist, by its date."""
        return self.facts.status == INACTIVE and self.facts.suspended_date is None


@dataclass(frozen=True)
class Listed(Generic[F]):
    """One item of a listing, with GitHub's own instant of its last change (None where there is none)."""

    facts: F
    updated_at: datetime | None = None


@dataclass(frozen=True)
class Listing(Generic[F]):
    """A complete listing of GitHub's, by key, and the database's instant before its first page was asked for.

    There is no partial one: the client hands a listing out whole or raises, and nothing else makes this value. An item
    that comes twice counts once. `pages` is how many answers it was read from.
    """

    items: Mapping[Hashable, Listed[F]]
    began: datetime
    pages: int = 1

    @classmethod
    def of(cls, items: Iterable[Listed[F]], began: datetime, *, pages: int = 1) -> Listing[F]:
        return cls({item.facts.key: item for item in items}, began, pages)

    @property
    def at_one_instant(self) -> bool:
        """Whether it is one snapshot. Between two pages an item can slip from the one not yet read to the one read."""
        return self.pages == 1

    def without(self, rows: Iterable[Stored[F]]) -> set[Any]:
        """Return the keys of the items that none of the rows is about."""
        return self.items.keys() - {row.facts.key for row in rows}

    def and_also(self, other: Listing[F]) -> Listing[F]:
        """Return what either of two readings has, as of the first: missing is then what both miss."""
        return replace(self, items={**other.items, **self.items})


@dataclass(frozen=True)
class Add(Generic[F]):
    """GitHub lists it, we have no row."""

    item: Listed[F]


@dataclass(frozen=True)
class Refresh(Generic[F]):
    """The row's facts differ from GitHub's: take them over and leave everything else alone."""

    row: Stored[F]
    item: Listed[F]


@dataclass(frozen=True)
class ReRequest(Generic[F]):
    """Row and GitHub disagree about open or closed: the row's handler finds out and does what belongs to it."""

    row: Stored[F]
    reason: str


@dataclass(frozen=True)
class Revive(Generic[F]):
    """GitHub lists what the row says is gone."""

    row: Stored[F]
    item: Listed[F]


@dataclass(frozen=True)
class Remove(Generic[F]):
    """GitHub no longer lists it."""

    row: Stored[F]


ThreadChange = Add[F] | Refresh[F] | ReRequest[F]
BranchChange = Add[BranchColumns] | Revive[BranchColumns] | Remove[BranchColumns]
RepositoryChange = (
    Add[RepositoryMetadata]
    | Refresh[RepositoryMetadata]
    | Revive[RepositoryMetadata]
    | Remove[RepositoryMetadata]
)
InstallationChange = Add[InstallationMetadata] | Refresh[InstallationMetadata] | Remove[InstallationMetadata]
AnyChange = Add[Any] | Refresh[Any] | ReRequest[Any] | Revive[Any] | Remove[Any]


@dataclass(frozen=True, kw_only=True)
class Asked:
    """How often GitHub was asked to send a Delivery again, and from when on it may be asked once more."""

    attempts: int
    next_at: datetime
