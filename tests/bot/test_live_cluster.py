"""A real cluster: the bell wakes it, and what it leaves behind when it is killed comes back (field case F33)."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest
from django.db import connection
from django_q.models import OrmQ, Schedule

from core import bell
from core.models import Bell
from core.schedules import apply_schedules
from core.version import STAMP
from sandbox.server import SandboxGithub
from tests.ageing import age
from tests.bot.world import DETAIL, World, told
from tests.factories import InstallationFactory
from tests.github_app import APP_ID, INSTALLATION, REPOSITORY, private_key
from tests.idle.processes import ROOT, database_url
from tests.webhooks.hook import SLUG
from webhooks.models import PullRequest

pytestmark = [pytest.mark.prove, pytest.mark.django_db(transaction=True)]


@contextmanager
def cluster(github: SandboxGithub) -> Iterator[subprocess.Popen[bytes]]:
    """A cluster of the product's, and its whole group killed in the end, as a machine that goes down does."""
    environment = {
        "DATABASE_URL": database_url(),
        "GITHUB_API_URL": github.url,
        "GITHUB_APP_ID": APP_ID,
        "GITHUB_APP_PRIVATE_KEY": private_key(),
        "GITHUB_APP_SLUG": SLUG,
        "LOG_LEVEL": "ERROR",
    }
    process = subprocess.Popen(
        [sys.executable, "manage.py", "qcluster"],
        cwd=ROOT,
        env=os.environ | environment,
        start_new_session=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        yield process
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait(timeout=30)


def wait_for(condition: Callable[[], object], *, seconds: float) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.2)


def state_of(row: PullRequest) -> str:
    connection.close()
    return str(PullRequest.objects.values_list("processing_state", flat=True).get(pk=row.pk))


def test_f33_a_bell_wakes_the_worker_and_a_killed_one_loses_nothing(github: SandboxGithub) -> None:
    InstallationFactory(installation_id=INSTALLATION, processing_state="PROCESSED")
    world = World(github)
    row = world.row(1)
    world.changes.move_base(REPOSITORY)
    with cluster(github):
        bell.ring("bot")
        wait_for(lambda: state_of(row) == "PROCESSED", seconds=60)
        assert [one.status for one in world.writes()] == [202]
        assert Bell.objects.get(name="bot").rung_at is None
        github.inject(DETAIL, "delay", seconds=20)
        PullRequest.objects.filter(pk=row.pk).update(processing_state="UPDATED", updated_at=row.updated_at)
        bell.ring("bot")
        wait_for(lambda: state_of(row) == "PROCESSING", seconds=60)
    github.heal()
    OrmQ.objects.all().delete()  # the message is lost as well
    age(3601)
    apply_schedules()
    Schedule.objects.exclude(name="pass:bot").delete()
    with cluster(github):
        wait_for(lambda: state_of(row) == "PROCESSED", seconds=120)
    assert (
        "claim",
        f"claimed by {STAMP}, attempt 2, after another claim went silent for an hour",
    ) in told(row)
