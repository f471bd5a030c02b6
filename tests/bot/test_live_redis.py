"""A real cluster on a Redis broker: it is rung after commits only, and what it loses comes back (field case F33)."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest
import redis
from django_q.models import Schedule

from core.models import Bell
from core.schedules import apply_schedules
from core.version import STAMP
from sandbox.server import SandboxGithub
from tests.ageing import age
from tests.bot.test_live_cluster import cluster, state_of, wait_for
from tests.bot.world import DETAIL, World, told
from tests.factories import InstallationFactory
from tests.github_app import INSTALLATION, REPOSITORY
from tests.idle.processes import ROOT, database_url
from tools.parts import redis_url
from webhooks.models import PullRequest

pytestmark = [pytest.mark.prove, pytest.mark.redis, pytest.mark.django_db(transaction=True)]

QUEUE = "django_q:pullkeeper:q"
# Makes a row pending and rings, as an Event does; says how many messages wait inside, and after, its transaction.
EVENT = f"""
import sys
import redis
from django.conf import settings
from django.db import transaction
from webhooks.models import PullRequest
from webhooks.services.pending import re_request
queue = redis.Redis.from_url(settings.Q_BROKER_URL)
try:
    with transaction.atomic():
        re_request(PullRequest, [int(sys.argv[-2])], actor="ada")
        print(queue.llen("{QUEUE}"))
        if sys.argv[-1] == "rollback":
            raise ZeroDivisionError
except ZeroDivisionError:
    pass
print(queue.llen("{QUEUE}"))
"""


@pytest.fixture
def broker(monkeypatch: pytest.MonkeyPatch) -> Iterator[redis.Redis]:
    """An empty queue in a database of its own, named to every process that the test starts."""
    url = urlsplit(redis_url())._replace(path="/13").geturl()
    link: redis.Redis = redis.Redis.from_url(url)
    monkeypatch.setenv("Q_BROKER_URL", url)
    monkeypatch.setenv("SECRET_KEY", "the same one on every machine, and long enough to be one: 0123456789")
    link.delete(QUEUE)
    yield link
    link.delete(QUEUE)


def event(row: PullRequest, end: str) -> list[int]:
    """Let another process write an Event about the row, and return the two numbers that it says."""
    code = EVENT.replace("sys.argv[-2]", repr(str(row.pk))).replace("sys.argv[-1]", repr(end))
    command = [sys.executable, "manage.py", "shell", "--no-imports", "-v0", "-c", code]
    environment = os.environ | {"DATABASE_URL": database_url(), "LOG_LEVEL": "ERROR"}
    said = subprocess.run(command, cwd=ROOT, env=environment, check=True, capture_output=True, text=True)
    return [int(line) for line in said.stdout.split()]


def test_f33_on_redis_a_task_is_queued_after_the_commit_and_none_after_a_rollback(
    github: SandboxGithub, broker: redis.Redis
) -> None:
    row = World(github).row(1, processing_state="PROCESSED")
    assert event(row, "rollback") == [0, 0]
    assert state_of(row) == "PROCESSED"
    assert event(row, "commit") == [0, 1]
    assert state_of(row) == "RE_REQUESTED"


def test_f33_on_redis_a_cluster_killed_in_the_middle_leaves_its_row_to_the_next_one(
    github: SandboxGithub, broker: redis.Redis
) -> None:
    InstallationFactory(installation_id=INSTALLATION, processing_state="PROCESSED")
    world = World(github)
    row = world.row(1, processing_state="PROCESSED")
    world.changes.move_base(REPOSITORY)
    with cluster(github):
        event(row, "commit")
        wait_for(lambda: state_of(row) == "PROCESSED", seconds=120)
        assert [one.status for one in world.writes()] == [202]
        # Redis has no receipts: what a worker has taken is gone from the queue, whatever becomes of the worker.
        wait_for(lambda: Bell.objects.get(name="bot").rung_at is None, seconds=60)
        github.inject(DETAIL, "delay", seconds=20)
        event(row, "commit")
        wait_for(lambda: state_of(row) == "PROCESSING", seconds=120)
        assert broker.llen(QUEUE) == 0
    github.heal()
    broker.delete(QUEUE)
    age(3601)
    apply_schedules()
    Schedule.objects.exclude(name="pass:bot").delete()
    with cluster(github):
        wait_for(lambda: state_of(row) == "PROCESSED", seconds=240)
    assert (
        "claim",
        f"claimed by {STAMP}, attempt 2, after another claim went silent for an hour",
    ) in told(row)
    assert [one.status for one in world.writes()] == [202]
