"""A row that kills its worker again and again (field case F08)."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from tests.ageing import age
from tests.bot.world import told
from tests.factories import InstallationFactory, PullRequestFactory
from tests.github_app import APP_ID, private_key
from tests.idle.processes import ROOT, database_url
from webhooks.models import PullRequest, PullRequestLook
from webhooks.services import looks

# The bot with a handler that dies of pull request 13, and finds every other one in order.
WORKER = """
import os, signal
from bot.services.working import work
from bot.values import Done
from webhooks.models import PullRequest, PullRequestLook
from webhooks.services import looks
def handle(claim, bench):
    if claim.row.number == 13:
        os.kill(os.getpid(), signal.SIGKILL)
    return Done("seen")
work({PullRequest: handle})
"""


# Looks end this worker as the handler above does; rows it has none to work on.
LOOKER = """
import os, signal
from bot import looks
from bot.services.working import work
def die_of_it(row, *_):
    if row.number == 13:
        os.kill(os.getpid(), signal.SIGKILL)
    return "seen"
looks.ready_to_merge = die_of_it
work({})
"""


def run_worker(code: str = WORKER) -> int:
    environment = {
        "DATABASE_URL": database_url(),
        "GITHUB_APP_ID": APP_ID,
        "GITHUB_APP_PRIVATE_KEY": private_key(),
        "LOG_LEVEL": "ERROR",
    }
    command = [sys.executable, "manage.py", "shell", "--no-imports", "-v0", "-c", code]
    return subprocess.run(
        command, cwd=ROOT, env=os.environ | environment, check=False, timeout=300
    ).returncode


@pytest.mark.django_db(transaction=True)
def test_f08_a_row_that_kills_its_worker_ends_failed_and_those_behind_it_are_worked_on() -> None:
    killer = PullRequestFactory(number=13, processing_state="UPDATED", repository_name="r0")
    healthy = [
        PullRequestFactory(number=n, processing_state="UPDATED", repository_name=f"r{n}") for n in range(1, 4)
    ]
    died = 0
    for _ in range(12):
        if not PullRequest.objects.exclude(processing_state="PROCESSED").exists():
            break
        died += run_worker() < 0
        age(3601)
    killer.refresh_from_db()
    assert died == 5
    assert (killer.processing_state, killer.processing_attempts) == ("PROCESSED", 5)
    assert killer.processing_error == "its worker died 5 times"
    for row in healthy:
        row.refresh_from_db()
        assert (row.processing_state, row.processing_error) == ("PROCESSED", None)
        assert told(row, "finalize") == [("finalize", "seen")]


@pytest.mark.django_db(transaction=True)
def test_f08_a_look_that_kills_its_worker_is_given_up_on_and_those_behind_it_are_done() -> None:
    InstallationFactory(installation_id=7, processing_state="PROCESSED")
    rows = PullRequestFactory.create_batch(3)
    killer = PullRequestFactory(number=13)
    looks.ask([killer.pk])
    age(looks.DELAY + 60)
    looks.ask([row.pk for row in rows])
    died = 0
    for _ in range(12):
        age(1501)
        died += run_worker(LOOKER) < 0
        if PullRequestLook.objects.filter(failed_date__isnull=False).exists():
            break
    left = PullRequestLook.objects.get()
    assert died == 5
    assert (left.pull_request_sequence, left.attempts, left.error) == (
        killer.pk,
        5,
        "its worker died 5 times",
    )
    for row in rows:
        assert told(row, "look") == [("look", "seen")]
