"""Many submissions, workers that are killed or sleep through their leases, and GitHub that fails one call in ten."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from sandbox.server import SandboxGithub, worlds
from tests.github_app import REPOSITORY
from tests.submissions.nursery import KINDS, kind_of
from tests.submissions.proof import MariaDB, Stage, flaky, stage

# Steps of half an hour lead past any backoff.
MOST_ROUNDS = 20


@pytest.fixture
def github() -> Iterator[SandboxGithub]:
    with SandboxGithub(worlds.regular()) as running:
        running.service.faults += flaky()
        # 5,000 calls an hour would stop a thousand submissions soon, and nothing would be left to be killed.
        running.service.quotas.limit = 1_000_000
        yield running


def carry_out(stage: Stage, count: int, *, kill_for: float, meanwhile: Any = None) -> dict[str, int]:
    """Submit while workers are killed; then heal GitHub and let the rest be done in peace."""
    with stage.harmed_workers() as harm:
        submitting = stage.start("submit", str(count))
        end = time.monotonic() + kill_for
        if meanwhile:
            time.sleep(kill_for / 3)
            meanwhile()
        submitting.communicate()
        while time.monotonic() < end:
            time.sleep(0.5)
    stage.github.heal()
    bring_to_rest(stage)
    return harm


def bring_to_rest(stage: Stage) -> None:
    """Let leases and waits run out and work, as often as it takes; people and their events have a moment each time."""
    for _ in range(MOST_ROUNDS):
        stage.let_pass(1800)
        stage.run("drain")
        time.sleep(2)
        if is_at_rest(stage):
            return
    raise AssertionError(stage.report())


def is_at_rest(stage: Stage) -> bool:
    """Tell whether everything has come to its end, the people's work included."""
    told = stage.report()
    return told["at_rest"] and all(phase == KINDS[title.split()[0]] for title, phase, *_ in told["items"])


def check(stage: Stage, count: int) -> None:
    told = stage.report()
    ends = Counter((title.split()[0], phase) for title, phase, *_ in told["items"])
    assert ends == Counter((kind, KINDS[kind]) for kind in map(kind_of, range(count)))
    assert len({branch for _, _, branch, *_ in told["items"]}) == len(told["items"]) == count
    assert (told["settled_twice"], told["leased"]) == (0, 0)
    check_github(stage.github, count)


def check_github(github: SandboxGithub, count: int) -> None:
    """One branch, one commit on it, one pull request for each that has anything to change; nothing else."""
    wanted = {f"auto/{kind_of(n)}/{n}" for n in range(count) if kind_of(n) not in {"nothing", "bad"}}
    pulls = list(github.state.pull_requests_of(REPOSITORY))
    assert Counter(pull.head_ref for pull in pulls) == dict.fromkeys(wanted, 1)
    assert set(github.state.branches[REPOSITORY]) == wanted | {"main"}
    objects = github.state.objects(REPOSITORY)
    for branch in wanted:
        own, (parent,) = branch_commit(github, branch)
        assert objects.commits[own].message == f"Bulb {branch.rpartition('/')[2]}"
        assert parent in set(objects.history(github.state.branches[REPOSITORY]["main"]))
    merges = Counter(one.path for one in github.requests(".*/merge", verb="PUT") if one.status == 200)
    assert set(merges.values()) <= {1}
    reruns = [run for run in github.state.workflow_runs.values() if run.attempt > 1]
    assert {run.attempt for run in reruns} <= {2, 3, 4}


def branch_commit(github: SandboxGithub, branch: str) -> tuple[str, list[str]]:
    sha = github.state.branches[REPOSITORY][branch]
    return sha, github.state.objects(REPOSITORY).commits[sha].parents


@pytest.mark.prove
def test_thirty_submissions_survive_killed_workers_and_a_failing_github(github, tmp_path: Path):
    with stage(github, f"sqlite:///{tmp_path / 'proof.sqlite3'}", tmp_path) as set_up:
        harm = carry_out(set_up, 30, kill_for=8)
        assert harm["killed"] > 1
        check(set_up, 30)


@pytest.mark.prove
def test_a_thousand_submissions_survive_killed_workers_a_restarted_mariadb_and_a_failing_github(
    github, tmp_path: Path
):
    database = MariaDB(tmp_path)
    try:
        with stage(github, database.url, tmp_path) as set_up:
            harm = carry_out(set_up, 1000, kill_for=420, meanwhile=database.restart)
            assert harm["killed"] > 100
            check(set_up, 1000)
    finally:
        database.stop()
