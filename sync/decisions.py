"""Stored rows against a complete listing of GitHub's, and the changes that make them agree. Pure.

What every rule here keeps to: a row written since the listing began is not judged (an Event knows more); a row that is
pending already is left to whoever works on it; applying the changes and comparing again yields no change.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

from githubapi.values import BranchFacts, InstallationFacts, IssueFacts, PullRequestFacts, RepositoryFacts
from sync.values import (
    Add,
    Change,
    Listing,
    Refresh,
    Remove,
    ReRequest,
    Revive,
    Seen,
    StoredBranch,
    StoredInstallation,
    StoredIssue,
    StoredPull,
    StoredRepository,
)
from webhooks.values import PENDING, ProcessingState

Row = TypeVar("Row", bound=Seen)
Facts = TypeVar("Facts")
Key = TypeVar("Key")

NOT_OPEN_ANY_MORE = "GitHub no longer lists it as open"
OPEN_AGAIN = "GitHub lists it as open"


def judgeable(row: Seen, listing: Listing[Facts]) -> bool:
    """Tell whether the listing may say anything of the row: whole seconds, so the same second is too late."""
    return row.updated_at < listing.began


def waits_for_work(row: Seen) -> bool:
    """Tell whether somebody will look at the row, or does so now."""
    return row.processing_state in PENDING or row.processing_state == ProcessingState.PROCESSING


def match(
    rows: Iterable[Row], items: Iterable[Facts], row_key: Callable[[Row], Key], item_key: Callable[[Facts], Key]
) -> Iterator[tuple[Row | None, Facts | None]]:
    """Yield (row, item) for every key, with None where one side lacks it; of several rows of a key the last counts."""
    by_key = {row_key(row): row for row in rows}
    for item in items:
        yield by_key.pop(item_key(item), None), item
    for row in by_key.values():
        yield row, None


def diff_pull_requests(rows: Iterable[StoredPull], listing: Listing[PullRequestFacts]) -> list[Change[PullRequestFacts]]:
    """Compare a repository's pull requests with GitHub's open ones."""
    pairs = match(rows, listing.items, lambda row: row.node_id, lambda facts: facts.node_id)
    changes = (_pull_request(row, facts, listing) for row, facts in pairs)
    return [change for change in changes if change]


def _pull_request(
    row: StoredPull | None, facts: PullRequestFacts | None, listing: Listing[PullRequestFacts]
) -> Change[PullRequestFacts] | None:
    if row is None:
        return Add(facts) if facts else None
    if not judgeable(row, listing):
        return None
    if facts is None:
        return _no_longer_open(row, is_open=row.is_open)
    if not row.is_open:
        return None if row.merged else _open_again(row)
    older = row.github_updated_at is not None and facts.updated_at < row.github_updated_at
    return Refresh(row, facts) if _pull_differs(row, facts) and not older else None


def _pull_differs(row: StoredPull, facts: PullRequestFacts) -> bool:
    stored = (row.title, row.ref, row.head_sha, row.draft, row.auto_merge_enabled)
    return stored != (facts.title, facts.head_ref, facts.head_sha, facts.draft, facts.auto_merge_enabled)


def diff_issues(rows: Iterable[StoredIssue], listing: Listing[IssueFacts]) -> list[Change[IssueFacts]]:
    """Compare a repository's issues with GitHub's open ones."""
    pairs = match(rows, listing.items, lambda row: row.node_id, lambda facts: facts.node_id)
    changes = (_issue(row, facts, listing) for row, facts in pairs)
    return [change for change in changes if change]


def _issue(
    row: StoredIssue | None, facts: IssueFacts | None, listing: Listing[IssueFacts]
) -> Change[IssueFacts] | None:
    if row is None:
        return Add(facts) if facts else None
    if not judgeable(row, listing):
        return None
    if facts is None:
        return _no_longer_open(row, is_open=row.is_open)
    if not row.is_open:
        return _open_again(row)
    older = row.github_updated_at is not None and facts.updated_at < row.github_updated_at
    return Refresh(row, facts) if row.title != facts.title and not older else None


def _no_longer_open(row: Seen, *, is_open: bool) -> ReRequest | None:
    if not is_open or waits_for_work(row):
        return None
    return ReRequest(row, NOT_OPEN_ANY_MORE)


def _open_again(row: Seen) -> ReRequest | None:
    return None if waits_for_work(row) else ReRequest(row, OPEN_AGAIN)


def diff_branches(rows: Iterable[StoredBranch], listing: Listing[BranchFacts]) -> list[Change[BranchFacts]]:
    """Compare a repository's branches with GitHub's."""
    pairs = match(rows, listing.items, lambda row: row.name, lambda facts: facts.name)
    changes = (_branch(row, facts, listing) for row, facts in pairs)
    return [change for change in changes if change]


def _branch(
    row: StoredBranch | None, facts: BranchFacts | None, listing: Listing[BranchFacts]
) -> Change[BranchFacts] | None:
    if row is None:
        return Add(facts) if facts else None
    if not judgeable(row, listing):
        return None
    if facts is None:
        return Remove(row) if row.exists else None
    return None if row.exists else Revive(row, facts)


def diff_repositories(
    rows: Iterable[StoredRepository], listing: Listing[RepositoryFacts], *, installation_id: int
) -> list[Change[RepositoryFacts]]:
    """Compare the current rows of an installation's repositories, and of those it lists, with its listing.

    A repository that came from another installation gets a row here; its row of the other one is not this one's to judge.
    """
    pairs = match(rows, listing.items, lambda row: row.github_id, lambda facts: facts.id)
    changes = (_repository(row, facts, listing, installation_id) for row, facts in pairs)
    return [change for change in changes if change]


def _repository(
    row: StoredRepository | None,
    facts: RepositoryFacts | None,
    listing: Listing[RepositoryFacts],
    installation_id: int,
) -> Change[RepositoryFacts] | None:
    if row is None:
        return Add(facts) if facts else None
    if not judgeable(row, listing):
        return None
    here = row.installation_id == installation_id and not row.removed
    if facts is None:
        return Remove(row) if here else None
    if not here:
        return Add(facts)
    return Refresh(row, facts) if repository_differs(row, facts) else None


def repository_differs(row: StoredRepository, facts: RepositoryFacts) -> bool:
    """Tell whether a repository's metadata changed."""
    stored = (row.owner, row.name, row.private, row.archived, row.owner_id)
    return stored != (facts.owner_login, facts.name, facts.private, facts.archived, facts.owner_id)


