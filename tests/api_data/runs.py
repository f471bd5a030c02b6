"""A workflow run that GitHub has and that is stored here."""

from __future__ import annotations

from typing import Any

from tests.api_data.world import workflow_run
from tests.github_app import INSTALLATION, REPOSITORY
from webhooks.models import WorkflowRun

RUNS = "/api/v1/workflow-runs"
BY_SEQUENCE = "/api/v1/github/workflow"


class Runs:
    """A run at GitHub with its row here, and an operator who calls."""

    def __init__(self, github: Any, client: Any) -> None:
        self.github = github
        self.client = client

    def stored(self, conclusion: str = "failure", **columns: Any) -> WorkflowRun:
        run_id = self.github.changes.run_workflow(REPOSITORY, 1, conclusion=conclusion)
        told = {"status": "completed" if conclusion else "in_progress", "conclusion": conclusion or None}
        where = {"repository_id": REPOSITORY, "installation_id": INSTALLATION, "run_attempt": 1}
        return workflow_run(**told | where | {"workflow_run_id": run_id} | columns)

    def asked(self) -> list[tuple[str, str]]:
        """Return what was asked of GitHub about runs, in order."""
        paths = self.github.requests(rf"/repositories/{REPOSITORY}/actions/runs/\d+.*")
        return [(one.verb, one.path.partition("/actions/runs/")[2].partition("/")[2]) for one in paths]

    def retry(self, row: WorkflowRun, **body: Any) -> Any:
        return self.client.post(f"{RUNS}/{row.workflow_run_id}/retry", **body)
