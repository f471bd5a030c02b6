"""GitHub's facts as the tables hold them: the same cleaning and cutting as an Event's payload gets."""

from __future__ import annotations

from datetime import UTC, datetime

from githubapi.values import BranchFacts, InstallationFacts, IssueFacts, PullRequestFacts, RepositoryFacts
from sync.values import (
    ACTIVE,
    INACTIVE,
    BranchColumns,
    InstallationMetadata,
    IssueColumns,
    Listed,
    Place,
    PullColumns,
    RepositoryMetadata,
)
from webhooks.models.base import REF_LENGTH, SHA_LENGTH
from webhooks.payload import EARLIEST, LATEST, SHORT_TEXT_BYTES, clean, cut, cut_bytes

KIND_LENGTH = 50


def pull(facts: PullRequestFacts, place: Place) -> Listed[PullColumns]:
    """Return a pull request as its row would hold it."""
    columns = PullColumns(
        **vars(place),
        node_id=name(facts.node_id),
        github_id=facts.id,
        number=facts.number,
        sender=name(facts.author_login),
        title=text(facts.title),
        ref=name(facts.head_ref, REF_LENGTH),
        head_sha=name(facts.head_sha, SHA_LENGTH),
        draft=facts.draft,
        auto_merge_enabled=facts.auto_merge_enabled,
    )
    return Listed(columns, instant(facts.updated_at))


def issue(facts: IssueFacts, place: Place) -> Listed[IssueColumns]:
    """Return an issue as its row would hold it."""
    columns = IssueColumns(
        **vars(place),
        node_id=name(facts.node_id),
        github_id=facts.id,
        number=facts.number,
        sender=name(facts.author_login),
        title=text(facts.title),
    )
    return Listed(columns, instant(facts.updated_at))


def branch(facts: BranchFacts, place: Place) -> Listed[BranchColumns]:
    """Return a branch as its row would hold it."""
    return Listed(BranchColumns(**vars(place), ref=name(facts.name, REF_LENGTH)))


def repository(facts: RepositoryFacts, installation_id: int | None) -> Listed[RepositoryMetadata]:
    """Return a repository as its current row would hold it."""
    owner = name(facts.owner_login)
    metadata = RepositoryMetadata(
        github_id=facts.id,
        node_id=name(facts.node_id),
        name=name(facts.name),
        full_name=f"{owner}/{name(facts.name)}",
        private=facts.private,
        archived=facts.archived,
        owner_login=owner,
        owner_id=facts.owner_id,
        owner_node_id=name(facts.owner_node_id),
        installation_id=installation_id,
    )
    return Listed(metadata, instant(facts.updated_at))


def installation(facts: InstallationFacts) -> Listed[InstallationMetadata]:
    """Return an installation as its current row would hold it."""
    return Listed(
        InstallationMetadata(
            installation_id=facts.id,
            account_id=facts.account_id,
            account_login=name(facts.account_login),
            account_type=cut(clean(facts.account_type), KIND_LENGTH),
            account_node_id=name(facts.account_node_id),
            repository_selection=cut(clean(facts.repository_selection), KIND_LENGTH),
            status=ACTIVE if facts.suspended_at is None else INACTIVE,
            # A date that no column holds must not make a suspended installation look like one that is gone.
            suspended_date=facts.suspended_at and (instant(facts.suspended_at) or EARLIEST),
        )
    )


def name(value: str, limit: int = 250) -> str:
    """Return a name or identifier: without white space at its end, which MariaDB would ignore."""
    return cut(clean(value), limit).rstrip()


def text(value: str) -> str:
    """Return text for a text column."""
    return cut_bytes(clean(value), SHORT_TEXT_BYTES)


def instant(value: datetime | None) -> datetime | None:
    """Return an instant that a TIMESTAMP holds, in UTC and whole seconds; None for any other."""
    if value is None:
        return None
    whole = value.astimezone(UTC).replace(microsecond=0)
    return whole if EARLIEST <= whole <= LATEST else None
