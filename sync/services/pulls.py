"""A repository's pull requests, made to agree with GitHub's open ones."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from core import bell
from core.functions import CurrentTimestamp
from core.passes import Run
from githubapi.client import InstallationClient
from sync import selectors
from sync.decisions import diff_threads, differing
from sync.services import columns
from sync.services.github import listing_of, refuse_empty
from sync.services.writing import (
    Counts,
    as_read,
    cause,
    count,
    facts_only,
    insert_all,
    waking,
    write_in_batches,
)
from sync.values import Add, Listed, Place, PullColumns, Refresh, ReRequest, ThreadChange
from webhooks.models import PullRequest, Repository
from webhooks.services import history
from webhooks.services.pending import BOT_BELL
from webhooks.services.rows import backfilled_columns
from webhooks.values import Cause, HistoryKind, ProcessingState

Change = ThreadChange[PullColumns]
FOUND = "found on GitHub: its Event was missed"


def sync_pull_requests(run: Run, client: InstallationClient, repository: Repository, place: Place) -> None:
    """Backfill, refresh and flag the repository's pull requests; raises GithubError before anything is written."""
    rows = selectors.open_pulls(repository)
    listing = listing_of(
        client,
        lambda: (
            columns.pull(facts, place)
            for facts in client.open_pull_requests(repository.github_id, some_expected=bool(rows))
        ),
    )
    refuse_empty(
        rows, listing, lambda row: client.pull_request(repository.github_id, row.facts.number).state == "open"
    )
    rows += selectors.pulls_of(listing.without(rows))
    run.count("listed", len(listing.items))
    write_in_batches(run, diff_threads(rows, listing), partial(_write, run))


def _write(run: Run, batch: Sequence[Change]) -> Counts:
    adds = [change for change in batch if isinstance(change, Add)]
    refreshes = [change for change in batch if isinstance(change, Refresh)]
    re_requests = [change for change in batch if isinstance(change, ReRequest)]
    return (
        count("added", _add(run, adds), adds)
        + count("updated", [change for change in refreshes if _refresh(run, change)], refreshes)
        + count("re_requested", [change for change in re_requests if _re_request(run, change)], re_requests)
    )


def _add(run: Run, adds: Sequence[Add[PullColumns]]) -> list[PullRequest]:
    added: list[PullRequest] = insert_all(PullRequest, [_new(change.item) for change in adds])
    lines = [(row.pk, "") for row in added]
    history.append_batch(lines, HistoryKind.SYNC, ProcessingState.NEW, reason=FOUND, cause=cause(run))
    return added


def add_found(item: Listed[PullColumns], by: Cause) -> int:
    """Insert one pull request whose Events were missed, whoever found it, and return its Sequence.

    Raises IntegrityError when its row is there by now. To be called in a transaction.
    """
    row = _new(item)
    row.save(force_insert=True)
    states = ("", ProcessingState.NEW.value)
    history.append(row.pk, HistoryKind.SYNC, states, reason=FOUND, cause=by)
    bell.ring(BOT_BELL)
    return int(row.pk)


def _new(item: Listed[PullColumns]) -> PullRequest:
    facts = vars(item.facts) | {"github_updated_at": item.updated_at}
    since = CurrentTimestamp() if item.facts.auto_merge_enabled else None
    return PullRequest(**backfilled_columns(), **facts, auto_merge_enabled_at=since)


def _refresh(run: Run, change: Refresh[PullColumns]) -> bool:
    row, item = change.row, change.item
    facts: dict[str, Any] = vars(item.facts) | {"github_updated_at": item.updated_at}
    if item.facts.auto_merge_enabled != row.facts.auto_merge_enabled:
        facts["auto_merge_enabled_at"] = CurrentTimestamp() if item.facts.auto_merge_enabled else None
    if item.facts.head_sha != row.facts.head_sha:
        # Whether a new head can be merged has never been asked.
        facts["mergeable_reads"] = 0
    if not as_read(PullRequest, row).update(**facts, **facts_only()):
        return False
    reason = f"refreshed from GitHub: {', '.join(differing(row.facts, item.facts))}"
    states = (row.processing_state, row.processing_state)
    history.append(row.pk, HistoryKind.SYNC, states, reason=reason, cause=cause(run))
    return True


def _re_request(run: Run, change: ReRequest[PullColumns]) -> bool:
    row, state = change.row, ProcessingState.RE_REQUESTED
    if not as_read(PullRequest, row).update(**waking(state), idle_retry_count=0):
        return False
    states = (row.processing_state, state)
    history.append(row.pk, HistoryKind.SYNC, states, reason=change.reason, cause=cause(run))
    return True
