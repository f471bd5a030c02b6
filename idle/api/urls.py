"""Paths of the idle view."""

from __future__ import annotations

from core.api.paths import endpoint
from idle.api.idle_pull_requests import (
    IdlePullRequestCounts,
    IdlePullRequests,
    IdleReset,
    NextIdlePullRequest,
)

urlpatterns = [
    *endpoint("idle-pull-requests", IdlePullRequests, name="api-idle-pull-requests"),
    *endpoint("idle-pull-requests/counts", IdlePullRequestCounts, name="api-idle-counts"),
    *endpoint("idle-pull-requests/next", NextIdlePullRequest, name="api-idle-next"),
    *endpoint("idle-pull-requests/<sequence:sequence>/reset", IdleReset, name="api-idle-reset"),
]
