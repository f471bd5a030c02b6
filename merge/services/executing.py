"""Carrying out an approved merge: judge the pinned head once more, merge it, and believe GitHub alone."""

from __future__ import annotations

from datetime import timedelta

from githubapi.client import AppClient
from githubapi.errors import GithubError, Transient
from githubapi.merging_values import MergeAnswer, MergeMethod, MergeOutcome
from githubapi.values import PullRequestDetail
from merge import setting_specs
from merge.decisions import NEEDS_MERGE, wait_before_looking_again
from merge.models import Merge
from merge.rules.order import EXECUTOR
from merge.services.judging import judge
from merge.services.notes import note
from merge.services.places import Place
from merge.values import Standing, Verdict
from sync.services.github import asked
from webhooks.values import Cause
from workqueue import values as outcomes
from workqueue.registry import Job
from workqueue.values import Changes, DimensionUpdate, Outcome, Phase


def carry_out(job: Job) -> Outcome:
    """Merge what a merge names, if it is still that head and green; raises GithubError.

    An earlier attempt may have merged it and died: what GitHub says of it comes first (merge.md 5).
    """
    merge: Merge = job.item
    app: AppClient = job.tools
    client = app.for_installation(merge.installation_id)
    place = Place(client, merge.repository_id, merge.repository_owner, merge.repository_name)
    detail = asked(lambda: client.pull_request_detail(merge.repository_id, merge.number))
    if detail.facts.merged:
        return _merged(merge, "", "it was merged by now")
    verdict = judge(place, detail, job.settings, rules=EXECUTOR, pinned_sha=merge.head_sha)
    if verdict.standing is Standing.WAITING:
        return _wait(job, verdict)
    if verdict.standing is not Standing.ELIGIBLE:
        return _refusal(verdict)
    return _merge(merge, place, job.settings[setting_specs.METHOD])


def _wait(job: Job, verdict: Verdict) -> Outcome:
    waited = job.snapshot.now - job.item.created_at
    wait = wait_before_looking_again(verdict.again or timedelta(minutes=1), waited)
    return outcomes.RetryLater(verdict.sentence, job.snapshot.now + wait)


def _refusal(verdict: Verdict) -> Outcome:
    """Tell "GitHub did not answer", which may be otherwise in a moment, from a refusal."""
    if verdict.code == "unanswered":
        return outcomes.Transient(verdict.sentence)
    return outcomes.Permanent(verdict.sentence)


def _merge(merge: Merge, place: Place, wanted: MergeMethod) -> Outcome:
    allowed = asked(lambda: place.client.merge_methods(merge.repository_id))
    method = wanted if wanted in allowed else next(iter(allowed), None)
    if method is None:
        return outcomes.Permanent("The repository allows no way of merging.")
    try:
        answer = asked(
            lambda: place.client.merge_pull_request(merge.repository_id, merge.number, merge.head_sha, method)
        )
    except Transient as error:
        return _after_unclear_answer(merge, place, error)
    return _after(merge, answer)


def _after(merge: Merge, answer: MergeAnswer) -> Outcome:
    words = answer.message or "no reason given"
    match answer.outcome:
        case MergeOutcome.MERGED:
            return _merged(merge, answer.sha, "merged")
        case MergeOutcome.BASE_MOVED:
            return outcomes.Transient(f"GitHub asks to try again: {words}")
        case MergeOutcome.HEAD_MOVED:
            return outcomes.Permanent(
                f"Its head moved from {merge.head_sha[:7]}, which was approved: {words}"
            )
        case MergeOutcome.QUEUE_DEMANDED:
            return outcomes.Permanent(f"The base branch demands a merge queue: {words}")
        case MergeOutcome.REFUSED:
            return outcomes.Permanent(f"GitHub refuses to merge it: {words}")


def _after_unclear_answer(merge: Merge, place: Place, error: Transient) -> Outcome:
    """Read back what became of a merge whose answer was lost; the next attempt reads again if this fails, too."""
    try:
        detail: PullRequestDetail = asked(
            lambda: place.client.pull_request_detail(merge.repository_id, merge.number)
        )
    except GithubError:
        return outcomes.Transient(f"It is not known whether it was merged: {error}")
    if detail.facts.merged:
        return _merged(merge, "", "merged, though GitHub's answer was lost")
    return outcomes.Transient(f"Not merged: {error}")


def _merged(merge: Merge, sha: str, how: str) -> Outcome:
    note(merge.pull_request_sequence, f"{how}: {merge.head_sha[:7]}", Cause(actor=merge.approved_by))
    return outcomes.Done(
        how,
        Changes(
            columns={"merge_sha": sha},
            dimensions=[DimensionUpdate(NEEDS_MERGE, needed=False)],
            phase=Phase.COMPLETED,
        ),
    )
