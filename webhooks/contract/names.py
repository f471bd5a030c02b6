"""The tables and views of the contract, and the ones of this product beside them."""

from __future__ import annotations

TABLES = (
    # Shared with programs that write them by hand.
    "github_pull_requests",
    "github_issues",
    "github_comments",
    "github_branches",
    "github_pushes",
    "github_repositories",
    "github_installations",
    "github_users",
    "user_installations",
    "github_workflow_runs",
    "github_releases",
    "notifications",
    "pending_actions",
    "recent_activities",
    "settings",
    # This product's own.
    "webhook_deliveries",
    "webhook_rejections",
    "pull_request_history",
    "pull_request_looks",
    "pass_states",
    "pass_runs",
    "bells",
    "heartbeats",
    "api_tokens",
    "api_rates",
)

VIEWS = (
    "github_pull_requests_processing_view",
    "github_issues_processing_view",
    "github_comments_processing_view",
    "github_branches_processing_view",
    "github_pushes_processing_view",
    "github_repositories_processing_view",
    "github_installations_processing_view",
    "github_users_processing_view",
    "github_branches_view",
    "github_release_status_view",
    "github_pull_requests_idle_status_view",
    "github_pull_requests_idle_view",
)
