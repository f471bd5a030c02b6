"""Paths of what the event tables show and let others do."""

from __future__ import annotations

from django.urls import URLPattern

from core.api.paths import endpoint
from webhooks.api import claims
from webhooks.api.bundle import GithubBundle, GithubDelivery
from webhooks.api.processing import ProcessingStates, processing_list, same_under_another_path
from webhooks.api.releases import Releases
from webhooks.api.shapes import ENTITIES, Entity
from webhooks.api.workflow_runs import (
    RunBySequence,
    RunsBySequence,
    WorkflowRunOne,
    WorkflowRunRetry,
    WorkflowRuns,
)


def entity_paths(entity: Entity) -> list[URLPattern]:
    """Return the paths of one claimed table."""
    name, listed = entity.path, processing_list(entity)
    again = same_under_another_path(listed, f"{name.replace('-', '_')}_processing_list_by_path")
    row = f"{name}/<sequence:sequence>"
    return [
        *endpoint(f"{name}-processing", listed, name=f"api-{name}-processing"),
        *endpoint(f"{name}/processing", again, name=f"api-{name}-processing-by-path"),
        *endpoint(f"{name}/claim", claims.claim_rows(entity), name=f"api-{name}-claim"),
        *endpoint(f"{row}/processed", claims.finish_row(entity), name=f"api-{name}-processed"),
        *endpoint(f"{row}/failed", claims.fail_row(entity), name=f"api-{name}-failed"),
        *endpoint(f"{row}/re-request", claims.re_request_row(entity), name=f"api-{name}-re-request"),
    ]


urlpatterns = [
    *endpoint("processing-state", ProcessingStates, name="api-processing-state"),
    *(pattern for entity in ENTITIES for pattern in entity_paths(entity)),
    *endpoint("workflow-runs", WorkflowRuns, name="api-workflow-runs"),
    *endpoint("workflow-runs/<sequence:run_id>", WorkflowRunOne, name="api-workflow-run"),
    *endpoint("workflow-runs/<sequence:run_id>/retry", WorkflowRunRetry, name="api-workflow-run-retry"),
    *endpoint("releases", Releases, name="api-releases"),
    *endpoint("github", GithubBundle, name="api-github"),
    *endpoint("github/workflow", RunsBySequence, name="api-github-workflow"),
    *endpoint("github/workflow/<sequence:sequence>", RunBySequence, name="api-github-workflow-one"),
    *endpoint("github/<sequence:sequence>", GithubDelivery, name="api-github-delivery"),
]
