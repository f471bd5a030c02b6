"""Issues, and comments on pull requests."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from core.functions import CurrentTimestamp
from webhooks.events.incoming import Incoming, Outcome, echo, ignored, stale
from webhooks.models import Comment, Issue, PullRequest
from webhooks.payload import MEDIUM_TEXT_BYTES, Payload
from webhooks.services import rows
from webhooks.services.pending import new_or, pending_columns
from webhooks.values import GHOST, OpenState, ProcessingState

# After these the issue is no longer open here, whatever state its payload still shows.
LEAVING = frozenset({"closed", "deleted", "transferred"})


def write_issue(incoming: Incoming) -> Outcome:
    """Every action: the row takes the facts and is UPDATED; an older Event takes an open row back to the bot only."""
    payload = incoming.payload
    node_id, updated_at = payload.needed_name("issue.node_id"), payload.instant("issue.updated_at")
    columns = issue_columns(payload, incoming.action)
    found = Issue.objects.select_for_update().filter(node_id=node_id)
    row = found.values_list("pk", "state", "github_updated_at").first()
    if row is not None and is_older(row[2], updated_at):
        return write_stale(row[0], row[1], incoming)
    if row is not None and stays_closed(row[1], row[2], updated_at, incoming.action):
        columns["state"] = OpenState.CLOSED
    if updated_at:
        columns["github_updated_at"] = updated_at
    return rows.upsert(Issue, {"node_id": node_id}, incoming, **columns)


def is_older(stored: datetime | None, given: datetime | None) -> bool:
    """Tell whether the row has seen a later state of GitHub."""
    return stored is not None and given is not None and given < stored


def stays_closed(state: str, stored: datetime | None, given: datetime | None, action: str) -> bool:
    """Tell whether a closed issue stays closed: within one second only a reopening opens (field case F03)."""
    return state == OpenState.CLOSED and stored is not None and stored == given and action != "reopened"


def issue_columns(payload: Payload, action: str) -> dict[str, Any]:
    """Return the facts of the issue; raises Unusable."""
    closed = action in LEAVING or payload.text("issue.state", 20) == "closed"
    return {
        "github_id": payload.needed_id("issue.id"),
        "number": payload.needed_id("issue.number"),
        "title": payload.long_text("issue.title"),
        "sender": payload.name("issue.user.login") or GHOST,
        "state": OpenState.CLOSED if closed else OpenState.OPEN,
    }


def write_stale(pk: int, state: str, incoming: Incoming) -> Outcome:
    """Keep the newer facts; an open issue is worth another look all the same."""
    if incoming.is_echo:
        return echo("caused by our own App, and older than what is known")
    if state == OpenState.CLOSED:
        return stale(f"older than what issue {pk} shows, which is closed")
    waking = pending_columns(new_or(ProcessingState.UPDATED))
    Issue.objects.filter(pk=pk).update(**waking, updated_at=CurrentTimestamp())
    return stale(f"older than what issue {pk} shows: facts kept, another look all the same", wakes=True)


def write_comment(incoming: Incoming) -> Outcome:
    """A new comment on a pull request is a row; a second Delivery of it finds that row."""
    payload = incoming.payload
    if incoming.action != "created":
        return ignored("only new comments hold commands")
    if payload.object("issue.pull_request") is None:
        return ignored("a comment on a plain issue holds no command")
    comment_id = payload.needed_id("comment.id")
    if Comment.objects.filter(comment_id=comment_id).exists():
        return ignored(f"comment {comment_id} is known")
    pk = rows.insert(Comment, incoming, comment_id=comment_id, **comment_columns(incoming))
    return rows.said(incoming, f"new comment {pk}")


def comment_columns(incoming: Incoming) -> dict[str, Any]:
    """Return the facts of the comment and of its pull request."""
    payload = incoming.payload
    number = payload.needed_id("issue.number")
    return {
        "pull_request_id": known_pull_request_id(incoming, number) or payload.needed_id("issue.id"),
        "pull_request_number": number,
        "pull_request_node_id": payload.name("issue.node_id"),
        "pull_request_title": payload.long_text("issue.title"),
        "pull_request_sender": payload.name("issue.user.login") or GHOST,
        "comment_sender": payload.name("comment.user.login") or GHOST,
        "comment_body": payload.long_text("comment.body", MEDIUM_TEXT_BYTES),
        "action": incoming.action,
    }


def known_pull_request_id(incoming: Incoming, number: int) -> int | None:
    """Return GitHub's id of the pull request: the payload has only the id of the issue behind it."""
    rows_of_number = PullRequest.objects.filter(repository_id=incoming.repository.id, number=number)
    return rows_of_number.values_list("github_id", flat=True).first()
