"""The jobs of workflow runs, and what their runners annotate."""

from __future__ import annotations

from sandbox import resources
from sandbox.resources import WEB, Json, instant
from sandbox.server.messages import NOT_FOUND, Answer, ok
from sandbox.server.paging import cut
from sandbox.server.routing import Asked, Routes
from sandbox.server.state import Job
from sandbox.world import BEGINNING, PullRequest, Repository, node_id

routes = Routes()


@routes.on_repository("GET", r"/actions/runs/(?P<run>\d+)/jobs")
def list_jobs(asked: Asked, repository: Repository) -> Answer:
    run = asked.state.workflow_runs.get(asked.part("run"))
    pull = run and asked.state.thing(repository.id, run.number)
    if not run or not isinstance(pull, PullRequest):
        return NOT_FOUND
    jobs = asked.state.jobs.get(asked.part("run"), [])
    page, headers = cut(jobs, asked.request, asked.base_url)
    body = [_job(asked, pull, job) for job in page]
    return ok({"total_count": len(jobs), "jobs": body}, headers=headers)


@routes.on_repository("GET", r"/check-runs/(?P<job>\d+)/annotations")
def list_annotations(asked: Asked, repository: Repository) -> Answer:
    jobs = (job for found in asked.state.jobs.values() for job in found)
    job = next((job for job in jobs if job.number == asked.part("job")), None)
    if job is None:
        return NOT_FOUND
    page, headers = cut(job.says, asked.request, asked.base_url)
    return ok([_annotation(repository, level, message) for level, message in page], headers=headers)


def _job(asked: Asked, pull: PullRequest, job: Job) -> Json:
    run_id, attempt = asked.part("run"), asked.state.workflow_runs[asked.part("run")].attempt
    api = resources.repository_url(pull.repository)
    at = {"started_at": instant(BEGINNING), "completed_at": instant(BEGINNING)}
    steps = [("Set up job", "success"), (job.step or "Run tests", job.conclusion)]
    return {
        "id": job.number,
        "run_id": run_id,
        "run_url": f"{api}/actions/runs/{run_id}",
        "run_attempt": attempt,
        "node_id": node_id("CR", pull.repository.id, job.number),
        "head_sha": pull.head_sha,
        "head_branch": pull.head_ref,
        "url": f"{api}/actions/jobs/{job.number}",
        "html_url": f"{WEB}/{pull.repository.full_name}/actions/runs/{run_id}/job/{job.number}",
        "check_run_url": f"{api}/check-runs/{job.number}",
        "status": "completed",
        "conclusion": job.conclusion,
        "created_at": instant(BEGINNING),
        **at,
        "name": job.name,
        "workflow_name": "CI",
        "labels": ["ubuntu-latest"],
        "runner_id": 1,
        "runner_name": "GitHub Actions 1",
        "runner_group_id": 1,
        "runner_group_name": "GitHub Actions",
        "steps": [
            {"name": name, "status": "completed", "conclusion": conclusion, "number": number, **at}
            for number, (name, conclusion) in enumerate(steps, 1)
        ],
    }


def _annotation(repository: Repository, level: str, message: str) -> Json:
    return {
        "path": ".github",
        "blob_href": f"{WEB}/{repository.full_name}/blob/main/.github",
        **dict.fromkeys(("start_line", "end_line"), 1),
        **dict.fromkeys(("start_column", "end_column", "raw_details", "title")),
        "annotation_level": level,
        "message": message,
    }
