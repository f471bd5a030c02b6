"""run_pass: one at a time, not too often, and always with a record."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path
from unittest.mock import Mock

import pytest
from django.db import connection, connections, transaction
from django.test.utils import CaptureQueriesContext

from core import clock as database_clock
from core.models import PassRun, PassState, Setting
from core.passes import BUDGET, LEASE, LockLost, Run, Verdict, run_pass

pytestmark = pytest.mark.django_db
ROOT = Path(__file__).resolve().parents[2]


def last_run() -> PassRun:
    return PassRun.objects.order_by("-sequence")[0]


# --- pace ---------------------------------------------------------------------------------------------------
def test_a_pass_runs_when_due_and_not_before(clock, make_pass):
    job = make_pass()
    assert run_pass(job).verdict is Verdict.RAN
    clock.shift(seconds=599)
    early = run_pass(job)
    assert (early.verdict, str(early)) == (Verdict.NOT_DUE, "The pass probe is not due yet.")
    assert PassRun.objects.count() == 1  # a tick that comes too early leaves no record
    clock.shift(seconds=1)
    assert run_pass(job).verdict is Verdict.RAN


def test_f06_downtime_is_caught_up_by_one_run(clock, make_pass):
    job = make_pass()
    run_pass(job)
    clock.shift(days=2)
    assert [run_pass(job).verdict for _ in range(5)] == [Verdict.RAN] + [Verdict.NOT_DUE] * 4


def test_a_forced_run_is_recorded_and_counts_for_the_pace(clock, make_pass):
    job = make_pass()
    run_pass(job)
    clock.shift(seconds=300)
    assert run_pass(job, force=True, actor="olga").verdict is Verdict.RAN
    assert (last_run().forced, last_run().actor) == (True, "olga")
    clock.shift(seconds=300)
    assert run_pass(job).verdict is Verdict.NOT_DUE
    clock.shift(seconds=300)
    assert run_pass(job).verdict is Verdict.RAN
    assert (last_run().forced, last_run().actor) == (False, "")


def test_a_paused_pass_says_why_and_is_not_forced_either(clock, make_pass):
    job = make_pass()
    Setting.objects.create(name="probe.enabled", value="off")
    assert str(run_pass(job)) == "The pass probe is paused (probe.enabled is off): no reason was given."
    Setting.objects.create(name="probe.pause-reason", value="GitHub is down")
    paused = run_pass(job, force=True)
    assert (paused.verdict, paused.run) == (Verdict.PAUSED, None)
    assert str(paused).endswith(": GitHub is down.")
    assert not PassRun.objects.exists()


# --- one at a time ------------------------------------------------------------------------------------------
def test_a_pass_that_runs_is_busy(clock, make_pass):
    seen = []

    def work(run: Run) -> None:
        clock.shift(seconds=299)  # the lease lasts longer than the budget of the work
        seen.append(run_pass(job, force=True))

    job = make_pass(work)
    assert run_pass(job).verdict is Verdict.RAN
    assert [(result.verdict, str(result)) for result in seen] == [
        (Verdict.BUSY, "The pass probe is running elsewhere.")
    ]


def test_a_holder_that_is_gone_loses_the_lock_and_its_record_is_closed(clock, make_pass):
    job = make_pass()
    PassState.objects.create(
        name="probe",
        lock_token="gone",
        locked_until=clock.now + timedelta(seconds=LEASE),
        last_started_at=clock.now,
    )
    orphan = PassRun.objects.create(name="probe")
    other = PassRun.objects.create(name="another")
    clock.shift(seconds=LEASE - 1)
    assert run_pass(job, force=True).verdict is Verdict.BUSY
    clock.shift(seconds=1)
    assert run_pass(job, force=True).verdict is Verdict.RAN
    orphan.refresh_from_db()
    other.refresh_from_db()
    assert (orphan.outcome, orphan.finished_at) == ("lost", clock.now)
    assert "ended without a word" in orphan.error
    assert other.outcome == "running"


def test_a_holder_that_slept_through_its_lease_writes_nothing_more(clock, make_pass):
    def sleepy(run: Run) -> None:
        run.count("before")
        clock.shift(seconds=LEASE)
        assert run_pass(make_pass(), force=True).verdict is Verdict.RAN
        with transaction.atomic():
            run.hold_lock()
            pytest.fail("the lock was somebody else's by then")

    result = run_pass(make_pass(sleepy))
    assert result.run is not None
    assert result.run.outcome == PassRun.Outcome.LOST
    assert [run.outcome for run in PassRun.objects.order_by("sequence")] == ["lost", "succeeded"]


def test_hold_lock_is_quiet_while_the_lock_is_ours(make_pass):
    def work(run: Run) -> None:
        with transaction.atomic():
            run.hold_lock()
        run.token = "stolen"
        with pytest.raises(LockLost), transaction.atomic():
            run.hold_lock()

    assert run_pass(make_pass(work)).verdict is Verdict.RAN


def test_the_pace_can_count_from_a_write_instead_of_the_start(clock, make_pass):
    def slow(run: Run) -> None:
        clock.shift(minutes=2)
        with transaction.atomic():
            run.count_pace_from_now()

    job = make_pass(slow)
    assert run_pass(job).verdict is Verdict.RAN
    clock.shift(seconds=599)
    assert run_pass(job).verdict is Verdict.NOT_DUE
    clock.shift(seconds=1)
    assert run_pass(job).verdict is Verdict.RAN


def test_a_stolen_pass_takes_its_write_back(make_pass):
    def work(run: Run) -> None:
        run.token = "stolen"
        with pytest.raises(LockLost), transaction.atomic():
            run.count_pace_from_now()

    assert run_pass(make_pass(work)).verdict is Verdict.RAN


@pytest.mark.mariadb
def test_hold_lock_locks_the_row(mariadb, make_pass):
    def work(run: Run) -> None:
        with CaptureQueriesContext(connection) as captured, transaction.atomic():
            run.hold_lock()
        assert any("pass_states" in query["sql"] and "FOR UPDATE" in query["sql"] for query in captured)

    assert run_pass(make_pass(work)).verdict is Verdict.RAN


@pytest.mark.django_db(transaction=True)
def test_of_many_that_start_at_once_one_runs(make_pass):
    job = make_pass(lambda run: time.sleep(0.5))
    start = threading.Barrier(4)

    def contend() -> Verdict:
        try:
            start.wait()
            return run_pass(job).verdict
        finally:
            connections.close_all()

    with ThreadPoolExecutor(4) as pool:
        verdicts = [future.result() for future in [pool.submit(contend) for _ in range(4)]]
    assert verdicts.count(Verdict.RAN) == 1
    assert PassRun.objects.count() == 1


@pytest.mark.django_db(transaction=True)
def test_a_killed_process_holds_the_lock_no_longer_than_its_lease(make_pass):
    program = (
        "import django, time; django.setup()\n"
        "from core import registry, passes; from core.setting_specs import pass_switch\n"
        "def work(run):\n    run.count('begun'); print('begun', flush=True); time.sleep(60)\n"
        "switch = pass_switch('probe')\n"
        "passes.run_pass(passes.Pass(name='probe', switch=switch, interval=lambda _: 600, work=work))\n"
    )
    with _python(program) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "begun\n"
        process.send_signal(signal.SIGKILL)
    assert run_pass(make_pass(), force=True).verdict is Verdict.BUSY
    PassState.objects.update(locked_until=database_clock.now())  # five minutes later
    assert run_pass(make_pass(), force=True).verdict is Verdict.RAN
    assert [run.outcome for run in PassRun.objects.order_by("sequence")] == ["lost", "succeeded"]


def _python(program: str) -> subprocess.Popen[str]:
    target = connection.settings_dict
    url = f"sqlite:///{target['NAME']}"
    if connection.vendor == "mysql":
        address = f"{target['USER']}:{target['PASSWORD']}@{target['HOST']}:{target['PORT'] or 3306}"
        url = f"mysql://{address}/{target['NAME']}"
    environment = {"DATABASE_URL": url, "DJANGO_SETTINGS_MODULE": "config.settings", "SECRET_KEY": "made up"}
    return subprocess.Popen(
        [sys.executable, "-c", program],
        cwd=ROOT,
        env=os.environ | environment,
        stdout=subprocess.PIPE,
        text=True,
    )


# --- the record ---------------------------------------------------------------------------------------------
def test_a_run_is_recorded_with_its_counters(clock, make_pass):
    def work(run: Run) -> None:
        assert run.now == clock.now
        run.count("due", 0)
        run.count("retried")
        run.count("retried", 2)
        clock.shift(seconds=20)

    began = clock.now
    result = run_pass(make_pass(work))
    assert str(result) == "The pass probe succeeded: due 0, retried 3."
    row = last_run()
    assert (row.name, row.outcome, row.counters, row.error) == (
        "probe",
        "succeeded",
        {"due": 0, "retried": 3},
        "",
    )
    assert (row.started_at, row.finished_at) == (began, began + timedelta(seconds=20))


@pytest.fixture
def quiet_log(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep half characters out of the captured log, which the processes of a test run send each other."""
    monkeypatch.setattr("core.passes.log", Mock())


