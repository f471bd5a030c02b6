"""Which Events concern which item, and what each asks for."""

from __future__ import annotations

from typing import Any

from django.db.models import Q

from submissions.decisions.infrastructure import RUN_FAILED
from submissions.models import PullRequestItem
from submissions.values import Need
from webhooks.payload import Payload
from workqueue.registry import Handler
from workqueue.values import DimensionUpdate, Event, EventResult, Phase

REVIEWED = frozenset({"submitted", "dismissed", "edited"})
BRANCH = "refs/heads/"
# Where each Event of a head has the commit that it is about.
HEADS = {
    "check_suite": "check_suite.head_sha",
    "check_run": "check_run.head_sha",
    "workflow_run": "workflow_run.head_sha",
    "status": "sha",
}
RECONCILE = DimensionUpdate(Need.RECONCILE, needed=True)
EMPTY_CHECK = DimensionUpdate(Need.EMPTY_CHECK, needed=True)
NOTHING = EventResult()


def concerned(event: Event) -> Q | None:
    """Return which items an Event concerns: by number, by head, by branch; None = none of them."""
    payload = Payload(dict(event.payload))
    repository_id = payload.id("repository.id")
    if repository_id is None:
        return None
    which = _by_head(event, payload) or _by_number(payload) or _by_branch(event, payload)
    return which and Q(repository_id=repository_id) & which


def _by_head(event: Event, payload: Payload) -> Q | None:
    """By the commit; also by the branch where it is named, for a head that nobody here has looked at yet."""
    head_sha = payload.name(HEADS[event.name]) if event.name in HEADS else ""
    branch = payload.text(f"{event.name}.head_branch", 1000)
    by_sha = Q(head_sha=head_sha) if head_sha else None
    return by_sha | Q(head_branch=branch) if by_sha and branch else by_sha


def _by_number(payload: Payload) -> Q | None:
    number = payload.id("pull_request.number")
    return Q(number=number) if number else None


def _by_branch(event: Event, payload: Payload) -> Q | None:
    ref = payload.text("ref", 1000)
    return Q(head_branch=ref[len(BRANCH) :]) if event.name == "push" and ref.startswith(BRANCH) else None


def on_pull_request(event: Event, item: PullRequestItem) -> EventResult:
    """A closing ends the item; anything else may have changed what was submitted."""
    if event.action == "closed":
        return _closed(Payload(dict(event.payload)), item)
    moved = [EMPTY_CHECK] if event.action == "synchronize" else []
    return EventResult(trigger=event.action, dimensions=[RECONCILE, *moved])


def _closed(payload: Payload, item: PullRequestItem) -> EventResult:
    merged = bool(payload.flag("pull_request.merged"))
    return EventResult(
        trigger="merged" if merged else "closed without merging",
        phase=Phase.COMPLETED if merged or item.emptied else Phase.CANCELLED,
        at=payload.instant("pull_request.updated_at"),
        dimensions=[RECONCILE],
    )


def on_review(event: Event, _: Any) -> EventResult:
    """A review may allow the merge or forbid it."""
    if event.action not in REVIEWED:
        return NOTHING
    return EventResult(trigger=f"review {event.action}", dimensions=[RECONCILE])


def on_check(event: Event, _: Any) -> EventResult:
    """A finished check may have been the last one."""
    if event.action != "completed":
        return NOTHING
    return EventResult(trigger=f"{event.name} completed", dimensions=[RECONCILE])


def on_status(event: Event, _: Any) -> EventResult:
    """A commit status has no action; a pending one changes nothing."""
    state = Payload(dict(event.payload)).text("state", 20)
    return NOTHING if state == "pending" else EventResult(trigger=f"status {state}", dimensions=[RECONCILE])


def on_workflow_run(event: Event, _: PullRequestItem) -> EventResult:
    """A failed run is looked into, each by itself; the executor knows whether that is wanted."""
    payload = Payload(dict(event.payload))
    run_id = payload.id("workflow_run.id")
    failed = payload.text("workflow_run.conclusion", 50) in RUN_FAILED
    if event.action != "completed":
        return NOTHING
    retry = [DimensionUpdate(Need.CI_RETRY, needed=True, variant=str(run_id))] if failed and run_id else []
    return EventResult(trigger="workflow run completed", dimensions=[*retry, RECONCILE])


def on_push(_: Event, __: Any) -> EventResult:
    """Ask, after a push to the branch, whether it is still what was submitted, and whether anything is left of it."""
    return EventResult(trigger="pushed", dimensions=[RECONCILE, EMPTY_CHECK])


HANDLERS: dict[str, Handler] = {
    "pull_request": on_pull_request,
    "pull_request_review": on_review,
    "check_suite": on_check,
    "check_run": on_check,
    "status": on_status,
    "workflow_run": on_workflow_run,
    "push": on_push,
}
