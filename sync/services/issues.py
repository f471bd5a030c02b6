"""A repository's issues, made to agree with GitHub's open ones."""

from __future__ import annotations

from collections.abc import Sequence

from core.passes import Run
from githubapi.client import InstallationClient
from githubapi.errors import Disabled
from sync import selectors
from sync.decisions import diff_threads
from sync.services import columns
from sync.services.github import listing_of, refuse_empty
from sync.services.writing import Counts, as_read, count, facts_only, insert_all, waking, write_in_batches
from sync.values import Add, IssueColumns, Place, Refresh, ReRequest, ThreadChange
from webhooks.models import Issue, Repository
from webhooks.services.rows import backfilled_columns
from webhooks.values import ProcessingState

Change = ThreadChange[IssueColumns]


def sync_issues(run: Run, client: InstallationClient, repository: Repository, place: Place) -> None:
    """Backfill, refresh and flag the repository's issues; one that has them switched off says nothing about them."""
    rows = selectors.open_issues(repository)
    try:
        listing = listing_of(
            client,
            lambda: (
                columns.issue(facts, place)
                for facts in client.open_issues(repository.github_id, some_expected=bool(rows))
            ),
        )
        refuse_empty(
            rows, listing, lambda row: client.issue(repository.github_id, row.facts.number).state == "open"
        )
    except Disabled:
        run.count("issues_disabled")
        return
    rows += selectors.issues_of(listing.without(rows))
    run.count("listed", len(listing.items))
    write_in_batches(run, diff_threads(rows, listing), _write)


def _write(batch: Sequence[Change]) -> Counts:
    adds = [change for change in batch if isinstance(change, Add)]
    refreshes = [change for change in batch if isinstance(change, Refresh)]
    re_requests = [change for change in batch if isinstance(change, ReRequest)]
    return (
        count("added", _add(adds), adds)
        + count("updated", [change for change in refreshes if _refresh(change)], refreshes)
        + count("re_requested", [change for change in re_requests if _re_request(change)], re_requests)
    )


def _add(adds: Sequence[Add[IssueColumns]]) -> list[Issue]:
    return insert_all(Issue, [_new(change) for change in adds])


def _new(change: Add[IssueColumns]) -> Issue:
    return Issue(**backfilled_columns(), **vars(change.item.facts), github_updated_at=change.item.updated_at)


def _refresh(change: Refresh[IssueColumns]) -> bool:
    facts = vars(change.item.facts) | {"github_updated_at": change.item.updated_at}
    return bool(as_read(Issue, change.row).update(**facts, **facts_only()))


def _re_request(change: ReRequest[IssueColumns]) -> bool:
    return bool(as_read(Issue, change.row).update(**waking(ProcessingState.RE_REQUESTED)))
