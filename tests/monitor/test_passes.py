"""Passes: their health, their records, and "run now"."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from django.conf import settings
from django.db.models import F
from django_q.models import OrmQ
from redis.exceptions import RedisError

from core import heartbeat, registry, run_now
from core.models import PassRun, PassState, Setting
from core.passes import find_pass, run_pass
from core.run_now import ask_for_run
from monitor.selectors.passes import all_passes, one_pass, worker
from sync.setting_specs import LAST_RUN
from tests import factories
from webhooks.models import Repository


def health(now, name="idle"):
    return next(job for job in all_passes(registry.effective(), now=now) if job.name == name)


def pause(reason):
    Setting.objects.update_or_create(name="idle.enabled", defaults={"value": "off"})
    Setting.objects.update_or_create(name="idle.pause-reason", defaults={"value": reason})


def test_a_pass_that_never_ran_is_due_at_once(now):
    job = health(now)
    assert (job.last, job.next_due, job.running) == (None, now, False)


def test_after_a_run_it_is_due_one_interval_later(clock):
    run_pass(find_pass("idle"))
    started = clock.now
    clock.shift(minutes=20)
    job = health(clock.now)
    assert job.last.outcome == "succeeded"
    assert job.next_due == started + timedelta(hours=1)


def test_the_last_run_is_the_newest_of_its_own_pass(now):
    PassState.objects.create(name="idle")
    PassRun.objects.create(name="idle", outcome="failed")
    newest = PassRun.objects.create(name="idle")
    PassRun.objects.create(name="cleanup")
    assert health(now).last == newest


def test_a_paused_pass_is_not_due_and_says_why(now, see):
    pause("the disk is full")
    job = health(now)
    assert (job.enabled, job.paused_reason, job.next_due) == (False, "the disk is full", None)
    assert "paused the disk is full" in see("/passes/").text


def test_a_pass_is_running_while_its_lock_is_held(clock):
    PassState.objects.create(name="idle", locked_until=clock.now + timedelta(minutes=5))
    assert health(clock.now).running
    clock.shift(minutes=5)
    assert not health(clock.now).running


def test_runs_are_listed_newest_first_each_once_f37(now, see):
    rows = [row.pk for row in PassRun.objects.bulk_create(PassRun(name="idle") for _ in range(120))]
    PassRun.objects.create(name="cleanup")
    path, shown = "/passes/?name=idle", []
    while path:
        page = see(path)
        shown += page.row_ids()
        path = page.link("next")
    assert shown == rows[::-1]


def test_a_record_shows_counters_error_and_who_forced_it(now, see):
    PassRun.objects.create(
        name="idle",
        outcome="failed",
        counters={"due": 3},
        error="Traceback\nLockLost: gone",
        forced=True,
        actor="bob",
    )
    text = see("/passes/").text
    for part in ("due 3", "LockLost: gone", "bob forced"):
        assert part in text


def test_the_worker_is_shown_with_its_last_sign_of_life(clock, see):
    assert worker(now=clock.now).state == "down"
    assert "down never heard" in see("/passes/").text
    heartbeat.beat(heartbeat.WORKER)
    assert "alive last heard now" in see("/passes/").text
    clock.shift(seconds=120)
    assert "late last heard 2 min ago" in see("/passes/").text


def test_runs_that_an_outage_swallowed_are_counted(clock, see, github_app):
    for hours in (9, 8, 2, 1):
        PassRun.objects.create(name="idle", started_at=clock.now - timedelta(hours=hours, minutes=2))
        PassRun.objects.create(name="sync-repositories", started_at=clock.now - timedelta(hours=hours))
    text = see("/passes/").text
    assert "Runs missed in the last 24 hours, while the worker was away or the pass off: idle 4." in text
    assert "idle 4." in see("/").text


def test_only_people_with_the_permission_run_a_pass(db, viewer, person):
    assert viewer.post("/passes/idle/run/").status_code == 403
    assert "Run idle now" not in viewer.get("/passes/").content.decode()
    assert OrmQ.objects.count() == 0
    able = person(role="operator", name="bob")
    assert "Run idle now" in able.get("/passes/").content.decode()
    able.post("/passes/idle/run/")
    assert OrmQ.objects.count() == 1
    assert able.get("/passes/idle/run/").status_code == 405
    assert able.post("/passes/nowhere/run/").status_code == 404


def test_the_worker_records_the_run_as_forced_by_that_person(db, person):
    person(role="operator", name="bob").post("/passes/idle/run/")
    task = OrmQ.objects.get().task
    assert task["func"] == "core.run_now.forced_run"
    run_now.forced_run(*task["args"])
    run = PassRun.objects.get()
    assert (run.name, run.forced, run.actor, run.outcome) == ("idle", True, "bob", "succeeded")


def test_a_paused_pass_is_not_run(db):
    pause("")
    answer = ask_for_run("idle", actor="bob")
    assert not answer.accepted
    assert "idle.enabled is off" in answer.sentence
    assert OrmQ.objects.count() == 0


def test_the_answer_says_when_the_worker_is_silent(clock):
    assert "silent" in ask_for_run("idle", actor="bob").sentence
    heartbeat.beat(heartbeat.WORKER)
    assert "runs now" in ask_for_run("idle", actor="bob").sentence


def test_a_queue_that_is_away_is_said_plainly(db, monkeypatch):
    def away(*_):
        raise RedisError

    monkeypatch.setattr("core.run_now.async_task", away)
    answer = ask_for_run("idle", actor="bob")
    assert (answer.accepted, "Redis" in answer.sentence) == (False, True)


def test_an_unknown_pass_is_an_error(db):
    with pytest.raises(KeyError):
        ask_for_run("nowhere", actor="bob")


def test_a_pass_that_cannot_run_says_why_and_offers_no_run(now, person):
    job = health(now, "sync-repositories")
    assert job.obstacle == "GITHUB_APP_ID and GITHUB_APP_PRIVATE_KEY must be set to talk to GitHub"
    assert job.next_due is None
    html = person(role="operator", name="bob").get("/passes/").content.decode()
    assert "Run sync-repositories now" not in html
    assert f'cannot run</span> <span class="break">{job.obstacle}' in html
    answer = ask_for_run("sync-repositories", actor="bob")
    assert (answer.accepted, job.obstacle in answer.sentence) == (False, True)
    assert OrmQ.objects.count() == 0


def test_the_monthly_pass_is_due_when_the_month_opens(clock, github_app):
    assert health(clock.now, "sync-installations").next_due == clock.now
    Setting.objects.create(name=LAST_RUN.name, value="2026-03-01T00:05:00Z")
    job = health(clock.now, "sync-installations")
    opens = datetime(2026, 4, 1, tzinfo=UTC)
    assert (job.rhythm, job.next_due) == ("once a month", opens)
    clock.move_to(opens)
    assert health(opens, "sync-installations").next_due == opens


def test_a_monthly_pass_that_was_cut_short_is_due_again_after_an_hour(clock, github_app):
    PassState.objects.create(name="sync-installations", last_started_at=clock.now)
    assert health(clock.now, "sync-installations").next_due == clock.now + timedelta(hours=1)


def test_the_hourly_sync_is_due_an_hour_after_the_newest_last_sync_date(clock, github_app, see):
    job = health(clock.now, "sync-repositories")
    assert (job.next_due, job.waiting) == (None, "when a repository is in line")
    assert "one repository an hour" in see("/passes/").text
    factories.InstallationFactory()
    factories.RepositoryFactory()
    assert health(clock.now, "sync-repositories").next_due == clock.now
    Repository.objects.update(last_sync_date=clock.now - timedelta(minutes=20), updated_at=F("updated_at"))
    assert health(clock.now, "sync-repositories").next_due == clock.now + timedelta(minutes=40)


def test_one_pass_stands_as_it_does_among_all(now):
    assert [job.name for job in all_passes(registry.effective(), now=now)] == list(settings.PASSES)
    assert one_pass("idle", registry.effective(), now=now) == health(now)


def test_the_counters_of_a_sync_read_like_words(now, see):
    PassRun.objects.create(name="sync-repositories", counters={"remaining_quota": 4990, "added": 2})
    assert "remaining quota 4,990 added 2" in see("/passes/?name=sync-repositories").text
