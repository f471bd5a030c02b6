"""The item type `pull_request`, as the work queue takes it."""

from __future__ import annotations

from submissions.decisions.next_action import DIMENSIONS, decide
from submissions.handlers.events import HANDLERS, concerned
from submissions.models import PullRequestItem
from submissions.services.ensuring import ensure_pr
from submissions.services.reconciling import reconcile
from submissions.services.retrying import ci_retry
from submissions.services.submitting import submit
from submissions.values import ITEM_TYPE, Deed, Need
from sync.services.github import app_client, why_not_configured
from sync.services.work_outcomes import outcome_of
from webhooks.services.limits import heeding_limits
from workqueue.registry import Door, ItemType
from workqueue.values import Changes, DimensionUpdate, Phase


def from_the_start(item: PullRequestItem) -> Changes:
    """A retry looks at the branch and the pull request anew; one that was closed is left behind for a new one."""
    needs = (Need.PULL_REQUEST, Need.RECONCILE)
    left_behind = {"number": None, "past_number": item.number, "emptied": False}
    return Changes(
        columns=left_behind if item.phase == Phase.CANCELLED else {},
        dimensions=[DimensionUpdate(need, needed=True) for need in needs],
    )


def subject_of(item: PullRequestItem) -> str:
    return f"{item.repository_owner}/{item.repository_name}: {item.head_branch}"


def details_of(item: PullRequestItem) -> dict[str, str]:
    """Return what a person asks first: what is wanted, where it stands, what was tried."""
    return {
        "Title": item.title,
        "Repository": f"{item.repository_owner}/{item.repository_name}",
        "Branches": f"{item.head_branch} into {item.base_branch}",
        "Pull request": f"#{item.number}" if item.number else "not opened yet",
        "Head": item.head_sha or "nothing pushed yet",
        "Submission": f"{item.submission_id}, content {item.content_hash[:12]}",
        "Workflow runs started again": f"{item.ci_retries} for this head" if item.ci_retries else "none",
    }


EXECUTORS = {Deed.ENSURE_PR: ensure_pr, Deed.CI_RETRY: ci_retry, Deed.RECONCILE: reconcile}
PULL_REQUEST = ItemType(
    name=ITEM_TYPE,
    model=PullRequestItem,
    decide=decide,
    executors={deed: heeding_limits(executor) for deed, executor in EXECUTORS.items()},
    dimensions=DIMENSIONS,
    resolve=concerned,
    handlers=HANDLERS,
    outcome_of=outcome_of,
    on_retry=from_the_start,
    subject=subject_of,
    details=details_of,
    tools=app_client,
    obstacle=why_not_configured,
    door=Door(serializer="submissions.api.serializers.SubmissionInput", submit=submit),
)
