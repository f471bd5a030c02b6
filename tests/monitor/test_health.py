"""What machines ask."""

from __future__ import annotations

import pytest
from django.db import OperationalError
from django.db.migrations.recorder import MigrationRecorder
from django.test import Client

from core import heartbeat


def test_healthz_asks_nobody(db, django_assert_num_queries):
    with django_assert_num_queries(0):
        answer = Client().get("/healthz")
    assert answer.status_code == 200
    assert answer.json() == {"healthy": True, "sentence": "The process answers."}


def test_readyz_is_well_on_a_prepared_database_with_a_silent_worker(db):
    assert not heartbeat.is_alive(heartbeat.WORKER)
    answer = Client().get("/readyz")
    assert answer.status_code == 200
    assert "Set-Cookie" not in answer


def test_readyz_names_the_migration_that_is_missing(db):
    MigrationRecorder.Migration.objects.filter(app="webhooks").order_by("-pk").first().delete()
    answer = Client().get("/readyz")
    assert answer.status_code == 503
    assert "webhooks." in answer.json()["sentence"]


@pytest.mark.parametrize(
    "path, asked",
    [
        ("/readyz", "monitor.views.health.missing_migrations"),
        ("/healthz/worker", "monitor.views.health.heartbeat.is_alive"),
    ],
)
def test_a_database_that_is_away_is_a_503_without_its_address(path, asked, db, monkeypatch):
    def away(*_):
        raise OperationalError("cannot connect as root to 10.0.0.7")

    monkeypatch.setattr(asked, away)
    answer = Client().get(path)
    assert answer.status_code == 503
    assert "10.0.0.7" not in answer.content.decode()


def test_the_worker_is_healthy_for_three_minutes_after_a_beat(clock):
    client = Client()
    assert client.get("/healthz/worker").status_code == 503
    heartbeat.beat(heartbeat.WORKER)
    clock.shift(seconds=heartbeat.SILENT_AFTER)
    assert client.get("/healthz/worker").status_code == 200
    clock.shift(seconds=1)
    assert client.get("/healthz/worker").status_code == 503


def test_probes_ask_for_no_session(db, django_assert_max_num_queries):
    client = Client()
    with django_assert_max_num_queries(3) as queries:
        client.get("/readyz")
        client.get("/healthz/worker")
    assert not [
        query["sql"] for query in queries if "session" in query["sql"] and "migrations" not in query["sql"]
    ]
