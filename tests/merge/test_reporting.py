"""Saying on GitHub why something is not merged: only where it is wished for, once for each reason."""

from __future__ import annotations

from typing import Any

import pytest

from merge import setting_specs
from tests.github_app import APP_ID
from tests.merge.world import World

pytestmark = pytest.mark.django_db


def reports(world: World) -> list[Any]:
    return world.github.requests(".*/check-runs", verb="POST")


def test_nothing_is_said_on_github_unless_the_setting_is_on(world):
    world.open(green=False)
    world.tick()
    assert reports(world) == []


def test_each_reason_is_said_once_by_a_check_run_that_counts_as_no_evidence(world, clock):
    world.set(setting_specs.REPORT, "on")
    number = world.open(green=False)
    for _ in range(3):
        world.tick()
    (said,) = reports(world)
    assert "No check has reported" in said.sent
    clock.shift(hours=1)
    assert world.verdict_after_tick(number) == "no_checks"
    assert len(reports(world)) == 2
    assert setting_specs.REPORT.default is False
    assert int(APP_ID) == world.github.state.app_id


def test_an_app_that_may_not_write_checks_judges_all_the_same(world):
    world.set(setting_specs.REPORT, "on")
    world.github.inject(
        ".*/check-runs", "status", verb="POST", status=403, message="not accessible", times=None
    )
    assert world.verdict_after_tick(world.open(green=False)) == "checks_missing"