def test_a_failure_is_recorded_with_what_was_counted_and_its_text(make_pass, quiet_log):
    def work(run: Run) -> None:
        run.count("read", 7)
        raise RuntimeError("half a smile \ud83d " + "x" * 10_000)

    result = run_pass(make_pass(work))
    assert result.verdict is Verdict.FAILED
    row = last_run()
    assert (row.outcome, row.counters) == ("failed", {"read": 7})
    assert row.finished_at is not None
    assert len(row.error) == 4_000
    assert PassState.objects.get(name="probe").lock_token is None  # free for the next


def test_a_failure_keeps_the_end_of_its_text(make_pass, quiet_log):
    def work(run: Run) -> None:
        raise RuntimeError("half a smile \ud83d")

    run_pass(make_pass(work))
    assert "RuntimeError: half a smile \\ud83d" in last_run().error


def test_work_that_is_cut_off_has_not_succeeded(make_pass):
    """django-q2 ends a task that takes too long by a SystemExit."""

    def work(run: Run) -> None:
        run.count("read", 7)
        raise SystemExit

    with pytest.raises(SystemExit):
        run_pass(make_pass(work))
    row = last_run()
    assert (row.outcome, row.counters) == ("failed", {"read": 7})
    assert "told to stop" in row.error
    assert PassState.objects.get(name="probe").lock_token is None


def test_out_of_time_is_a_clean_end(make_pass):
    def work(run: Run) -> None:
        assert not run.out_of_time()
        run.deadline -= BUDGET + 1
        assert run.out_of_time()

    assert str(run_pass(make_pass(work))) == "The pass probe out of time: nothing to do."
    assert last_run().outcome == "out_of_time"
