"""A repository's open pull requests, open issues and branches, made to agree with GitHub's."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from core import clock
from core.functions import CurrentTimestamp
from core.passes import Run
from githubapi.client import InstallationClient
from githubapi.errors import Disabled
from githubapi.values import BranchFacts, IssueFacts, PullRequestFacts
from sync import selectors
from sync.decisions import diff_branches, diff_issues, diff_pull_requests
from sync.services.writing import insert, refresh, wake, write_all
from sync.values import Add, Change, Listing, Refresh, ReRequest, Revive
from webhooks.models import Branch, Issue, PullRequest, Repository
from webhooks.models.base import REF_LENGTH
from webhooks.payload import SHORT_TEXT_BYTES, clean, cut, cut_bytes
from webhooks.services import history
from webhooks.services.rows import backfilled_columns
from webhooks.values import Cause, HistoryKind, ProcessingState, RefEvent

BY_SYNC = "scheduled sync"


def sync_pull_requests(run: Run, client: InstallationClient, repository: Repository) -> None:
    """Backfill, refresh and flag the repository's pull requests."""
    began = clock.now()
    listed = [_fitting(facts) for facts in client.open_pull_requests(repository.github_id)]
    rows = selectors.stored_pulls(repository, [facts.node_id for facts in listed])
    changes = diff_pull_requests(rows, Listing.of(listed, began))
    run.count("listed", len(listed))
    write_all(run, changes, lambda change: _write_pull(run, repository, change))


def sync_issues(run: Run, client: InstallationClient, repository: Repository) -> None:
    """Backfill, refresh and flag the repository's issues; a repository without issues says nothing about them."""
    began = clock.now()
    try:
        listed = [_fitting(facts) for facts in client.open_issues(repository.github_id)]
    except Disabled:
        run.count("issues_disabled")
        return
    rows = selectors.stored_issues(repository, [facts.node_id for facts in listed])
    run.count("listed", len(listed))
    write_all(run, diff_issues(rows, Listing.of(listed, began)), lambda change: _write_issue(repository, change))


def sync_branches(run: Run, client: InstallationClient, repository: Repository) -> None:
    """Backfill the repository's branches and let vanished ones go their way."""
    began = clock.now()
    listed = [replace(facts, name=cut(clean(facts.name).rstrip(), REF_LENGTH)) for facts in client.branches(repository.github_id)]
    rows = selectors.stored_branches(repository)
    run.count("listed", len(listed))
    write_all(run, diff_branches(rows, Listing.of(listed, began)), lambda change: _write_branch(repository, change))


def _fitting(facts: Any) -> Any:
    """Return facts as their columns would hold them, so that comparing twice finds no difference."""
    fitting = {"title": cut_bytes(clean(facts.title), SHORT_TEXT_BYTES)}
    if isinstance(facts, PullRequestFacts):
        fitting["head_ref"] = cut(clean(facts.head_ref).rstrip(), REF_LENGTH)
    return replace(facts, **fitting)


def _place(repository: Repository) -> dict[str, Any]:
    return {
        "repository_owner": repository.owner_login,
        "repository_name": repository.name,
        "repository_id": repository.github_id,
        "installation_id": repository.installation_id,
    }


def _write_pull(run: Run, repository: Repository, change: Change[PullRequestFacts]) -> bool:
    match change:
        case Add(facts):
            row = insert(PullRequest, **backfilled_columns(), **_place(repository), **_new_pull(facts))
            return row is not None and _note(run, row.pk, "", ProcessingState.NEW, "found on GitHub: its Event was missed")
        case Refresh(seen, facts):
            columns = _pull_facts(facts, was_enabled=seen.auto_merge_enabled)
            state = seen.processing_state
            return refresh(PullRequest, seen, **columns) and _note(run, seen.pk, state, state, "facts refreshed")
        case ReRequest(seen, reason):
            woken = wake(PullRequest, seen, ProcessingState.RE_REQUESTED, idle_retry_count=0)
            return woken and _note(run, seen.pk, seen.processing_state, ProcessingState.RE_REQUESTED, reason)
    raise AssertionError(f"No pull request is changed by {change}.")


def _new_pull(facts: PullRequestFacts) -> dict[str, Any]:
    return {"node_id": facts.node_id, "github_id": facts.id, "number": facts.number, "sender": facts.author_login} | (
        _pull_facts(facts, was_enabled=False)
    )


def _pull_facts(facts: PullRequestFacts, *, was_enabled: bool) -> dict[str, Any]:
    columns: dict[str, Any] = {
        "title": facts.title,
        "ref": facts.head_ref,
        "head_sha": facts.head_sha,
        "draft": facts.draft,
        "github_updated_at": facts.updated_at,
    }
    if facts.auto_merge_enabled != was_enabled:
        columns["auto_merge_enabled"] = facts.auto_merge_enabled
        columns["auto_merge_enabled_at"] = CurrentTimestamp() if facts.auto_merge_enabled else None
    return columns


def _note(run: Run, pull_request: int, before: str, after: str, reason: str) -> bool:
    cause = Cause(actor=BY_SYNC, pass_run_id=run.record_id)
    history.append(pull_request, HistoryKind.SYNC, (before, after), reason=reason, cause=cause)
    return True


def _write_issue(repository: Repository, change: Change[IssueFacts]) -> bool:
    match change:
        case Add(facts):
            key = {"node_id": facts.node_id, "github_id": facts.id, "number": facts.number}
            columns = key | {"sender": facts.author_login, "title": facts.title, "github_updated_at": facts.updated_at}
            return insert(Issue, **backfilled_columns(), **_place(repository), **columns) is not None
        case Refresh(seen, facts):
            return refresh(Issue, seen, title=facts.title, github_updated_at=facts.updated_at)
        case ReRequest(seen, _):
            return wake(Issue, seen, ProcessingState.RE_REQUESTED)
    raise AssertionError(f"No issue is changed by {change}.")


def _write_branch(repository: Repository, change: Change[BranchFacts]) -> bool:
    match change:
        case Add(facts):
            columns = {"ref": facts.name, "ref_type": "branch", "event": RefEvent.CREATE}
            return insert(Branch, **backfilled_columns(), **_place(repository), **columns) is not None
        case Revive(seen, _):
            return wake(Branch, seen, ProcessingState.UPDATED, event=RefEvent.CREATE)
        case ReRequest() | Refresh():
            raise AssertionError(f"No branch is changed by {change}.")
    return wake(Branch, change.row, ProcessingState.UPDATED, event=RefEvent.DELETE)


