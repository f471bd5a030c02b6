"""A worker that is told to stop ends at the next place where it may (B5.39), and nothing waits for its lease."""

from __future__ import annotations

import subprocess
import sys

import pytest
from django.conf import settings as product
from django.core.management import get_commands
from django_q.models import OrmQ

from core import stopping
from tests.workqueue.conftest import dimensions, item, told
from tests.workqueue.lamps import light, submit
from workqueue.services import leases
from workqueue.services.working import work
from workqueue.tasks import work as task
from workqueue.values import Done

# A worker forked like django-q2's; its parent is told to stop once it has said that it is there.
FAMILY = """
import os, sys, time
from core import stopping
reading, writing = os.pipe()
child = os.fork()
if not child:
    os.write(writing, b"here")
    while not stopping.is_asked():
        time.sleep(0.01)
    os._exit(7)
os.read(reading, 4)
stopping.ask()
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


@pytest.mark.django_db(transaction=True)
def test_b5_39_the_action_ends_its_item_is_left_and_the_next_worker_goes_on_at_once(
    shop, executor, stop_byte
):
    def stop(job):
        stopping.ask()
        return light(job)

    executor("light", stop)
    attic, hall = submit("attic")[0], submit("hall")[0]
    OrmQ.objects.all().delete()
    assert task() == "The work queue: worked on 1."
    assert told(attic, "outcome") == ["light done: it shines"]
    assert [(item(each).lease_token, item(each).attempts) for each in (attic, hall)] == [(None, 0)] * 2
    assert told(hall) == ["created by alice: lamp:hall:1", *told(hall, "dimension_change")]
    assert OrmQ.objects.count() == 1
    stop_byte[0] = False
    assert task() == "The work queue: worked on 1."
    assert dimensions(hall)["needs_light"] == "false"


@pytest.mark.django_db(transaction=True)
def test_b5_39_an_item_with_more_to_do_is_left_between_two_actions(shop, executor, stop_byte):
    def stop(_):
        stopping.ask()
        return Done("one of many steps")

    executor("light", stop)
    lamp, _ = submit()
    work()
    after = item(lamp)
    assert (after.actionable, after.attempts, after.lease_token, after.phase) == (True, 0, None, "active")


@pytest.mark.django_db(transaction=True)
def test_b5_39_a_stopping_worker_takes_in_nothing_and_leaves_word(shop, stop_byte):
    lamp, _ = submit()
    OrmQ.objects.all().delete()
    stopping.ask()
    assert task() == "The work queue: nothing to do."
    assert (item(lamp).lease_token, OrmQ.objects.count()) == (None, 1)
    stop_byte[0] = False
    assert leases.claim(["lamp"], 5) is not None


def test_what_a_cluster_is_told_reaches_the_workers_that_it_forked():
    family = subprocess.run([sys.executable, "-c", FAMILY], cwd=product.BASE_DIR, check=False, timeout=60)
    assert family.returncode == 7


def test_the_worker_is_the_cluster_that_tells_them():
    assert get_commands()["qcluster"] == "core"
