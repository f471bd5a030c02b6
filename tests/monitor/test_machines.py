"""What other programs read: metrics, a badge, the counts; and what the logs say."""

from __future__ import annotations

import json
import logging
from dataclasses import replace
from datetime import timedelta
from io import StringIO
from xml.etree import ElementTree as ET

import pytest
import structlog
from django.contrib.auth.models import User
from django.core.cache import cache
from django.test import Client
from prometheus_client.parser import text_string_to_metric_families
from structlog.stdlib import ProcessorFormatter

from core import heartbeat
from core.access import tokens
from core.models import PassRun, PassState, Setting
from core.passes import find_pass, run_pass
from tests import factories
from tests.webhooks.hook import SECRET, Hook
from webhooks.models import Delivery, Rejection

PATHS = ("/metrics", "/badge.svg", "/counts.json")


def switch_on(name):
    Setting.objects.update_or_create(name=name, defaults={"value": "on"})


def scrape(client, **headers):
    """Return the scraped samples as {(name, labels…): value}."""
    answer = client.get("/metrics", **headers)
    assert answer.status_code == 200
    assert answer["Content-Type"].startswith("text/plain; version=")
    families = text_string_to_metric_families(answer.content.decode())
    return {
        (sample.name, *sample.labels.values()): sample.value
        for family in families
        for sample in family.samples
    }


def test_metrics_count_rows_states_passes_and_the_workers_silence(clock, viewer):
    factories.IssueFactory(processing_state="NEW")
    factories.PullRequestFactory(updated_at=clock.now - timedelta(days=5))
    factories.DeliveryFactory(status="failed")
    Rejection.objects.create(reason="signature_wrong", hits=5)
    PassRun.objects.create(name="idle", outcome="failed")
    heartbeat.beat(heartbeat.WORKER)
    clock.shift(seconds=90)
    PassRun.objects.create(name="cleanup", outcome="succeeded")
    PassState.objects.bulk_create([PassState(name="idle"), PassState(name="cleanup")])
    found = scrape(viewer)
    assert found["pullkeeper_rows", "NEW", "issues"] == 1
    assert found["pullkeeper_oldest_pending_seconds", "issues"] == 90
    assert found["pullkeeper_idle_pull_requests", "DUE"] == 1
    assert found["pullkeeper_deliveries_last_day", "failed"] == 1
    assert found["pullkeeper_deliveries_last_day", "applied"] == 0
    assert found["pullkeeper_requests_turned_away_last_day", "signature_wrong"] == 5
    assert found["pullkeeper_pass_last_run_failed", "idle"] == 1
    assert found["pullkeeper_pass_last_run_failed", "cleanup"] == 0
    assert found["pullkeeper_pass_last_run_age_seconds", "idle"] == 90
    assert found["pullkeeper_worker_beat_age_seconds",] == 90
    assert found["pullkeeper_bulk_jobs_running",] == 0


def test_metrics_take_few_queries(viewer, django_assert_max_num_queries, github_app):
    with django_assert_max_num_queries(20):
        viewer.get("/metrics")


@pytest.mark.parametrize("path", PATHS)
def test_a_stranger_gets_nothing(path, db):
    assert Client().get(path).status_code in {403, 404}
    assert Client().get(path, headers={"Authorization": "Bearer pk_made-up"}).status_code in {403, 404}


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("word", ["Bearer", "token"])
def test_an_api_token_that_may_read_opens_them(path, word, person):
    cache.clear()
    person(name="prometheus", role="viewer")
    person(name="nobody", role="")
    status = {}
    for name in ("prometheus", "nobody"):
        user = User.objects.get(username=name)
        key = tokens.make(user=user, name="scrape", lifetime=timedelta(days=1)).key
        status[name] = Client().get(path, headers={"Authorization": f"{word} {key}"}).status_code
    assert status["prometheus"] == 200
    assert status["nobody"] in {403, 404}


def test_a_setting_opens_the_metrics_and_another_the_badge(db):
    switch_on("metrics.public")
    assert Client().get("/metrics").status_code == 200
    assert Client().get("/badge.svg").status_code == 404
    switch_on("badge.public")
    assert Client().get("/badge.svg").status_code == 200
    assert Client().get("/counts.json").status_code == 200


def test_the_badge_is_a_picture_with_the_counts_as_its_words(clock, db):
    switch_on("badge.public")
    factories.IssueFactory(processing_state="NEW")
    factories.PullRequestFactory(updated_at=clock.now - timedelta(days=5))
    answer = Client().get("/badge.svg")
    assert answer["Content-Type"] == "image/svg+xml"
    assert answer["Cache-Control"] == "public, max-age=60"
    picture = ET.fromstring(answer.content)
    assert picture.tag == "{http://www.w3.org/2000/svg}svg"
    assert picture.get("aria-label") == "Pullkeeper: 1 pending, 1 due, 0 gave up, worker down"


def test_the_counts_as_json(clock, viewer):
    factories.IssueFactory(processing_state="NEW")
    heartbeat.beat(heartbeat.WORKER)
    found = json.loads(viewer.get("/counts.json").content)
    assert found["processing"]["NEW"] == found["pending"] == 1
    assert found["idle"] == {"DUE": 0, "WAITING": 0, "GAVE_UP": 0}
    assert (found["at"], found["worker"]) == ("2026-03-04T09:00:00Z", "alive")
    assert found["oldest_pending"] == "2026-03-04T09:00:00Z"


@pytest.fixture
def lines():
    """What is logged, as the lines that leave the process."""
    root, written = logging.getLogger(), StringIO()
    formatter = next(h.formatter for h in root.handlers if isinstance(h.formatter, ProcessorFormatter))
    handler = logging.StreamHandler(written)
    handler.setFormatter(formatter)
    root.addHandler(handler)
    yield lambda: [json.loads(line) for line in written.getvalue().splitlines()]
    root.removeHandler(handler)


def test_what_a_pass_logs_names_its_run(db, lines):
    def work(_):
        structlog.get_logger("work").info("working")
        logging.getLogger("library").warning("at work")

    run = run_pass(replace(find_pass("cleanup"), work=work), force=True).run
    structlog.get_logger("work").info("afterwards")
    said = {line["event"]: line for line in lines()}
    assert [said[event].get("pass_run") for event in ("working", "at work", "afterwards")] == [
        run.pk,
        run.pk,
        None,
    ]
    assert said["at work"]["pass_name"] == "cleanup"


def test_what_a_delivery_logs_names_its_guid(db, settings, monkeypatch, lines):
    def broken(_):
        raise RuntimeError("the disk is full")

    settings.GITHUB_WEBHOOK_SECRETS = [SECRET]
    monkeypatch.setattr("webhooks.services.receiving._write_rows", broken)
    assert Hook().send("issues", {}).status_code == 500
    (said,) = [line for line in lines() if line["event"] == "delivery failed"]
    assert said["delivery"] == Delivery.objects.get().guid
    assert "the disk is full" in said["exception"]
