"""Workflow runs whose infrastructure failed are started again; nothing else ever is."""

from __future__ import annotations

from dataclasses import replace

import pytest

from core import registry
from githubapi.job_values import Annotation, JobFacts, JobStep
from submissions.decisions.infrastructure import MATCHERS, FailedJob, judge_run, match
from submissions.setting_specs import CI_RETRIES
from tests.github_app import REPOSITORY
from tests.submissions.world import World, hand_in, item, needs, told

LOST = "The hosted runner lost communication with the server. Anything in your workflow that terminates..."
INFRASTRUCTURE = {
    LOST: ("runner lost", "Run tests"),
    "The self-hosted runner: r-17 lost communication with the server.": ("runner lost", "Run tests"),
    "The runner has received a shutdown signal.": ("runner lost", "Run tests"),
    "The job was not acquired by Runner of type hosted even after multiple attempts": ("runner lost", ""),
    "fatal: unable to access 'https://github.com/o/r/': Could not resolve host: github.com": (
        "clone timed out",
        "Run actions/checkout@v4",
    ),
    "error: RPC failed; curl 56 GnuTLS recv error": ("clone timed out", "Run actions/checkout@v4"),
    "fatal: early EOF": ("clone timed out", "Clone the repository"),
    "The requested URL returned error: 503": ("clone timed out", "Checkout"),
    "Process completed with exit code 137.": ("out of memory", "Run tests"),
    "The runner ran out of memory and was stopped.": ("out of memory", "Run tests"),
}
REAL = {
    "Process completed with exit code 1.": "Run tests",
    "AssertionError: expected 3, got 4": "Run tests",
    "The operation was canceled.": "Run tests",
    "The job running on runner X has exceeded the maximum execution time of 360 minutes.": "Run tests",
    # A test that speaks of the same things, in a step that is no checkout.
    "requests.ConnectionError: Could not resolve host: api.example": "Run tests",
    "TimeoutError: operation timed out": "Run integration tests",
    "java.lang.OutOfMemoryError: Java heap space": "Run tests",
    "fatal: couldn't find remote ref refs/heads/none": "Run actions/checkout@v4",
    "remote: Repository not found.": "Run actions/checkout@v4",
    "Process completed with exit code 1371.": "Run tests",
    "": "Run tests",
}


def job(said: str, step: str, *, level: str = "failure", name: str = "build") -> FailedJob:
    steps = (JobStep(name="Set up job", conclusion="success"), JobStep(name=step, conclusion="failure"))
    facts = JobFacts(id=1, name=name, status="completed", conclusion="failure", steps=steps)
    return FailedJob(facts, (Annotation(level=level, title="", message=said),))


@pytest.mark.parametrize("said,kind,step", [(said, *rest) for said, rest in INFRASTRUCTURE.items()])
def test_b5_54_an_infrastructure_failure_is_told_by_its_words(said, kind, step):
    assert match(job(said, step)) == kind


@pytest.mark.parametrize("said,step", list(REAL.items()))
def test_b5_54_a_real_failure_is_never_taken_for_one(said, step):
    assert match(job(said, step)) == ""


def test_every_matcher_has_an_example():
    assert {matcher.name for matcher in MATCHERS} == {kind for kind, _ in INFRASTRUCTURE.values()}


def test_a_warning_is_no_failure():
    assert match(job(LOST, "Run tests", level="warning")) == ""


def test_b5_54_one_real_failure_among_them_is_enough():
    both = [job(LOST, "x", name="a"), job("exit code 1", "Run tests", name="b")]
    assert judge_run(both[:1]).retry
    assert not judge_run(both).retry
    assert "b" in judge_run(both).reason
    assert not judge_run([]).retry


def failed_run(world: World, *said: str, step: str = "Run tests", conclusion: str = "failure") -> int:
    """Let the workflow of the pull request's head fail, each job saying one thing."""
    run_id = world.changes.run_workflow(REPOSITORY, 1)
    for words in said:
        world.changes.fail_job(run_id, says=words, step=step)
    return int(world.changes.run_workflow(REPOSITORY, 1, conclusion=conclusion))


def reruns(world: World) -> int:
    return len(world.github.requests(".*/rerun-failed-jobs", verb="POST"))


@pytest.fixture
def opened(world: World) -> World:
    hand_in()
    world.settle()
    return world


