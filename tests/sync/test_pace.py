"""When the passes run: once a month, once an hour, one at a time, on from where they were cut off."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from threading import Barrier

import pytest
from django.db import connections

from core.models import PassRun, Setting
from core.passes import Run, Verdict, find_pass, run_pass
from sandbox.server.worlds import FIRST_INSTALLATION
from sync.setting_specs import LAST_RUN
from tests.sync.github import INSTALLATIONS, REPOSITORIES, rows
from webhooks import models

pytestmark = pytest.mark.django_db


def tick(name: str) -> Verdict:
    """One tick of the schedule, as the worker makes it after any restart: nothing is kept but the database."""
    return run_pass(find_pass(name)).verdict


def listings(pair) -> int:
    return len(pair.github.requests("/app/installations"))


def last_run() -> str | None:
    return Setting.objects.filter(name=LAST_RUN.name).values_list("value", flat=True).first()


# --- monthly ----------------------------------------------------------------------------------------------------------
def test_b3_06_once_a_month_however_often_it_is_restarted(pair):
    verdicts = []
    for _ in range(180):
        verdicts.append(tick(INSTALLATIONS))
        pair.clock.shift(minutes=1)
    assert verdicts == [Verdict.RAN] + [Verdict.NOT_DUE] * 179
    pair.clock.move_to(datetime(2026, 3, 31, 23, 59, 59, tzinfo=UTC))
    assert tick(INSTALLATIONS) is Verdict.NOT_DUE
    pair.clock.shift(seconds=1)
    assert [tick(INSTALLATIONS) for _ in range(3)] == [Verdict.RAN, Verdict.NOT_DUE, Verdict.NOT_DUE]
    assert listings(pair) == 2


def test_b3_06_downtime_over_months_is_caught_up_by_one_run(pair):
    tick(INSTALLATIONS)
    pair.clock.move_to(datetime(2026, 8, 20, tzinfo=UTC))
    assert [tick(INSTALLATIONS) for _ in range(3)] == [Verdict.RAN, Verdict.NOT_DUE, Verdict.NOT_DUE]


def test_b3_07_the_last_run_is_a_setting_in_iso_8601(pair):
    pair.run(INSTALLATIONS)
    assert LAST_RUN.name == "gstraccini-bot.sync-installations.last-run"
    assert last_run() == "2026-03-04T09:00:01+00:00"
    assert datetime.fromisoformat(last_run()) == pair.last.started_at


@pytest.mark.parametrize(
    "value, verdict",
    [
        (None, Verdict.RAN),
        ("", Verdict.RAN),
        ("never", Verdict.RAN),
        ("2026-02-28T23:59:59Z", Verdict.RAN),
        ("2026-02-28T23:59:59", Verdict.RAN),
        ("2026-03-01T00:30:00+01:00", Verdict.RAN),
        ("2026-03-01T00:00:00Z", Verdict.NOT_DUE),
        ("2026-03-01T00:00:00+00:00", Verdict.NOT_DUE),
        ("2026-03-01", Verdict.NOT_DUE),
        ("2026-02-28T20:00:00-05:00", Verdict.NOT_DUE),
    ],
)
def test_b3_07_what_another_program_wrote_there_counts(pair, value, verdict):
    Setting.objects.create(name=LAST_RUN.name, value=value)
    assert tick(INSTALLATIONS) is verdict


def test_b3_16_an_aborted_pass_is_tried_again_after_an_hour(pair):
    pair.github.inject("/app/installations", "status", status=502, times=None)
    assert tick(INSTALLATIONS) is Verdict.FAILED
    assert (last_run(), pair.last.error) == (None, pair.last.error)
    assert pair.last.error.startswith("The installations were not listed (server_error): ")
    pair.github.heal()
    for _ in range(59):
        pair.clock.shift(minutes=1)
        assert tick(INSTALLATIONS) is Verdict.NOT_DUE
    pair.clock.shift(minutes=1)
    assert tick(INSTALLATIONS) is Verdict.RAN
    assert last_run() == pair.last.started_at.isoformat()


def cut_off_after(monkeypatch, steps: int) -> None:
    """Let every run's budget be used up after so many steps."""
    left: dict[int, int] = {}

    def out_of_time(run: Run, *, needed: float = 0) -> bool:
        left[run.record_id] = left.get(run.record_id, steps) - 1
        run.stopped_early = left[run.record_id] < 0
        return run.stopped_early

    monkeypatch.setattr(Run, "out_of_time", out_of_time)


def test_a_pass_cut_off_by_its_budget_goes_on_an_hour_later(pair_with, monkeypatch):
    pair = pair_with(installations=5, repositories=1)
    cut_off_after(monkeypatch, 2)
    runs = []
    for _ in range(3):
        assert tick(INSTALLATIONS) is Verdict.RAN
        runs.append(
            (
                pair.last.outcome,
                len(rows(models.Installation, last_sync_date__isnull=False)),
                bool(last_run()),
            )
        )
        assert tick(INSTALLATIONS) is Verdict.NOT_DUE
        pair.clock.shift(hours=1)
    assert runs == [("out_of_time", 2, False), ("out_of_time", 4, False), ("succeeded", 5, True)]
    assert tick(INSTALLATIONS) is Verdict.NOT_DUE


