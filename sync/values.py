"""What the syncs compare: what we stored, what GitHub lists, and the changes between them. Pure.

Identity is GitHub's: node ids for pull requests and issues, names for branches of one repository, ids for repositories and
installations. Names of repositories are facts that may change.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Generic, TypeVar

T = TypeVar("T")


@dataclass(frozen=True)
class Listing(Generic[T]):
    """A complete listing of GitHub's, and the database's instant before its first page was asked for.

    There is no partial one: the client hands out a listing whole or raises. Rows written since `began` know more.
    """

    items: tuple[T, ...]
    began: datetime

    @classmethod
    def of(cls, items: Iterable[T], began: datetime) -> Listing[T]:
        return cls(tuple(items), began)


@dataclass(frozen=True, kw_only=True)
class Seen:
    """The state of a row when it was read; a change is written only while it still holds."""

    pk: int
    updated_at: datetime
    processing_state: str


@dataclass(frozen=True, kw_only=True)
class StoredPull(Seen):
    """A stored pull request."""

    node_id: str
    is_open: bool
    merged: bool
    title: str
    ref: str
    head_sha: str
    draft: bool
    auto_merge_enabled: bool
    github_updated_at: datetime | None


@dataclass(frozen=True, kw_only=True)
class StoredIssue(Seen):
    """A stored issue."""

    node_id: str
    is_open: bool
    title: str
    github_updated_at: datetime | None


@dataclass(frozen=True, kw_only=True)
class StoredBranch(Seen):
    """A stored branch; one that GitHub deleted keeps its row."""

    name: str
    exists: bool


@dataclass(frozen=True, kw_only=True)
class StoredRepository(Seen):
    """The current row of a repository."""

    github_id: int
    owner: str
    name: str
    private: bool
    archived: bool
    owner_id: int
    installation_id: int | None
    removed: bool


@dataclass(frozen=True, kw_only=True)
class StoredInstallation(Seen):
    """The current row of an installation."""

    installation_id: int
    account_id: int
    account_login: str
    account_type: str
    repository_selection: str
    active: bool
    suspended: bool


@dataclass(frozen=True)
class Add(Generic[T]):
    """GitHub lists it, we have no row."""

    facts: T


@dataclass(frozen=True)
class Refresh(Generic[T]):
    """The row's facts differ from GitHub's: take them over and leave everything else alone."""

    row: Seen
    facts: T


@dataclass(frozen=True)
class ReRequest:
    """Row and GitHub disagree about open or closed: the row's handler finds out and does what belongs to it."""

    row: Seen
    reason: str


@dataclass(frozen=True)
class Revive(Generic[T]):
    """A row that says "gone" of something GitHub lists."""

    row: Seen
    facts: T


@dataclass(frozen=True)
class Remove:
    """GitHub no longer lists it."""

    row: Seen


Change = Add[T] | Refresh[T] | ReRequest | Revive[T] | Remove
