"""The doors of a pass: the scheduled tick, the command, the table of passes."""

from __future__ import annotations

import pytest
from django.conf import settings
from django.core.management import CommandError, call_command

from core.models import Heartbeat, PassRun
from core.passes import Run, find_pass, tick

pytestmark = pytest.mark.django_db


def test_a_tick_is_a_sign_of_life_even_when_nothing_is_due(clock, make_pass):
    job = make_pass()
    tick(job)
    clock.shift(seconds=60)
    assert tick(job) == "The pass probe is not due yet."
    assert Heartbeat.objects.get(name="worker").beat_at == clock.now


@pytest.mark.parametrize("name", sorted(settings.PASSES))
def test_every_pass_of_the_table_exists_under_its_name(name):
    assert find_pass(name).name == name


def test_the_command_runs_a_pass_and_records_who_asked(capsys):
    call_command("run_pass", "idle", force=True)
    assert capsys.readouterr().out.startswith("The pass idle succeeded:")
    run = PassRun.objects.get()
    assert (run.forced, run.actor) == (True, "command line")


def test_the_command_fails_when_the_pass_does(monkeypatch, make_pass):
    def work(run: Run) -> None:
        raise RuntimeError("no")

    monkeypatch.setattr("core.management.commands.run_pass.find_pass", lambda _: make_pass(work))
    with pytest.raises(CommandError, match="The pass probe failed"):
        call_command("run_pass", "idle")
