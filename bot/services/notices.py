"""The one notification that says "ready to merge", and the action that goes with it."""

from __future__ import annotations

from functools import partial
from typing import Any

from django.db.models import QuerySet

from bot.services.notes import note
from bot.values import Readiness, Verdict
from core.transactions import patiently
from webhooks.models import Notification, PendingAction, PullRequest
from webhooks.values import Cause, HistoryKind

READY_TO_MERGE = "ready_to_merge"
MERGE = "merge"
WEB = "https://github.com"


def show(row: PullRequest, verdict: Verdict, cause: Cause) -> None:
    """Raise the notification of a ready pull request unless it has one, read or not; withdraw that of any other.

    While GitHub does not say, everything stays as it is (field case F14).
    """
    if verdict.readiness is Readiness.READY:
        patiently(partial(_raise, row, verdict.reason, cause))
    elif verdict.readiness is Readiness.NOT_READY:
        patiently(
            partial(_withdraw, row, _of(row).filter(notification_type=READY_TO_MERGE), verdict.reason, cause)
        )


def withdraw_unread(row: PullRequest, reason: str, cause: Cause) -> None:
    """Take away what nobody has read of a pull request that was closed."""
    patiently(partial(_withdraw, row, _of(row).filter(is_read=False), reason, cause))


def _of(row: PullRequest) -> QuerySet[Notification]:
    rows: QuerySet[Notification] = Notification.objects.filter(pull_request_node_id=row.node_id)
    return rows


def _raise(row: PullRequest, reason: str, cause: Cause) -> None:
    # Two workers may judge the same pull request; its lock makes them take turns.
    PullRequest.objects.select_for_update().get(pk=row.pk)
    if _of(row).filter(notification_type=READY_TO_MERGE).exists():
        return
    about = _about(row)
    notification = Notification.objects.create(**about, notification_type=READY_TO_MERGE, message=reason)
    PendingAction.objects.create(
        **about, notification=notification, action_type=MERGE, description="Merge this pull request."
    )
    note(row.pk, HistoryKind.NOTIFICATION, f"raised: {reason}", cause)


def _withdraw(row: PullRequest, found: QuerySet[Notification], reason: str, cause: Cause) -> None:
    if found.exists():
        PullRequest.objects.select_for_update().get(pk=row.pk)
        if found.delete()[0]:
            note(row.pk, HistoryKind.NOTIFICATION, f"withdrawn: {reason}", cause)


def _about(row: PullRequest) -> dict[str, Any]:
    return {
        "repository_owner": row.repository_owner,
        "repository_name": row.repository_name,
        "repository_id": row.repository_id,
        "installation_id": row.installation_id,
        "title": row.title,
        "url": f"{WEB}/{row.repository_owner}/{row.repository_name}/pull/{row.number}",
        "pull_request_id": row.github_id,
        "pull_request_number": row.number,
        "pull_request_node_id": row.node_id,
    }
