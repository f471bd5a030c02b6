"""Stored rows against a complete listing of GitHub's, and the changes that make them agree. Pure.

What every rule here keeps to: a row written since the listing began is not judged (an Event knows more), nor is one
that has seen a later state of GitHub; applying the changes and comparing again yields no change.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, TypeVar

from githubapi.values import HookDelivery
from sync.values import (
    Add,
    AnyChange,
    Asked,
    BranchChange,
    BranchColumns,
    F,
    InstallationChange,
    InstallationMetadata,
    Listed,
    Listing,
    Refresh,
    Remove,
    RepositoryChange,
    RepositoryMetadata,
    ReRequest,
    Revive,
    Stored,
    StoredBranch,
    StoredInstallation,
    StoredRepository,
    StoredThread,
    ThreadChange,
)

Row = TypeVar("Row", bound=Stored[Any])
Change = TypeVar("Change", bound=AnyChange)

NOT_OPEN_ANY_MORE = "GitHub no longer lists it as open"
OPEN_AGAIN = "GitHub lists it as open"
RENAMED, TRANSFERRED = "renamed", "transferred"


def judgeable(row: Stored[F], listing: Listing[F]) -> bool:
    """Tell whether the listing may say anything of the row: whole seconds, so the same second is too late."""
    return row.updated_at < listing.began


def is_older(item: Listed[F], known: datetime | None) -> bool:
    """Tell whether the row has seen a later state of GitHub than the item shows."""
    return known is not None and item.updated_at is not None and item.updated_at < known


def match(rows: Iterable[Row], listing: Listing[F]) -> Iterator[tuple[Row | None, Listed[F] | None]]:
    """Yield (row, item) for every key, with None where one side lacks it; of several rows of a key the last counts."""
    by_key = {row.facts.key: row for row in rows}
    for key, item in listing.items.items():
        yield by_key.pop(key, None), item
    for row in by_key.values():
        yield row, None


def diff_surely(
    diff: Callable[[Listing[F]], list[Change]], listing: Listing[F], read_again: Callable[[], Listing[F]]
) -> list[Change]:
    """Compare, and where a listing of several pages would remove something, read it again and compare with both.

    Pages are read one after the other, each as of its own instant: when an item of an earlier page goes, a later one
    slips into its place unseen, and the listing is complete by every sign and still lacks it.
    """
    changes = diff(listing)
    if listing.at_one_instant or not any(isinstance(change, Remove) for change in changes):
        return changes
    return diff(listing.and_also(read_again()))


# --- pull requests and issues -----------------------------------------------------------------------------------------
def diff_threads(rows: Iterable[StoredThread[F]], listing: Listing[F]) -> list[ThreadChange[F]]:
    """Compare a repository's pull requests, or its issues, with GitHub's open ones.

    Nothing is closed or reopened here: the row's handler does that properly, with all that belongs to it (B3.23).
    """
    changes = (_thread(row, item, listing) for row, item in match(rows, listing))
    return [change for change in changes if change]


def _thread(
    row: StoredThread[F] | None, item: Listed[F] | None, listing: Listing[F]
) -> ThreadChange[F] | None:
    if row is None:
        return Add(item) if item else None
    if not judgeable(row, listing):
        return None
    if item is None:
        return ReRequest(row, NOT_OPEN_ANY_MORE) if row.is_open and not row.pending else None
    if is_older(item, row.github_updated_at):
        return None
    if not row.is_open:
        # Merged is final: GitHub cannot mean it.
        return None if row.merged or row.pending else ReRequest(row, OPEN_AGAIN)
    return Refresh(row, item) if row.facts != item.facts else None


def differing(before: object, after: object) -> list[str]:
    """Return the names of the facts that differ, for a sentence."""
    return [name.replace("_", " ") for name, value in vars(after).items() if vars(before)[name] != value]


# --- branches ---------------------------------------------------------------------------------------------------------
def diff_branches(rows: Sequence[StoredBranch], listing: Listing[BranchColumns]) -> list[BranchChange]:
    """Compare a repository's branches with GitHub's.

    A name may have several rows (outside writers leave RepositoryId out): all of a vanished branch say so afterwards,
    and one of a branch that exists is enough.
    """
    by_name: dict[str, list[StoredBranch]] = {}
    for row in rows:
        by_name.setdefault(row.facts.ref, []).append(row)
    listed = (
        _listed_branch(by_name.pop(item.facts.ref, []), item, listing) for item in listing.items.values()
    )
    changes: list[BranchChange] = [change for change in listed if change]
    vanished = (row for of_name in by_name.values() for row in of_name)
    return changes + [Remove(row) for row in vanished if row.exists and judgeable(row, listing)]


def _listed_branch(
    rows: list[StoredBranch], item: Listed[BranchColumns], listing: Listing[BranchColumns]
) -> BranchChange | None:
    if not rows:
        return Add(item)
    if any(row.exists for row in rows) or not judgeable(rows[-1], listing):
        return None
    return Revive(rows[-1], item)


# --- repositories -----------------------------------------------------------------------------------------------------
def diff_repositories(
    rows: Iterable[StoredRepository], listing: Listing[RepositoryMetadata], *, installation_id: int
) -> list[RepositoryChange]:
    """Compare current rows, of an installation's repositories and of all it lists, with its listing.

    A repository that came from another installation follows to this one. What this one does not list is its own to
    lose only if the row is its own.
    """
    changes = (_repository(row, item, listing, installation_id) for row, item in match(rows, listing))
    return [change for change in changes if change]


def _repository(
    row: StoredRepository | None,
    item: Listed[RepositoryMetadata] | None,
    listing: Listing[RepositoryMetadata],
    installation_id: int,
) -> RepositoryChange | None:
    if row is None:
        return Add(item) if item else None
    if row.removed:
        return _removed_repository(row, item, listing)
    if not judgeable(row, listing):
        return None
    if item is None:
        return Remove(row) if row.facts.installation_id == installation_id else None
    if is_older(item, row.github_updated_at):
        return None
    return Refresh(row, item) if row.facts != item.facts else None


def _removed_repository(
    row: StoredRepository, item: Listed[RepositoryMetadata] | None, listing: Listing[RepositoryMetadata]
) -> RepositoryChange | None:
    """Bring back what is listed. The same second will do: the listing of another installation may have removed it just
    now, and this one's is not read again for months. Brought back in error, its first sync removes it.
    """
    return Revive(row, item) if item and row.updated_at <= listing.began else None


def repository_action(before: RepositoryMetadata, after: RepositoryMetadata) -> str | None:
    """Return the action of the Event that such a change of name would have come with; None without one."""
    if before.owner_login.lower() != after.owner_login.lower():
        return TRANSFERRED
    return RENAMED if before.full_name != after.full_name else None


# --- installations ----------------------------------------------------------------------------------------------------
def diff_installations(
    rows: Iterable[StoredInstallation], listing: Listing[InstallationMetadata]
) -> list[InstallationChange]:
    """Compare the current rows of all installations with GitHub's complete list."""
    changes = (_installation(row, item, listing) for row, item in match(rows, listing))
    return [change for change in changes if change]


