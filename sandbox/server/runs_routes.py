"""Workflow runs: shown, started again, deleted."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from sandbox import ci
from sandbox.server.head_routes import refusal_to_write
from sandbox.server.messages import NOT_FOUND, Answer, error, ok
from sandbox.server.routing import Asked, Routes
from sandbox.server.state import WorkflowRun
from sandbox.world import PullRequest, Repository

routes = Routes()

RUN = r"/actions/runs/(?P<run>\d+)"
STILL_RUNNING = error(403, "This workflow is already running")
NOTHING_FAILED = error(403, "This workflow run has no failed jobs to rerun.")
NOT_COMPLETED = error(403, "Cannot delete a workflow run that is not completed.")

RunHandler = Callable[[Asked, WorkflowRun, PullRequest], Answer]


def on_run(verb: str, rest: str = "") -> Callable[[RunHandler], RunHandler]:
    """Enter a handler for a run that exists; whoever writes must own its repository."""

    def enter(handler: RunHandler) -> RunHandler:
        def checked(asked: Asked, repository: Repository) -> Answer:
            run = asked.state.workflow_runs.get(asked.part("run"))
            pull = run and run.repository_id == repository.id and asked.state.thing(repository.id, run.number)
            if not run or not isinstance(pull, PullRequest):
                return NOT_FOUND
            refused = refusal_to_write(asked, repository) if verb != "GET" else None
            return refused or handler(asked, run, replace(pull, head_sha=run.head_sha or pull.head_sha))

        routes.on_repository(verb, RUN + rest)(checked)
        return handler

    return enter


@on_run("GET")
def show(_: Asked, run: WorkflowRun, pull: PullRequest) -> Answer:
    action = "completed" if run.conclusion else "in_progress"
    return ok(
        ci.workflow_run_itself(
            action, pull, conclusion=run.conclusion or None, name=run.name, attempt=run.attempt
        )
    )


@on_run("POST", "/rerun")
def rerun(asked: Asked, run: WorkflowRun, pull: PullRequest) -> Answer:
    return _again(asked, run, pull) if run.conclusion else STILL_RUNNING


@on_run("POST", "/rerun-failed-jobs")
def rerun_failed_jobs(asked: Asked, run: WorkflowRun, pull: PullRequest) -> Answer:
    if not run.conclusion:
        return STILL_RUNNING
    return NOTHING_FAILED if run.conclusion == "success" else _again(asked, run, pull)


@on_run("DELETE")
def delete(asked: Asked, run: WorkflowRun, _: PullRequest) -> Answer:
    if not run.conclusion:
        return NOT_COMPLETED
    del asked.state.workflow_runs[asked.part("run")]
    return Answer(204)


def _again(asked: Asked, run: WorkflowRun, pull: PullRequest) -> Answer:
    run.conclusion, run.attempt = "", run.attempt + 1
    body = ci.workflow_run("requested", pull, conclusion=None, name=run.name, attempt=run.attempt)
    asked.hook.emit("workflow_run", body)
    return ok({}, 201)
