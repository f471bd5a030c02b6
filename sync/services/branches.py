"""A repository's branches, made to agree with GitHub's."""

from __future__ import annotations

from collections.abc import Sequence

from core.passes import Run
from githubapi.client import InstallationClient
from sync import selectors
from sync.decisions import diff_branches, diff_surely
from sync.services import columns
from sync.services.github import listing_of
from sync.services.writing import Counts, as_event, as_read, count, insert_all, write_in_batches
from sync.values import Add, BranchChange, BranchColumns, Listing, Place, Remove, Revive
from webhooks.models import Branch, Repository
from webhooks.services.rows import backfilled_columns
from webhooks.values import RefEvent


def sync_branches(run: Run, client: InstallationClient, repository: Repository, place: Place) -> None:
    """Backfill the repository's branches and let vanished ones go their way."""
    rows = selectors.branches(repository)

    def read() -> Listing[BranchColumns]:
        return listing_of(client, lambda: (columns.branch(f, place) for f in client.branches(repository.github_id)))

    listing = read()
    run.count("listed", len(listing.items))
    changes = diff_surely(lambda found: diff_branches(rows, found), listing, read)
    write_in_batches(run, changes, _write)


def _write(batch: Sequence[BranchChange]) -> Counts:
    adds = [change for change in batch if isinstance(change, Add)]
    revives = [change for change in batch if isinstance(change, Revive)]
    removes = [change for change in batch if isinstance(change, Remove)]
    return (
        count("added", _add(adds), adds)
        + count("updated", [change for change in revives if _turn(change, RefEvent.CREATE)], revives)
        + count("removed", [change for change in removes if _turn(change, RefEvent.DELETE)], removes)
    )


def _add(adds: Sequence[Add[BranchColumns]]) -> list[Branch]:
    new = [Branch(**backfilled_columns(), **vars(change.item.facts), ref_type=selectors.BRANCH) for change in adds]
    return insert_all(Branch, new)


def _turn(change: Revive[BranchColumns] | Remove[BranchColumns], event: RefEvent) -> bool:
    """Write what the `create` or `delete` Event writes to the known row (B3.25)."""
    return bool(as_read(Branch, change.row).update(**as_event(change.row), event=event))
