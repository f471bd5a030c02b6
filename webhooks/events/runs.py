"""Workflow runs and releases: shown on dashboards, claimed by nobody."""

from __future__ import annotations

from typing import Any

from webhooks.events.incoming import Incoming, Outcome, applied, stale
from webhooks.models import Release, WorkflowRun
from webhooks.models.base import REF_LENGTH, SHA_LENGTH
from webhooks.payload import Payload
from webhooks.services import rows


def write_workflow_run(incoming: Incoming) -> Outcome:
    """One row a run; the latest attempt, and of one attempt the latest state, wins."""
    payload = incoming.payload
    run_id = payload.needed_id("workflow_run.id")
    columns = run_columns(payload)
    known = WorkflowRun.objects.select_for_update().filter(workflow_run_id=run_id).first()
    if known is not None and is_older(known, columns):
        return stale(f"older than what workflow run row {known.pk} shows")
    outcome = rows.upsert(WorkflowRun, {"workflow_run_id": run_id}, incoming, **columns)
    return Outcome(outcome.status, outcome.note)


def is_older(known: WorkflowRun, columns: dict[str, Any]) -> bool:
    """Tell whether the row shows a later attempt, or a later instant of the same one."""
    if columns["run_attempt"] != known.run_attempt:
        return bool(columns["run_attempt"] < known.run_attempt)
    given, stored = columns["github_updated_at"], known.github_updated_at
    if given == stored:
        # Same second: a finished run does not start again within its attempt.
        return known.status == "completed" and columns["status"] != "completed"
    return bool(given and stored and given < stored)


def run_columns(payload: Payload) -> dict[str, Any]:
    """Return the facts of the run."""
    run = "workflow_run"
    return {
        "name": payload.text(f"{run}.name"),
        "display_title": payload.text(f"{run}.display_title", 500),
        "run_number": payload.id(f"{run}.run_number") or 0,
        "run_attempt": payload.id(f"{run}.run_attempt") or 1,
        "event": payload.text(f"{run}.event", 50),
        "status": payload.text(f"{run}.status", 50),
        "conclusion": payload.text(f"{run}.conclusion", 50) or None,
        "actor_login": payload.name(f"{run}.actor.login"),
        "head_branch": payload.name(f"{run}.head_branch", REF_LENGTH),
        "head_sha": payload.name(f"{run}.head_sha", SHA_LENGTH),
        "html_url": payload.text(f"{run}.html_url", 1000),
        "github_updated_at": payload.instant(f"{run}.updated_at"),
    }


def write_release(incoming: Incoming) -> Outcome:
    """One row a release; one that GitHub deleted has none."""
    payload = incoming.payload
    release_id = payload.needed_id("release.id")
    if incoming.action == "deleted":
        Release.objects.filter(release_id=release_id).delete()
        return applied(f"release {release_id} deleted on GitHub, its row with it", wakes=False)
    columns = {
        "release_name": payload.text("release.name", 500),
        "tag_name": payload.name("release.tag_name", REF_LENGTH),
        "html_url": payload.text("release.html_url", 1000),
        "release_created_at": payload.instant("release.created_at"),
    }
    outcome = rows.upsert(Release, {"release_id": release_id}, incoming, **columns)
    return Outcome(outcome.status, outcome.note)
