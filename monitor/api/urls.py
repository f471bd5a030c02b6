"""Paths of explanations."""

from __future__ import annotations

from core.api.paths import endpoint
from monitor.api.explanations import PullRequestExplanation

urlpatterns = [
    *endpoint(
        "pull-requests/<str:owner>/<str:repo>/<sequence:number>/explain",
        PullRequestExplanation,
        name="api-pull-request-explain",
    ),
]
