"""What GitHub says, as frozen values: only what a rule of this product reads, under this product's names.

Instants are aware, in UTC. Ids are GitHub's. A login is "ghost" where GitHub names nobody (the account was
deleted), as on its own pages.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from uuid import UUID

GHOST = "ghost"

FIRST_SUCCESS = 200
FIRST_AFTER_SUCCESS = 300


@dataclass(frozen=True, slots=True, kw_only=True)
class InstallationFacts:
    """Our App on one account. `suspended_at` is None while it may be used."""

    id: int
    account_id: int
    account_login: str
    account_type: str
    account_node_id: str
    repository_selection: str
    suspended_at: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class RepositoryFacts:
    """A repository. Its `id` may differ from the one that was asked for: GitHub then redirected to a
    successor.
    """

    id: int
    node_id: str
    name: str
    full_name: str
    private: bool
    archived: bool
    has_issues: bool
    default_branch: str
    owner_id: int
    owner_login: str
    owner_node_id: str
    updated_at: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class PullRequestFacts:
    """A pull request; `state` is "open" or "closed". `head_repository_id` is None once the fork is gone."""

    id: int
    node_id: str
    number: int
    repository_id: int
    title: str
    state: str
    merged: bool
    draft: bool
    auto_merge_enabled: bool
    author_login: str
    head_ref: str
    head_sha: str
    head_repository_id: int | None
    base_ref: str
    base_sha: str
    created_at: datetime
    updated_at: datetime
    closed_at: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class PullRequestDetail:
    """A pull request asked for by itself: what no listing says of it.

    `mergeable` is None while GitHub works it out; `mergeable_state` is GitHub's own word ("clean", "blocked",
    "dirty", "unstable", "unknown", ...).
    """

    facts: PullRequestFacts
    labels: tuple[str, ...]
    mergeable: bool | None
    mergeable_state: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """How many commits the head has that the base lacks, and the other way round."""

    ahead_by: int
    behind_by: int


class UpdateOutcome(StrEnum):
    """What GitHub says to "merge the base into this branch"."""

    ACCEPTED = "accepted"
    NOTHING_TO_UPDATE = "nothing to update"
    HEAD_MOVED = "head moved"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class BranchUpdate:
    """The answer to a branch update, with GitHub's own words ("" if it gave none)."""

    outcome: UpdateOutcome
    message: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckRun:
    """A check of an App. `conclusion` is None until `status` is "completed"."""

    id: int
    name: str
    status: str
    conclusion: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class CommitStatus:
    """The newest status under one context; `state` is "success", "pending", "failure" or "error"."""

    context: str
    state: str


@dataclass(frozen=True, slots=True, kw_only=True)
class HeadChecks:
    """Everything that reports on a commit: both of GitHub's systems, each complete."""

    runs: tuple[CheckRun, ...]
    statuses: tuple[CommitStatus, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkflowRunFacts:
    """A run of GitHub Actions as it stands. `conclusion` is None until it has one; `run_attempt` counts from 1.

    Statuses: "queued", "in_progress", "completed", and others that say why it waits.
    """

    id: int
    name: str
    display_title: str
    run_number: int
    run_attempt: int
    event: str
    status: str
    conclusion: str | None
    actor_login: str
    head_branch: str
    head_sha: str
    html_url: str
    updated_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class IssueFacts:
    """An issue; `state` is "open" or "closed". Only one asked for by number can turn out a pull request."""

    id: int
    node_id: str
    number: int
    title: str
    state: str
    author_login: str
    is_pull_request: bool
    created_at: datetime
    updated_at: datetime
    closed_at: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class BranchFacts:
    """A branch by its short name ("feature/a", never "refs/heads/feature/a")."""

    name: str
    head_sha: str
    protected: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class HookDelivery:
    """One attempt of GitHub to deliver an Event. Attempts of the same Event share the GUID.

    `status_code` is what the receiver answered, 0 if nothing came back; `redelivery` tells an attempt that
    was asked for from the first one. GitHub's list names no hook.
    """

    id: int
    guid: UUID
    event: str
    action: str | None
    delivered_at: datetime
    redelivery: bool
    status: str
    status_code: int
    installation_id: int | None
    repository_id: int | None

    @property
    def accepted(self) -> bool:
        return FIRST_SUCCESS <= self.status_code < FIRST_AFTER_SUCCESS


@dataclass(frozen=True, slots=True, kw_only=True)
class Quota:
    """The primary rate limit as GitHub last stated it: requests an hour, requests left, and when it starts
    anew.
    """

    limit: int
    remaining: int
    resets_at: datetime
