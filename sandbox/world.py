"""The things of a pretended GitHub, as plain values: who, which repository, which pull request.

They hold facts only. `sandbox.resources` words them as GitHub's JSON, `sandbox.payloads` wraps that into
Events. A change is a new value (`dataclasses.replace`), so that a scenario can tell yesterday's pull
request from today's.
"""

from __future__ import annotations

import base64
import hashlib
import struct
from dataclasses import dataclass, field
from datetime import UTC, datetime

BEGINNING = datetime(2024, 2, 29, 9, 30, tzinfo=UTC)
NO_COMMIT = "0" * 40


def sha(text: str) -> str:
    """Return a commit id that is always the same for the same text (40 hex digits)."""
    return hashlib.sha256(text.encode()).hexdigest()[:40]


def node_id(prefix: str, *ids: int) -> str:
    """Return a node id of GitHub's present form: prefix, underscore, base64 of the packed ids.

    The packing is MessagePack: an array of a zero and the ids, each with its width's marker.
    """
    packed = bytes([0x91 + len(ids), 0]) + b"".join(_packed(number) for number in ids)
    return f"{prefix}_{base64.urlsafe_b64encode(packed).decode().rstrip('=')}"


def _packed(number: int) -> bytes:
    return struct.pack(">BI", 0xCE, number) if number < 2**32 else struct.pack(">BQ", 0xCF, number)


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    """An account; `type` is User, Organization or Bot."""

    id: int
    login: str
    type: str = "User"

    @property
    def node_id(self) -> str:
        return node_id({"User": "U", "Organization": "O", "Bot": "BOT"}[self.type], self.id)

    @property
    def email(self) -> str:
        return f"{self.id}+{self.login}@users.noreply.github.com"


@dataclass(frozen=True, slots=True, kw_only=True)
class Installation:
    """Our App on one account."""

    id: int
    account: Person
    app_id: int = 200100
    app_slug: str = "pullkeeper-demo"
    selection: str = "all"
    created_at: datetime = BEGINNING
    suspended_at: datetime | None = None

    @property
    def node_id(self) -> str:
        return base64.b64encode(f"023:IntegrationInstallation{self.id}".encode()).decode()


@dataclass(frozen=True, slots=True, kw_only=True)
class Repository:
    """A repository; `installation` is None where a plain webhook and no App delivers."""

    id: int
    name: str
    owner: Person
    installation: Installation | None = None
    private: bool = False
    archived: bool = False
    fork: bool = False
    default_branch: str = "main"
    description: str | None = None
    language: str | None = "Python"
    created_at: datetime = BEGINNING
    updated_at: datetime = BEGINNING

    @property
    def full_name(self) -> str:
        return f"{self.owner.login}/{self.name}"

    @property
    def node_id(self) -> str:
        return node_id("R", self.id)


@dataclass(frozen=True, slots=True, kw_only=True)
class PullRequest:
    """A pull request; `author` is None for a deleted account, `fork_deleted`: its head repository is gone."""

    id: int
    number: int
    repository: Repository
    title: str
    author: Person | None
    head_ref: str
    head_sha: str
    updated_at: datetime
    # "": the default branch, whatever it is called.
    base_ref: str = ""
    created_at: datetime = BEGINNING
    body: str | None = None
    draft: bool = False
    state: str = "open"
    merged: bool = False
    auto_merge: bool = False
    fork_deleted: bool = False
    labels: tuple[str, ...] = ()
    milestone: str | None = None
    changed_files: int = 2
    closed_at: datetime | None = None

    @property
    def node_id(self) -> str:
        return node_id("PR", self.repository.id, self.id)

    @property
    def base_sha(self) -> str:
        return sha(f"{self.repository.id} base")


@dataclass(frozen=True, slots=True, kw_only=True)
class Issue:
    """An issue that is not a pull request."""

    id: int
    number: int
    repository: Repository
    title: str
    author: Person | None
    updated_at: datetime
    created_at: datetime = BEGINNING
    body: str | None = None
    state: str = "open"
    labels: tuple[str, ...] = ()

    @property
    def node_id(self) -> str:
        return node_id("I", self.repository.id, self.id)


@dataclass(frozen=True, slots=True, kw_only=True)
class Commit:
    """One commit of a push."""

    sha: str
    message: str
    author: Person
    at: datetime
    modified: tuple[str, ...] = field(default=("README.md",))
