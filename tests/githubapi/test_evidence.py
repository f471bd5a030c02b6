"""What both check systems say together (field cases F01, F02): the reading that bot, merges and submissions share."""

from __future__ import annotations

import pytest

from githubapi.evidence import weigh, why_not_green
from githubapi.values import CheckRun, CommitStatus, HeadChecks


def run(number: int, name: str, conclusion: str | None = "success", app_id: int = 1) -> CheckRun:
    status = "completed" if conclusion else "in_progress"
    return CheckRun(id=number, name=name, status=status, conclusion=conclusion, app_id=app_id)


def status(state: str) -> CommitStatus:
    return CommitStatus(context="ci", state=state)


@pytest.mark.parametrize(
    "runs,statuses,why",
    [
        ((), (), "no check has reported on its head"),
        ((run(1, "build"),), (), ""),
        ((), (status("success"),), ""),
        ((run(1, "build", None),), (status("success"),), "still waiting for build"),
        ((run(1, "build"),), (status("pending"),), "still waiting for ci"),
        ((run(1, "build", "failure"), run(2, "lint", None)), (), "not passed: build"),
        ((run(1, "build", "a word of next year"),), (), "not passed: build"),
        ((run(1, "a", "skipped"), run(2, "b", "neutral")), (), "no check succeeded; only a, b reported"),
        ((run(1, "build", "failure"), run(2, "build")), (), ""),
        ((run(2, "build"), run(1, "build", "failure", app_id=2)), (), "not passed: build"),
    ],
)
def test_f01_f02_only_what_has_reported_well_is_green(runs, statuses, why):
    assert why_not_green(weigh(HeadChecks(runs=runs, statuses=statuses))) == why


def test_a_rerun_is_counted_once():
    checks = HeadChecks(runs=(run(1, "build"), run(2, "build"), run(3, "build", app_id=2)), statuses=())
    assert weigh(checks).total == 2
