"""A repository's branches, made to agree with GitHub's."""

from __future__ import annotations

from collections.abc import Sequence

from core.passes import Run
from githubapi.client import InstallationClient
from sync import selectors
from sync.decisions import diff_branches
from sync.services import columns
from sync.services.github import believed, listing_of
from sync.services.writing import Counts, as_event, as_read, count, insert_all, write_in_batches
from sync.values import Add, BranchChange, BranchColumns, Place, Remove, Revive
from webhooks.models import Branch, Repository
from webhooks.services.rows import backfilled_columns
from webhooks.values import RefEvent


def sync_branches(run: Run, client: InstallationClient, repository: Repository, place: Place) -> None:
    """Backfill the repository's branches and let vanished ones go their way."""
    rows = selectors.branches(repository)
    listing = listing_of(
        client, lambda: (columns.branch(facts, place) for facts in client.branches(repository.github_id))
    )
    run.count("listed", len(listing.items))

    def exists(change: Remove[BranchColumns]) -> bool:
        return bool(client.branch(repository.github_id, change.row.facts.ref))

    write_in_batches(run, believed(run, diff_branches(rows, listing), listing, exists), _write)


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
    new = [
        Branch(**backfilled_columns(), **vars(change.item.facts), ref_type=selectors.BRANCH)
        for change in adds
    ]
    return insert_all(Branch, new)


def _turn(change: Revive[BranchColumns] | Remove[BranchColumns], event: RefEvent) -> bool:
    """Write what the `create` or `delete` Event writes to the known row (B3.25)."""
    return bool(as_read(Branch, change.row).update(**as_event(change.row), event=event))