def diff_installations(
    rows: Iterable[StoredInstallation], listing: Listing[InstallationFacts]
) -> list[Change[InstallationFacts]]:
    """Compare the current rows of all installations with GitHub's complete list."""
    pairs = match(rows, listing.items, lambda row: row.installation_id, lambda facts: facts.id)
    changes = (_installation(row, facts, listing) for row, facts in pairs)
    return [change for change in changes if change]


def _installation(
    row: StoredInstallation | None, facts: InstallationFacts | None, listing: Listing[InstallationFacts]
) -> Change[InstallationFacts] | None:
    if row is None:
        return Add(facts) if facts else None
    if not judgeable(row, listing):
        return None
    if facts is None:
        return None if is_gone(row) else Remove(row)
    return Refresh(row, facts) if _installation_differs(row, facts) else None


def is_gone(row: StoredInstallation) -> bool:
    """Tell a gone installation from a suspended one, which is known to exist."""
    return not row.active and not row.suspended


def _installation_differs(row: StoredInstallation, facts: InstallationFacts) -> bool:
    suspended = facts.suspended_at is not None
    stored = (row.account_id, row.account_login, row.account_type, row.repository_selection, row.active, row.suspended)
    account = (facts.account_id, facts.account_login, facts.account_type, facts.repository_selection)
    return stored != (*account, not suspended, suspended)
