"""What a call costs, and who is slowed down: query ceilings, and rates in the shared cache."""

from __future__ import annotations

import os
import uuid
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from redis.exceptions import ConnectionError as RedisAway

from config.caches import cache_config
from core import rates, registry
from core.models import ApiRate, PassRun
from core.setting_specs import READS_PER_MINUTE, WRITES_PER_MINUTE

# The token, two for permissions, the rate and its Settings.
BASE = 5


def queries(client, path):
    with CaptureQueriesContext(connection) as seen:
        assert client.get(path).status_code == 200
    return [query["sql"] for query in seen.captured_queries]


@pytest.mark.parametrize(
    "path, own",
    [("/api/v1/me", 0), ("/api/v1/workers", 1), ("/api/v1/passes", 4), ("/api/v1/passes/idle/runs", 1)],
)
def test_a_call_takes_few_statements_however_much_there_is(caller, path, own):
    client = caller()
    client.get(path)
    PassRun.objects.bulk_create(PassRun(name="idle") for _ in range(300))
    few = queries(client, path)
    assert len(few) <= BASE + own, "\n".join(few)


def test_a_page_by_sequence_counts_nothing_and_skips_nothing(caller):
    PassRun.objects.bulk_create(PassRun(name="idle") for _ in range(300))
    client = caller()
    deep = client.get(client.get("/api/v1/passes/idle/runs?limit=200").json()["next"]).json()
    assert len(deep["results"]) == 100
    runs = [sql for sql in queries(client, "/api/v1/passes/idle/runs") if "pass_runs" in sql]
    assert len(runs) == 1
    assert "COUNT" not in runs[0]
    assert "OFFSET" not in runs[0]


def test_reads_and_writes_are_counted_apart(caller, clock):
    registry.write(READS_PER_MINUTE, "2")
    registry.write(WRITES_PER_MINUTE, "1")
    client = caller("operator")
    assert [client.get("/api/v1/me").status_code for _ in range(3)] == [200, 200, 429]
    runs = "/api/v1/passes/cleanup/runs"
    assert [client.post(runs).status_code for _ in range(2)] == [202, 429]


def test_two_tokens_of_one_user_have_a_rate_each(caller, clock):
    registry.write(READS_PER_MINUTE, "1")
    first = caller("viewer", name="ada")
    second = caller("viewer", name="bob")
    assert [client.get("/api/v1/me").status_code for client in (first, second, first)] == [200, 200, 429]


def away(*_: object, **__: object):
    raise RedisAway


@pytest.mark.parametrize("method", ["add", "incr"])
def test_a_redis_that_is_away_refuses_nobody(caller, monkeypatch, settings, method):
    settings.Q_BROKER_URL = "redis://127.0.0.1:1/0"
    monkeypatch.setattr(rates.cache, method, away)
    assert caller().get("/api/v1/me").status_code == 200


@pytest.mark.redis
def test_in_redis_calls_of_a_minute_are_counted_and_the_next_one_begins_anew(settings):
    settings.Q_BROKER_URL = os.environ.get("TEST_REDIS_URL", "redis://127.0.0.1:6379/15")
    settings.CACHES = cache_config(broker_url=settings.Q_BROKER_URL)
    caller = uuid.uuid4().hex
    assert [rates.count_call(caller, 7) for _ in range(3)] == [1, 2, 3]
    assert rates.count_call(caller, 8) == 1


@pytest.mark.django_db
def test_in_the_table_calls_of_a_minute_are_counted_and_the_next_one_begins_anew():
    assert [rates.count_call("a", 7) for _ in range(3)] == [1, 2, 3]
    assert rates.count_call("b", 7) == 1
    assert [rates.count_call("a", 8) for _ in range(2)] == [1, 2]
    assert ApiRate.objects.count() == 2


@pytest.mark.django_db(transaction=True)
def test_no_call_is_lost_when_many_count_at_once():
    def count(_: int) -> int:
        try:
            return rates.count_call("a", 7)
        finally:
            connection.close()

    with ThreadPoolExecutor(4) as pool:
        made = sorted(pool.map(count, range(40)))
    assert made == list(range(1, 41))
