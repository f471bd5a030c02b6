"""Pausing a pass with a reason, and switching it on again."""

from __future__ import annotations

import pytest

from core import registry
from core.passes import find_pass, run_pass
from core.pausing import pause
from idle.setting_specs import IDLE_SWITCH
from tests.monitor.conftest import HOSTILE, parse


@pytest.fixture
def operator(person):
    return person(role="operator", name="olga")


def post(client, path, **fields):
    return parse(client.post(path, fields, follow=True).content.decode()).text


def test_an_operator_pauses_a_pass_and_says_why(clock, operator):
    text = post(operator, "/passes/idle/pause/", reason=f" The disk is full {HOSTILE} ")
    assert "The pass idle is paused." in text
    assert f"paused The disk is full {HOSTILE}" in text
    assert run_pass(find_pass("idle"), force=True).verdict == "paused"
    assert (
        f"olga paused it: The disk is full {HOSTILE} pass idle"
        in parse(operator.get("/actions/").content.decode()).text
    )


def test_it_is_switched_on_again_and_its_reason_goes(clock, operator):
    pause(find_pass("idle"), "holiday")
    assert "is on again" in post(operator, "/passes/idle/resume/")
    assert run_pass(find_pass("idle")).verdict == "ran"
    assert registry.effective()[IDLE_SWITCH.reason] == ""


@pytest.mark.parametrize("reason", ["", "   "])
def test_without_a_reason_nothing_is_paused(clock, operator, reason):
    assert "Say why idle is paused" in post(operator, "/passes/idle/pause/", reason=reason)
    assert registry.effective()[IDLE_SWITCH.enabled]


def test_a_pass_that_does_not_exist_is_a_404(operator):
    assert operator.post("/passes/nowhere/pause/", {"reason": "x"}).status_code == 404
    assert operator.post("/passes/nowhere/resume/").status_code == 404


def test_a_viewer_pauses_nothing_and_sees_no_button(clock, person):
    looker = person()
    assert looker.post("/passes/idle/pause/", {"reason": "x"}).status_code == 403
    assert "Why it is paused" not in looker.get("/passes/?name=idle").content.decode()
