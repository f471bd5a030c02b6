"""Whether a workflow run failed by its runners and not by what it tested: the matcher list, and the rule over it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from githubapi.job_values import Annotation, JobFacts
from githubapi.values import WorkflowRunFacts

RUN_FAILED = frozenset({"failure", "timed_out", "cancelled", "startup_failure"})
JOB_FAILED = frozenset({"failure", "timed_out", "cancelled"})
CHECKOUT = re.compile(r"check ?out|clone|fetch", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Matcher:
    """One kind of infrastructure failure: words that runners or Git use for it, never a test.

    `step`: only if the step that failed is called so.
    """

    name: str
    words: re.Pattern[str]
    step: re.Pattern[str] | None = None


def _words(*parts: str) -> re.Pattern[str]:
    return re.compile("|".join(parts), re.IGNORECASE)


MATCHERS = (
    Matcher(
        "runner lost",
        _words(
            r"lost communication with the server",
            r"the runner has received a shutdown signal",
            r"the job was not acquired by runner",
            r"the job was not started because .{0,80}runner",
            r"failed to (start|create|provision) .{0,40}runner",
            r"internal server error occurred.{0,80}runner",
        ),
    ),
    Matcher(
        "clone timed out",
        _words(
            r"rpc failed; (curl|http)",
            r"early eof",
            r"could not resolve host",
            r"failed to connect to .{0,80}(timed out|timeout|after \d+ ms)",
            r"(connection|operation) timed out",
            r"the requested url returned error: 5\d\d",
            r"the remote end hung up unexpectedly",
        ),
        step=CHECKOUT,
    ),
    Matcher(
        "out of memory",
        _words(
            r"runner .{0,60}out of memory",
            r"out of memory.{0,60}runner",
            r"process completed with exit code 137\b",
            r"the (node|container|pod) was .{0,20}oom.?killed",
            r"\boomkilled\b",
        ),
    ),
)


@dataclass(frozen=True, slots=True)
class FailedJob:
    """A job that failed, with what its runner says about it."""

    facts: JobFacts
    annotations: tuple[Annotation, ...]


@dataclass(frozen=True, slots=True)
class Judgement:
    """Whether the run is started again, and why."""

    retry: bool
    reason: str


def failed_jobs(jobs: Iterable[JobFacts]) -> tuple[JobFacts, ...]:
    """Return the jobs that would be run again."""
    return tuple(job for job in jobs if job.conclusion in JOB_FAILED)


def match(job: FailedJob) -> str:
    """Return the kind of infrastructure failure that a job failed by, "" when it failed for real."""
    step = " ".join(step.name for step in job.facts.steps if step.conclusion in JOB_FAILED)
    said = [f"{note.title} {note.message}" for note in job.annotations if note.level == "failure"]
    found = (
        matcher.name
        for matcher in MATCHERS
        if matcher.step is None or matcher.step.search(step)
        if any(matcher.words.search(words) for words in said)
    )
    return next(found, "")


def why_not_consider(run: WorkflowRunFacts, head_sha: str, used: int, limit: int) -> str:
    """Return why a run is not even looked into, "" if it is.

    `head_sha`: the pull request's head as GitHub has it now; `used`: how often a run of this head was started again.
    """
    faults = (
        (run.head_sha != head_sha, f"run {run.id} is of a superseded head"),
        (run.status != "completed", f"run {run.id} is running"),
        (run.conclusion not in RUN_FAILED, f"run {run.id} ended with {run.conclusion}"),
        (used >= limit, f"this head's runs were started again {used} of {limit} times"),
    )
    return next((sentence for applies, sentence in faults if applies), "")


def judge_run(jobs: Sequence[FailedJob]) -> Judgement:
    """Start a run again only if every failed job failed by its infrastructure.

    GitHub starts all failed jobs at once, so a real failure among them would be repeated for nothing, and hidden.
    """
    if not jobs:
        return Judgement(retry=False, reason="no job of it failed")
    kinds = {job.facts.name: match(job) for job in jobs}
    if real := sorted(name for name, kind in kinds.items() if not kind):
        return Judgement(retry=False, reason=f"a real failure: {', '.join(real)}")
    told = ", ".join(f"{name} ({kind})" for name, kind in sorted(kinds.items()))
    return Judgement(retry=True, reason=f"an infrastructure failure: {told}")
