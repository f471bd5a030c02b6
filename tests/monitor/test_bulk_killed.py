"""The process that works on a bulk job is killed again and again: each row is touched once, and the job ends."""

from __future__ import annotations

import time
import zlib
from collections import Counter

import pytest

from core.models import PassRun, Setting
from core.passes import LEASE
from monitor.models import BulkJob
from monitor.services import bulk
from monitor.services.bulk_kinds import RE_REQUEST, REPLAY
from tests import factories
from tests.ageing import age
from tests.idle.processes import Process, processes
from webhooks.models import Delivery, PullRequest, PullRequestHistory

pytestmark = pytest.mark.django_db(transaction=True)
# Goes on with jobs until killed, in small steps that each take a moment between the act and the job's progress.
WORKER = """
import time
from dataclasses import replace
from core.passes import find_pass, run_pass
from monitor.services import bulk
kind = bulk.KINDS["{kind}"]
def slowly(*given):
    touched = kind.touch(*given)
    print("touched", flush=True)
    time.sleep(0.05)
    return touched
bulk.KINDS = {{kind.key: replace(kind, touch=slowly, batch=min(kind.batch, 7))}}
while True:
    run_pass(find_pass("bulk"), force=True)
    time.sleep(0.02)
"""
PATIENCE = 60


def wait_for(condition, process):
    end = time.monotonic() + PATIENCE
    while not condition():
        assert process.alive(), process.said()
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.01)


def touched(process: Process) -> int:
    return process.said().count("touched")


def work_and_kill(kind, *, kills, steps):
    """Kill so many workers, each in the middle of its step of that number, then let another one finish."""
    code = WORKER.format(kind=kind.key)
    with processes() as start:
        for _ in range(kills):
            worker = start(code)
            wait_for(lambda: touched(worker) >= steps, worker)  # noqa: B023 (asked before the loop goes on)
            worker.kill()
            # The dead one's lock ends by itself.
            age(LEASE + 1)
        last = start(code)
        wait_for(lambda: BulkJob.objects.get().state == "finished", last)
    assert PassRun.objects.filter(outcome="lost").count() == kills


@pytest.fixture(autouse=True)
def quick():
    Setting.objects.update_or_create(name="bulk.rows-per-minute", defaults={"value": "1000"})


def test_a_job_over_some_hundred_rows_survives_kill_9_with_each_row_touched_once():
    rows = factories.PullRequestFactory.build_batch(300, idle_retry_count=3)
    PullRequest.objects.bulk_create(rows)
    bulk.start(RE_REQUEST, {"table": "pull_requests", "state": "PROCESSED"}, actor="olga")
    work_and_kill(RE_REQUEST, kills=3, steps=4)
    assert Counter(PullRequest.objects.values_list("processing_state", flat=True)) == {"RE_REQUESTED": 300}
    lines = PullRequestHistory.objects.values_list("pull_request_sequence", flat=True)
    assert Counter(lines) == dict.fromkeys(PullRequest.objects.values_list("pk", flat=True), 1)
    job = BulkJob.objects.get()
    assert (job.total, job.done, job.failed) == (300, 300, 0)


def test_a_job_that_commits_row_by_row_survives_it_too_and_counts_no_row_twice():
    body = zlib.compress(b"{}")
    for _ in range(30):
        factories.DeliveryFactory(status="failed", event="nothing_we_know", body=body)
    bulk.start(REPLAY, {}, actor="olga")
    work_and_kill(REPLAY, kills=2, steps=5)
    assert Counter(Delivery.objects.values_list("status", flat=True)) == {"ignored": 30}
    job = BulkJob.objects.get()
    # Killed between a delivery's commit and the job's: that one is done, and was not counted.
    assert (job.total, job.failed) == (30, 0)
    assert 28 <= job.done <= 30