def _installation(
    row: StoredInstallation | None,
    item: Listed[InstallationMetadata] | None,
    listing: Listing[InstallationMetadata],
) -> InstallationChange | None:
    if row is None:
        return Add(item) if item else None
    if not judgeable(row, listing):
        return None
    if item is None:
        return None if row.gone else Remove(row)
    return Refresh(row, item) if row.facts != item.facts else None


def months_before(now: datetime, months: int) -> datetime:
    """Return the same day so many months earlier, the last day of a shorter month."""
    year, month = divmod(now.year * 12 + now.month - 1 - months, 12)
    for day in range(now.day, now.day - 4, -1):
        try:
            return now.replace(year=year, month=month + 1, day=day)
        except ValueError:
            continue
    raise AssertionError("No month is shorter than 28 days.")


def month_is_open(last: datetime | None, now: datetime) -> bool:
    """Tell whether nothing has been completed since the first of this month, UTC (B3.6, B3.7)."""
    return last is None or last < now.replace(day=1, hour=0, minute=0, second=0)


# --- redeliveries -----------------------------------------------------------------------------------------------------
MOST_ATTEMPTS = 3
# Doubled after each attempt. The pass runs every 15 minutes, so all three are made within the hour.
FIRST_PAUSE = timedelta(minutes=10)
# A delivery may still be on its way into the tables.
SETTLED = timedelta(minutes=2)
UNUSABLE = 422


def newest_attempts(attempts: Iterable[HookDelivery]) -> dict[str, HookDelivery]:
    """Return the newest attempt of each GUID: the list names no hook, so the GUID is what tells an Event."""
    newest: dict[str, HookDelivery] = {}
    for attempt in attempts:
        known = newest.get(str(attempt.guid))
        if known is None or (known.delivered_at, known.id) < (attempt.delivered_at, attempt.id):
            newest[str(attempt.guid)] = attempt
    return newest


def missed(newest: Mapping[str, HookDelivery], ours: Container[str], now: datetime) -> list[HookDelivery]:
    """Return what is not ours yet, the oldest first: later states of GitHub then come later.

    What we answered with 422 lacks what its rule needs, and would for ever.
    """
    found = (
        attempt
        for guid, attempt in newest.items()
        if guid not in ours and attempt.status_code != UNUSABLE and attempt.delivered_at <= now - SETTLED
    )
    return sorted(found, key=lambda attempt: (attempt.delivered_at, attempt.id))


def may_ask(asked: Asked | None, now: datetime) -> bool:
    """Tell whether GitHub may be asked for a Delivery now: three times at most, with growing pauses."""
    return asked is None or (asked.attempts < MOST_ATTEMPTS and asked.next_at <= now)


def pause_after(attempts: int) -> timedelta:
    """Return the pause after that many attempts (1 or more)."""
    return FIRST_PAUSE * int(2 ** (attempts - 1))