def test_f32_installations_that_fail_do_not_keep_the_others_from_their_turn(pair_with, monkeypatch):
    pair = pair_with(installations=5, repositories=1)
    for number in range(2):
        path = f"/app/installations/{FIRST_INSTALLATION + number}/access_tokens"
        pair.github.inject(path, "status", status=404, times=None)
    cut_off_after(monkeypatch, 2)
    for _ in range(3):
        tick(INSTALLATIONS)
        pair.clock.shift(hours=1)
    assert len(rows(models.Installation, last_sync_date__isnull=False)) == 3
    assert last_run()
    # The failed ones were asked once each, and are due again next month (B3.15).
    assert len(pair.github.requests(f"/app/installations/{FIRST_INSTALLATION}/access_tokens")) == 1
    pair.github.heal()
    pair.clock.move_to(datetime(2026, 4, 1, tzinfo=UTC))
    tick(INSTALLATIONS)
    assert not rows(models.Installation, last_sync_date=None)


def test_f10_a_throttled_installation_is_tried_again_within_the_month(pair_with):
    pair = pair_with(installations=3, repositories=1)
    pair.github.inject("/installation/repositories", "primary_limit", seconds=5400, after=1)
    assert tick(INSTALLATIONS) is Verdict.RAN
    assert len(rows(models.Installation, last_sync_date__isnull=False)) == 2
    assert last_run() is None
    asked = len(pair.github.requests("/installation/repositories"))
    pair.clock.shift(hours=1)
    assert tick(INSTALLATIONS) is Verdict.RAN
    # Still throttled, so not even asked.
    assert (len(pair.github.requests("/installation/repositories")), last_run()) == (asked, None)
    pair.clock.shift(hours=1)
    assert tick(INSTALLATIONS) is Verdict.RAN
    assert not rows(models.Installation, last_sync_date=None)
    assert last_run()


# --- hourly -----------------------------------------------------------------------------------------------------------
def test_b3_19_each_of_n_repositories_has_its_turn_every_n_hours(pair_with):
    pair = pair_with(installations=2, repositories=3)
    pair.run(INSTALLATIONS)
    turns = []
    for _ in range(6 * 24):
        if tick(REPOSITORIES) is Verdict.RAN:
            turns.append(
                max(rows(models.Repository, last_sync_date__isnull=False), key=lambda row: row.last_sync_date)
            )
        pair.clock.shift(minutes=10)
    ids = [row.github_id for row in turns]
    assert len(ids) == 24
    assert all(set(ids[at : at + 6]) == set(ids) for at in range(0, 24, 6))


def test_b3_20_the_newest_date_paces_the_pass_whoever_wrote_it(pair_with):
    pair = pair_with(repositories=3)
    pair.run(INSTALLATIONS)
    first = models.Repository.objects.all()[0]
    models.Repository.objects.filter(pk=first.pk).update(
        last_sync_date=pair.clock.now, updated_at=pair.clock.now
    )
    pair.clock.shift(seconds=3599)
    assert tick(REPOSITORIES) is Verdict.NOT_DUE
    pair.clock.shift(seconds=1)
    assert tick(REPOSITORIES) is Verdict.RAN
    assert PassRun.objects.filter(name=REPOSITORIES).count() == 1


def test_a_tick_without_any_repository_leaves_no_record(pair):
    assert tick(REPOSITORIES) is Verdict.NOT_DUE
    assert not PassRun.objects.exists()
    pair.run(INSTALLATIONS)
    # The first one to sync does not wait for an hour that nobody used.
    assert tick(REPOSITORIES) is Verdict.RAN


@pytest.mark.django_db(transaction=True)
def test_b3_31_two_workers_in_the_same_hour_sync_one_repository(pair_with):
    pair = pair_with(repositories=4)
    pair.run(INSTALLATIONS)
    workers, start = 4, Barrier(4)

    def work() -> Verdict:
        try:
            start.wait()
            return tick(REPOSITORIES)
        finally:
            connections.close_all()

    for hour in range(1, 4):
        with ThreadPoolExecutor(workers) as pool:
            verdicts = [job.result() for job in [pool.submit(work) for _ in range(workers)]]
        assert verdicts.count(Verdict.RAN) == 1
        assert set(verdicts) <= {Verdict.RAN, Verdict.BUSY, Verdict.NOT_DUE}
        assert len(rows(models.Repository, last_sync_date__isnull=False)) == hour
        assert PassRun.objects.filter(name=REPOSITORIES).count() == hour
        pair.clock.shift(hours=1)


# --- not at all -------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("name", [INSTALLATIONS, REPOSITORIES, "redeliver"])
def test_a_pass_that_is_switched_off_says_so(pair, name):
    Setting.objects.create(name=f"{name}.enabled", value="off")
    Setting.objects.create(name=f"{name}.pause-reason", value="the old bot still does it")
    result = run_pass(find_pass(name), force=True)
    assert (result.verdict, result.run) == (Verdict.PAUSED, None)
    assert str(result).endswith("the old bot still does it.")
    assert pair.github.log == []


@pytest.mark.parametrize("missing", ["GITHUB_APP_ID", "GITHUB_APP_PRIVATE_KEY"])
@pytest.mark.parametrize("name", [INSTALLATIONS, REPOSITORIES, "redeliver"])
def test_without_an_app_there_is_nobody_to_ask(pair, settings, name, missing):
    setattr(settings, missing, "")
    result = run_pass(find_pass(name), force=True)
    assert (result.verdict, result.run) == (Verdict.PAUSED, None)
    assert str(result) == f"The pass {name} cannot run: {missing} must be set to talk to GitHub."
