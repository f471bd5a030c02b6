"""The executor `ci_retry`: failed jobs are started again when their infrastructure failed, and only then."""

from __future__ import annotations

from githubapi.errors import Forbidden, Gone, Permanent
from submissions.decisions import infrastructure
from submissions.decisions.infrastructure import FailedJob, Judgement
from submissions.services.place import Place, handled, place_of
from submissions.setting_specs import CI_RETRIES
from submissions.values import Need
from workqueue.registry import Job
from workqueue.values import Changes, Done, Outcome


def ci_retry(job: Job) -> Outcome:
    """Look into the workflow run that the need names, and start its failed jobs again if that can help."""
    variant = job.action.variant
    place = place_of(job)
    if not variant.isdecimal() or place.item.number is None or not place.wanted.options.ci_retry:
        return _handled("no run is to be looked into", variant)
    try:
        return _handled(_retried(place, int(variant)), variant)
    except Gone as error:
        if error.reason == "no_installation":
            raise
        return _handled(f"run {variant} is gone", variant)


def _handled(reason: str, variant: str) -> Done:
    return Done(reason, Changes(dimensions=[handled(Need.CI_RETRY, variant)]))


def _retried(place: Place, run_id: int) -> str:
    """Start it again or not; return why, in words."""
    client, repository_id, item = place.client, place.repository_id, place.item
    run = client.workflow_run(repository_id, run_id)
    # Asked for after the run: a head that moves later than this makes the run fail by itself.
    head = client.pull_request(repository_id, int(item.number or 0)).head_sha
    used = item.ci_retries if item.ci_retries_sha == head else 0
    limit = place.job.settings[CI_RETRIES]
    if why := infrastructure.why_not_consider(run, head, used, limit):
        return f"not started again: {why}"
    judgement = _judged(place, run_id)
    if not judgement.retry:
        return f"run {run_id} is not started again: {judgement.reason}"
    # Counted before it is done: whoever is interrupted in between has used one up.
    count = {"ci_retries": used + 1, "ci_retries_sha": head, "head_run_id": run_id}
    place.job.write(Changes(columns=count))
    return _start(place, run_id, judgement)


def _judged(place: Place, run_id: int) -> Judgement:
    client, repository_id = place.client, place.repository_id
    failed = infrastructure.failed_jobs(client.jobs(repository_id, run_id))
    return infrastructure.judge_run(
        [FailedJob(job, client.annotations(repository_id, job.id)) for job in failed]
    )


def _start(place: Place, run_id: int, judgement: Judgement) -> str:
    """A refusal is about the run (it runs already, it is too old) and no reason to give up the pull request."""
    try:
        place.client.rerun_failed_jobs(place.repository_id, run_id)
    except (Forbidden, Permanent) as error:
        return f"run {run_id} is not started again: GitHub refuses ({error})"
    return f"started run {run_id} again: {judgement.reason}"
