"""A real qcluster after two days of downtime (field case F06)."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path

import pytest
from django.utils import timezone
from django_q.models import Schedule

from core.models import PassRun
from core.schedules import apply_schedules
from tests.idle.processes import database_url

ROOT = Path(__file__).resolve().parents[2]
MINUTES = 5


@contextmanager
def cluster() -> Iterator[None]:
    process = subprocess.Popen(
        [sys.executable, "manage.py", "qcluster"],
        cwd=ROOT,
        env=os.environ | {"DATABASE_URL": database_url(), "LOG_LEVEL": "ERROR"},
        start_new_session=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        yield
    finally:
        # The main process only: a group that gets SIGTERM hangs.
        process.terminate()
        try:
            process.wait(timeout=30)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait(timeout=30)


@pytest.mark.prove
@pytest.mark.django_db(transaction=True)
def test_f06_after_two_days_each_schedule_runs_its_pass_once() -> None:
    apply_schedules()
    Schedule.objects.update(next_run=timezone.now() - timedelta(hours=48))
    with cluster():
        time.sleep(MINUTES * 60)
    runs = list(PassRun.objects.values_list("name", flat=True))
    assert "idle" in runs
    assert len(runs) == len(set(runs))
    assert Schedule.objects.filter(next_run__lte=timezone.now() - timedelta(minutes=2)).count() == 0
