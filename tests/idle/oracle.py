"""The rules of the idle line once more, in plain Python: what the view must equal."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from datetime import datetime, timedelta
from operator import attrgetter


@dataclass(frozen=True, kw_only=True)
class PullRequestFact:
    sequence: int
    owner: str
    name: str
    state: str
    processing_state: str
    retries: int
    updated_at: datetime
    installation_id: int | None

    @property
    def repository(self) -> tuple[str, str]:
        return self.owner.lower(), self.name.lower()


@dataclass(frozen=True, kw_only=True)
class RepositoryFact:
    sequence: int
    owner: str
    name: str
    private: bool
    archived: bool
    last_action: str
    installation_action: str
    installation_id: int | None


@dataclass(frozen=True, kw_only=True)
class InstallationFact:
    sequence: int
    installation_id: int
    status: str
    suspended: bool


@dataclass(frozen=True, kw_only=True)
class Line:
    """One row of the view, as far as it is derived."""

    sequence: int
    status: str
    rank: int
    last_update: datetime
    private: bool | None
    next_retry_at: datetime | None
    blocked: str | None


def line_up(
    pull_requests: list[PullRequestFact],
    repositories: list[RepositoryFact],
    installations: list[InstallationFact],
    now: datetime,
) -> list[Line]:
    """Return every Idle Pull Request, first served first."""
    families = defaultdict(list)
    for pull_request in pull_requests:
        families[pull_request.repository].append(pull_request)
    entries = []
    for repository, family in families.items():
        row = newest([r for r in repositories if (r.owner.lower(), r.name.lower()) == repository])
        last_update = max(member.updated_at for member in family)
        idle = sorted((p for p in family if is_idle(p, now)), key=lambda p: seniority(p, now))
        for rank, member in enumerate(idle, start=1):
            line = Line(
                sequence=member.sequence,
                status=status_of(member, now),
                rank=rank,
                last_update=last_update,
                private=row.private if row else None,
                next_retry_at=next_retry_at(member),
                blocked=blocked(member, row, installations),
            )
            status, retries, updated_at, sequence = seniority(member, now)
            entries.append(((status, retries, rank, last_update, updated_at, sequence), line))
    return [line for _, line in sorted(entries, key=lambda entry: entry[0])]


def is_idle(pull_request: PullRequestFact, now: datetime) -> bool:
    untouched = now - pull_request.updated_at >= timedelta(days=1)
    return pull_request.state == "OPEN" and pull_request.processing_state == "PROCESSED" and untouched


def status_of(pull_request: PullRequestFact, now: datetime) -> str:
    due_at = next_retry_at(pull_request)
    if due_at is None:
        return "GAVE_UP"
    return "DUE" if due_at <= now else "WAITING"


def next_retry_at(pull_request: PullRequestFact) -> datetime | None:
    if pull_request.retries >= 10:
        return None
    return pull_request.updated_at + timedelta(days=pull_request.retries + 1)


def seniority(pull_request: PullRequestFact, now: datetime) -> tuple[int, int, datetime, int]:
    status = ("DUE", "WAITING", "GAVE_UP").index(status_of(pull_request, now))
    return status, pull_request.retries, pull_request.updated_at, pull_request.sequence


def newest(rows: list):
    return max(rows, key=attrgetter("sequence"), default=None)


def blocked(
    pull_request: PullRequestFact, row: RepositoryFact | None, installations: list[InstallationFact]
) -> str | None:
    through = pull_request.installation_id
    if row:
        if row.last_action == "deleted" or row.installation_action == "removed":
            return "repository removed"
        if row.archived:
            return "repository archived"
        if row.installation_id is not None:
            through = row.installation_id
    installation = newest([i for i in installations if i.installation_id == through])
    if installation and installation.suspended:
        return "installation suspended"
    if installation and installation.status == "0":
        return "installation gone"
    return None
