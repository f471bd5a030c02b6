"""When a pass runs beside its pace: conditions of its own, obstacles, time that is left; and how it fails."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest
from django.core.management import CommandError, call_command

from core import registry, stopping
from core.models import PassRun, PassState, Setting
from core.passes import BUDGET, PassFailed, Run, Verdict, run_pass, tick

pytestmark = pytest.mark.django_db


def test_a_condition_of_its_own_must_hold_too(clock, make_pass):
    asked = []

    def is_due(values):
        asked.append(values)
        return len(asked) > 1

    job = replace(make_pass(), is_due=is_due)
    assert str(run_pass(job)) == "The pass probe is not due yet."
    assert not PassRun.objects.exists()
    assert run_pass(job).verdict is Verdict.RAN


def test_a_forced_run_does_without_the_condition(clock, make_pass):
    job = replace(make_pass(), is_due=lambda _: False)
    assert run_pass(job, force=True).verdict is Verdict.RAN


def test_the_condition_is_asked_again_under_the_lock(clock, make_pass):
    """Whoever held the lock a moment ago may have done the work: no record is left of that."""
    answers = iter([True, False])
    job = replace(make_pass(), interval=lambda _: 0, is_due=lambda _: next(answers))
    assert run_pass(job).verdict is Verdict.NOT_DUE
    assert not PassRun.objects.exists()
    assert PassState.objects.get().lock_token is None


def test_without_an_interval_the_condition_alone_is_the_pace(clock, make_pass):
    job = replace(make_pass(), interval=lambda _: 0)
    assert [run_pass(job).verdict for _ in range(3)] == [Verdict.RAN] * 3


def test_an_obstacle_stops_forced_runs_too_and_says_why(clock, make_pass):
    job = replace(make_pass(), obstacle=lambda: "nobody to ask")
    for force in (False, True):
        result = run_pass(job, force=force)
        assert (result.verdict, str(result)) == (Verdict.PAUSED, "The pass probe cannot run: nobody to ask.")
    assert not PassRun.objects.exists()


def test_a_failure_that_a_sentence_says_has_no_traceback(clock, make_pass, settings, monkeypatch):
    def work(run):
        run.count("done")
        raise PassFailed("GitHub is away.")

    job = make_pass(work)
    result = run_pass(job)
    assert (result.verdict, result.run.outcome, result.run.error) == (
        Verdict.FAILED,
        "failed",
        "GitHub is away.",
    )
    assert result.run.counters == {"done": 1}
    assert PassState.objects.get().lock_token is None
    monkeypatch.setitem(settings.PASSES, "probe", "found by the patch below")
    monkeypatch.setattr("core.management.commands.run_pass.find_pass", lambda _: job)
    with pytest.raises(CommandError, match="failed: done 1"):
        call_command("run_pass", "probe", "--force")


def test_progress_is_visible_while_the_pass_runs(clock, make_pass):
    seen = []

    def work(run):
        run.count("done", 2)
        run.show_progress()
        seen.append(PassRun.objects.get().counters)

    run_pass(make_pass(work))
    assert seen == [{"done": 2}]


def test_a_step_that_needs_time_is_not_begun_too_late(make_pass):
    def work(run: Run) -> None:
        run.count("enough", int(not run.out_of_time(needed=BUDGET - 5)))
        run.count("too_little", int(run.out_of_time(needed=BUDGET + 5)))

    result = run_pass(make_pass(work))
    assert (result.run.outcome, result.run.counters) == ("out_of_time", {"enough": 1, "too_little": 1})


def test_a_worker_that_stops_begins_no_pass_and_the_next_one_does(make_pass, stop_byte):
    job = make_pass()
    stopping.ask()
    assert tick(job) == "The pass probe is left to the next worker: this one stops."
    assert not PassRun.objects.exists()
    stop_byte[0] = False
    assert tick(job) == "The pass probe succeeded: done 1."


def test_a_pass_ends_early_when_its_cluster_was_told_to_stop(make_pass, stop_byte):
    def work(run: Run) -> None:
        run.count("before", int(not run.out_of_time()))
        stopping.ask()
        run.count("after", int(not run.out_of_time()))

    result = run_pass(make_pass(work))
    assert (result.run.outcome, result.run.counters) == ("out_of_time", {"before": 1, "after": 0})


# --- Settings that the product writes ---------------------------------------------------------------------------------
@pytest.fixture
def stamp(specs):
    return registry.register(
        registry.SettingSpec(
            name="probe.stamp",
            default=None,
            description="When it was.",
            kind="instant",
            parse=datetime.fromisoformat,
            seeded=False,
        )
    )


def test_a_setting_of_the_product_gets_its_row_when_it_is_written(clock, stamp):
    registry.add_missing_rows()
    assert not Setting.objects.filter(name="probe.stamp").exists()
    registry.write(stamp, "2026-03-04T09:00:00+00:00")
    row = Setting.objects.get(name="probe.stamp")
    assert (row.value, row.description) == ("2026-03-04T09:00:00+00:00", "When it was.")
    clock.shift(hours=1)
    registry.write(stamp, "2026-03-05T09:00:00+00:00")
    row.refresh_from_db()
    assert (row.value, row.updated_at) == ("2026-03-05T09:00:00+00:00", clock.now)
    assert registry.effective()[stamp] == datetime(2026, 3, 5, 9, tzinfo=UTC)


def test_a_value_that_is_refused_is_not_written(clock, stamp):
    with pytest.raises(ValueError, match="Invalid isoformat"):
        registry.write(stamp, "tomorrow")
    assert not Setting.objects.exists()


def test_instants_and_nothing_are_shown_as_they_are_typed(stamp):
    assert (stamp.show(None), stamp.show(datetime(2026, 3, 4, 9, tzinfo=UTC))) == (
        "",
        "2026-03-04T09:00:00+00:00",
    )
