"""The item type `merge` of the work queue."""

from __future__ import annotations

from django.db.models import Q

from merge import decisions
from merge.decisions import NEEDS_APPROVAL, NEEDS_MERGE
from merge.models import Merge
from merge.services.executing import carry_out
from sync.services.github import app_client, why_not_configured
from sync.services.work_outcomes import outcome_of
from webhooks.payload import Payload
from webhooks.services.limits import heeding_limits
from workqueue.registry import ItemType, register
from workqueue.values import Changes, DimensionUpdate, Event, EventResult, Phase


def concerned(event: Event) -> Q | None:
    """Find the live merge of the pull request that an Event is about."""
    if event.name != "pull_request":
        return None
    payload = Payload(dict(event.payload))
    repository_id, number = payload.id("repository.id"), payload.id("number")
    return Q(repository_id=repository_id, number=number) if repository_id and number else None


def on_pull_request(event: Event, merge: Merge) -> EventResult:
    """End a merge whose pull request was closed, or whose head moved before anybody approved it."""
    payload = Payload(dict(event.payload))
    at = payload.instant("pull_request.updated_at")
    trigger, phase = _meaning(event.action, payload, merge)
    return EventResult(trigger=trigger, phase=phase if at else None, at=at)


def _meaning(action: str, payload: Payload, merge: Merge) -> tuple[str, Phase | None]:
    if action == "closed":
        if payload.flag("pull_request.merged"):
            return "it was merged", Phase.COMPLETED
        return "it was closed without merging", Phase.CANCELLED
    head = payload.text("pull_request.head.sha")
    if head and head != merge.head_sha and not merge.approved_by:
        return "its head moved before anybody approved it", Phase.CANCELLED
    return "nothing to do", None


def _why_not_retry(merge: Merge) -> str:
    return "It was rejected: ask for the merge anew instead." if merge.rejected_at else ""


def _why_not_cancel(merge: Merge) -> str:
    """Refuse for a failed merge, which has ended: its failure is what holds the poller back."""
    return "It has failed and ended; nothing is left to cancel." if merge.phase == Phase.FAILED else ""


def _on_retry(_: Merge) -> Changes:
    return Changes(dimensions=[DimensionUpdate(NEEDS_MERGE, needed=True)])


def _subject(merge: Merge) -> str:
    return merge.place


def _details(merge: Merge) -> dict[str, str]:
    """Return what a person asks first; the labels of the first two are those of a submission."""
    return {
        "Repository": f"{merge.repository_owner}/{merge.repository_name}",
        "Pull request": f"#{merge.number}",
        "Head": merge.head_sha,
        "Reason": merge.reason,
        "Approved by": merge.approved_by,
        "Merged as": merge.merge_sha,
    }


MERGE = register(
    ItemType(
        name="merge",
        model=Merge,
        decide=decisions.decide,
        executors={"merge": heeding_limits(carry_out)},
        dimensions=(NEEDS_APPROVAL, NEEDS_MERGE),
        resolve=concerned,
        handlers={"pull_request": on_pull_request},
        outcome_of=outcome_of,
        tools=app_client,
        obstacle=why_not_configured,
        why_not_retry=_why_not_retry,
        why_not_cancel=_why_not_cancel,
        on_retry=_on_retry,
        subject=_subject,
        details=_details,
        failed_is_ended=True,
    )
)
