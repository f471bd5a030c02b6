"""What merging says of a pull request when a person asks why it is where it is (named in config's EXPLAINERS)."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

from core import registry
from core.reasons import Next, Reason
from core.registry import Effective
from merge import selectors, setting_specs
from merge.models import MergeVerdict
from merge.values import BackoffScope, Standing, Status
from webhooks.models import PullRequest
from workqueue.services import explaining

_SENTENCES = {
    Status.PENDING: "Its merge waits for a person to approve or reject it",
    Status.APPROVED: "Its merge is approved and about to be carried out",
    Status.EXECUTING: "Its merge is being carried out",
    Status.DONE: "It was merged by us",
    Status.FAILED: "Its merge failed",
    Status.REJECTED: "Its merge was rejected",
    Status.CANCELLED: "Its merge was cancelled",
}
_OPEN_GATES = frozenset({Status.APPROVED, Status.EXECUTING, Status.DONE})


def explain(row: PullRequest, now: datetime) -> Iterator[Reason]:
    """Yield the newest merge and the newest verdict, as far as there are any; asks the database eight times at most."""
    if row.repository_id is None:
        return
    merge = selectors.newest_merge(row.repository_id, row.number)
    verdict = selectors.verdict_of(row.repository_id, row.number)
    if merge is None and verdict is None:
        return
    values = registry.effective()
    if merge is not None:
        yield _of_merge(merge, values, now)
        # A pending one waits for a person; of those that have ended the reason has said all.
        if selectors.status(merge) in {Status.APPROVED, Status.EXECUTING}:
            yield from explaining.explain(merge, now, name="Its merge", prefix="merge_item")
    if verdict is not None and not row.merged:
        yield _of_verdict(verdict, now)
    if not values[setting_specs.SWITCH.enabled]:
        yield Reason(
            "merge_off", "Merge on green is switched off (merge.enabled): nothing is proposed by itself."
        )


def _of_merge(merge: Any, values: Effective, now: datetime) -> Reason:
    status = selectors.status(merge)
    why = f": {merge.why.rstrip('.')}" if merge.why else ""
    return Reason(
        f"merge_{status}",
        f"{_SENTENCES[status]} (head {merge.head_sha[:7]}){why}.",
        passed=None if status is Status.CANCELLED else status in _OPEN_GATES,
        next=_after_failure(merge, values, now) if status is Status.FAILED else None,
        asks=status is Status.PENDING,
    )


def _after_failure(merge: Any, values: Effective, now: datetime) -> Next | None:
    """Return when the poller may propose it again; with the backoff keyed to the head, a push is enough."""
    ends = merge.ended_at + timedelta(hours=values[setting_specs.BACKOFF_HOURS])
    if ends <= now:
        return None
    by_head = values[setting_specs.BACKOFF_SCOPE] is BackoffScope.HEAD_SHA
    return Next("the same head may be proposed again" if by_head else "it may be proposed again", ends)


def _of_verdict(verdict: MergeVerdict, now: datetime) -> Reason:
    passed = {Standing.ELIGIBLE: True, Standing.WAITING: None}.get(Standing(verdict.standing), False)
    again = verdict.again_at
    return Reason(
        f"merge_verdict_{verdict.code}",
        f"Merge on green, head {verdict.head_sha[:7]}: {verdict.sentence}",
        passed=passed,
        next=Next("it is judged again for merging, about", again) if again and again > now else None,
    )