def test_b5_54_a_lost_runner_has_its_failed_jobs_started_again(opened: World) -> None:
    run_id = failed_run(opened, LOST)
    opened.settle()
    assert reruns(opened) == 1
    assert opened.github.state.workflow_runs[run_id].attempt == 2
    stored = item()
    assert (stored.head_run_id, stored.ci_retries, stored.ci_retries_sha) == (run_id, 1, stored.head_sha)
    assert needs()[f"needs_ci_retry[{run_id}]"] == "false"
    assert (
        f"ci_retry done: started run {run_id} again: an infrastructure failure: job 1 (runner lost)" in told()
    )


@pytest.mark.parametrize("said", [("Process completed with exit code 1.",), (LOST, "AssertionError"), ()])
def test_b5_54_a_real_failure_is_never_started_again(opened: World, said: tuple[str, ...]) -> None:
    failed_run(opened, *said)
    opened.settle()
    assert reruns(opened) == 0


def test_b5_54_the_number_of_retries_of_one_head_is_capped(opened: World) -> None:
    for _ in range(6):
        failed_run(opened, LOST)
        opened.settle()
    assert (reruns(opened), item().ci_retries) == (3, 3)
    hand_in(file_actions=[{"action": "create", "path": "bulbs/two.txt", "content": "lit\n"}])
    opened.settle()
    failed_run(opened, LOST)
    opened.settle()
    assert (reruns(opened), item().ci_retries) == (4, 1)


def test_a_cap_of_none_switches_it_off(opened: World) -> None:
    registry.write(CI_RETRIES, "0")
    failed_run(opened, LOST)
    opened.settle()
    assert reruns(opened) == 0


def test_b5_55_a_superseded_head_is_never_started_again(opened: World) -> None:
    run_id = failed_run(opened, LOST)
    # Its Event is read, but before anybody looks into the run the branch moves on.
    opened.deliver()
    hand_in(file_actions=[{"action": "create", "path": "bulbs/two.txt", "content": "lit\n"}])
    opened.settle()
    assert reruns(opened) == 0
    assert f"ci_retry done: not started again: run {run_id} is of a superseded head" in told()


def test_b5_55_a_head_that_moves_while_the_run_is_looked_into_is_never_started_again(opened: World) -> None:
    failed_run(opened, LOST)
    opened.deliver()
    pull = opened.pull()
    opened.github.state.add_thing(replace(pull, head_sha="f" * 40))
    opened.work()
    assert reruns(opened) == 0
    assert any("superseded head" in sentence for sentence in told())


def test_a_run_that_somebody_started_again_is_left_alone(opened: World) -> None:
    run_id = failed_run(opened, LOST)
    opened.deliver()
    opened.github.state.workflow_runs[run_id].conclusion = ""
    opened.work()
    assert reruns(opened) == 0


def test_who_does_not_want_it_does_not_get_it(world: World) -> None:
    hand_in(options={"ci_retry": False})
    world.settle()
    failed_run(world, LOST)
    world.settle()
    assert reruns(world) == 0


@pytest.mark.parametrize("status", [403, 422])
def test_a_refusal_to_start_it_again_is_no_failure_of_the_item(opened: World, status: int) -> None:
    opened.github.inject(
        ".*/rerun-failed-jobs", "status", verb="POST", status=status, message="It is too old"
    )
    failed_run(opened, LOST)
    opened.settle()
    assert (item().phase, item().attempts) == ("active", 0)
    assert any("GitHub refuses" in sentence for sentence in told())


def test_a_run_that_is_gone_is_no_failure_of_the_item(opened: World) -> None:
    run_id = failed_run(opened, LOST)
    del opened.github.state.workflow_runs[run_id]
    opened.settle()
    assert (item().phase, item().attempts) == ("active", 0)


def test_a_lost_answer_to_the_start_uses_one_up_and_starts_nothing_twice(opened: World) -> None:
    run_id = failed_run(opened, LOST)
    opened.github.inject(".*/rerun-failed-jobs", "disconnect", verb="POST")
    opened.deliver()
    opened.work()
    opened.shift(seconds=61)
    opened.settle()
    assert opened.github.state.workflow_runs[run_id].attempt == 2
    assert (reruns(opened), item().ci_retries, item().phase) == (1, 1, "active")
