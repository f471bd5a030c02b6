"""Workers that die in the middle (F08), and connections that do (F18)."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from django.db import connection

from tests.ageing import age
from tests.idle.processes import ROOT, database_url
from tests.workqueue.conftest import dimensions, item, told
from tests.workqueue.lamps import Lamp, light, submit
from workqueue.models import WorkItem
from workqueue.services import leases
from workqueue.services.working import work
from workqueue.values import Changes

pytestmark = [pytest.mark.usefixtures("shop"), pytest.mark.django_db(transaction=True)]
# A worker whose executor kills it over the lamp in the cellar, and lights every other one.
WORKER = """
import os, signal
from tests.workqueue import lamps
lamps.register()
light = lamps.light
def deadly(job):
    if job.item.room == "cellar":
        os.kill(os.getpid(), signal.SIGKILL)
    return light(job)
lamps.EXECUTORS["light"] = deadly
from workqueue.services.working import work
work()
"""


def run_worker() -> int:
    environment = {"DATABASE_URL": database_url(), "LOG_LEVEL": "ERROR"}
    command = [sys.executable, "manage.py", "shell", "--no-imports", "-v0", "-c", WORKER]
    return subprocess.run(
        command, cwd=ROOT, env=os.environ | environment, check=False, timeout=300
    ).returncode


def test_f08_an_item_that_kills_its_worker_is_parked_and_the_healthy_one_behind_it_is_done():
    from core import registry
    from workqueue import setting_specs

    registry.write(setting_specs.MAX_ATTEMPTS, "3")
    cellar, hall = submit("cellar")[0], submit("hall")[0]
    died = 0
    for _ in range(6):
        if not WorkItem.objects.filter(actionable=True).exists():
            break
        died += run_worker() < 0
        age(leases.LEASE + 1)
    assert died == 3
    after = item(cellar)
    assert after.phase == "failed"
    assert after.error.startswith("given up after 3 failures in a row; the last one: the worker ended")
    assert dimensions(cellar)["needs_light"] == "true"
    assert Lamp.objects.get(pk=hall).brightness == 100
    assert item(hall).attempts == 0


def test_the_items_behind_a_killer_spend_no_attempt():
    cellar, hall = submit("cellar")[0], submit("hall")[0]
    assert run_worker() < 0
    assert (item(cellar).attempts, item(hall).attempts) == (1, 0)
    assert item(hall).lease_token is not None


def test_what_killed_its_worker_comes_last_and_takes_nobody_along_twice():
    cellar, hall = submit("cellar")[0], submit("hall")[0]
    assert run_worker() < 0
    age(leases.LEASE + 1)
    attic, _ = submit("attic")
    lease = leases.claim(["lamp"], 5)
    assert [sequence for sequence, _ in lease.items] == [attic, hall, cellar]


def kill_own_connection() -> None:
    """End this session at the server, as a restart or wait_timeout does."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT CONNECTION_ID()")
        ours = cursor.fetchone()[0]
    other = connection.copy()
    try:
        with other.cursor() as cursor:
            cursor.execute(f"KILL {ours}")
    finally:
        other.close()


@pytest.mark.mariadb
def test_f18_a_connection_killed_during_the_action_costs_nothing_and_the_outcome_is_saved(mariadb, executor):
    calls = []

    def cut(job):
        calls.append(job.item.room)
        kill_own_connection()
        return light(job)

    executor("light", cut)
    lamp, _ = submit()
    assert work() == "The work queue: worked on 1."
    assert calls == ["hall"]
    assert (item(lamp).attempts, item(lamp).actionable) == (0, False)
    assert Lamp.objects.get(pk=lamp).brightness == 100
    assert told(lamp, "outcome") == ["light done: it shines"]


@pytest.mark.mariadb
def test_f18_a_connection_killed_before_an_early_write_costs_nothing(mariadb, executor):
    def cut(job):
        kill_own_connection()
        job.write(Changes(columns={"brightness": 5}))
        assert Lamp.objects.get(pk=job.item.pk).brightness == 5
        return light(job)

    executor("light", cut)
    lamp, _ = submit()
    work()
    assert told(lamp, "outcome") == ["light done: it shines"]


def test_f18_no_transaction_is_open_while_an_action_runs(executor):
    seen = []

    def look(job):
        seen.append(connection.in_atomic_block)
        return light(job)

    executor("light", look)
    submit()
    work()
    assert seen == [False]
