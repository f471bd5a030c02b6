"""The event tables: a contract with programs that write the same tables by hand (docs/architecture.md, "Tables")."""

from __future__ import annotations

from webhooks.models.accounts import Installation, Repository, User, UserInstallation
from webhooks.models.activity import Branch, Comment, Issue, Push
from webhooks.models.deliveries import Delivery, Rejection
from webhooks.models.notices import Notification, PendingAction, RecentActivity
from webhooks.models.pull_requests import PullRequest, PullRequestHistory, PullRequestLook
from webhooks.models.runs import Release, WorkflowRun

# The eight tables that are claimed and counted, in the order people see.
CLAIMED = (PullRequest, Branch, Comment, Installation, Issue, Push, Repository, User)
# The tables whose rows carry a repository's name and follow its renames.
REPOSITORY_SCOPED = (
    PullRequest,
    Issue,
    Comment,
    Branch,
    Push,
    WorkflowRun,
    Release,
    Notification,
    PendingAction,
    RecentActivity,
)

__all__ = [
    "CLAIMED",
    "REPOSITORY_SCOPED",
    "Branch",
    "Comment",
    "Delivery",
    "Installation",
    "Issue",
    "Notification",
    "PendingAction",
    "PullRequest",
    "PullRequestHistory",
    "PullRequestLook",
    "Push",
    "RecentActivity",
    "Rejection",
    "Release",
    "Repository",
    "User",
    "UserInstallation",
    "WorkflowRun",
]
