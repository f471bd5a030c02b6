"""Worker processes on one database, one of them killed while it waits for GitHub (B3.18, B3.31)."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from functools import partial

import pytest

from core.models import PassRun
from sandbox.server import worlds
from sandbox.server.handle import SandboxGithub
from sandbox.server.worlds import FIRST_REPOSITORY
from tests.ageing import age
from tests.github_app import APP_ID, private_key
from tests.idle.processes import processes
from tests.sync.github import rows
from webhooks import models

pytestmark = [pytest.mark.prove, pytest.mark.django_db(transaction=True)]

LOOP = """
import time
from django.core.management import call_command
while True:
    call_command("run_pass", "sync-installations")
    call_command("run_pass", "sync-repositories")
    time.sleep(0.01)
"""
HOUR, SLACK = 3600, 60


def wait_for(condition: Callable[[], object], *, seconds: float = 60) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.05)


def synced() -> int:
    return len(rows(models.Repository, last_sync_date__isnull=False))


def runs(name: str, **condition) -> int:
    return PassRun.objects.filter(name=name, **condition).exclude(outcome="running").count()


def has_run(times: int) -> bool:
    return runs("sync-repositories", outcome="succeeded") == times


def test_two_workers_and_one_killed_sync_one_repository_an_hour(monkeypatch):
    with SandboxGithub(worlds.regular(repositories=5, pull_requests=3)) as github, processes() as start:
        for name, value in (("ID", APP_ID), ("PRIVATE_KEY", private_key())):
            monkeypatch.setitem(os.environ, f"GITHUB_APP_{name}", value)
        monkeypatch.setitem(os.environ, "GITHUB_API_URL", github.url)
        github.inject(f"/repositories/{FIRST_REPOSITORY}/issues", "delay", seconds=60)
        first = start(LOOP)
        # It has claimed the first repository and waits for GitHub: killed, as by a crash.
        wait_for(lambda: github.requests(f"/repositories/{FIRST_REPOSITORY}/issues"))
        first.kill()
        assert (synced(), len(rows(models.PullRequest))) == (1, 3)
        workers = [start(LOOP), start(LOOP)]
        time.sleep(3)
        assert (synced(), runs("sync-repositories")) == (1, 0), "the hour is taken"
        for hour in range(1, 5):
            age(HOUR + SLACK)
            wait_for(partial(has_run, hour))
            time.sleep(1)
            assert (synced(), runs("sync-repositories", outcome="succeeded")) == (hour + 1, hour)
        assert runs("sync-repositories", outcome="lost") == 1
        assert runs("sync-installations") == 1
        assert len(github.requests("/app/installations")) == 1
        # The one that was cut off went to the back, and has its turn now.
        age(HOUR + SLACK)
        wait_for(lambda: rows(models.Issue) or runs("sync-repositories", outcome="succeeded") == 5)
        assert len(github.requests(f"/repositories/{FIRST_REPOSITORY}/branches")) == 1
        assert all(worker.alive() for worker in workers), [worker.said()[-2000:] for worker in workers]
