"""Who comes before a pull request in the line, without ranking everybody."""

from __future__ import annotations

import re
from datetime import datetime, timedelta

import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext
from hypothesis import given, settings

from idle.models import IdleState
from idle.selectors import Wanted, ahead_of, page
from tests import factories
from tests.idle import generated, stored
from tests.idle.test_view_equals_model import many
from webhooks.models import PullRequest

BOUND = 20
ROWS = 400


def compare(database: tuple, now: datetime) -> None:
    with transaction.atomic():
        generated.store(database, now)
        line = [line.sequence for line in stored.expected(now) if line.status == "DUE"]
        for place, sequence in enumerate(line):
            row = IdleState.objects.get(pk=sequence)
            found = ahead_of(row, most=1000)
            assert found.complete
            assert sorted(found.sequences) == sorted(line[:place])
            for most in (0, 1, 3, 7):
                part = ahead_of(row, most=most)
                assert set(part.sequences) <= set(line[:place])
                assert not part.complete or sorted(part.sequences) == sorted(line[:place])
        transaction.set_rollback(True)


@given(database=generated.databases)
@settings(many, max_examples=15, derandomize=True)
def test_who_comes_before_is_who_the_model_says(database: tuple, now: datetime):
    compare(database, now)


@pytest.fixture
def long_line(now: datetime) -> None:
    """DUE pull requests of many repositories, as many again that are not, with and without Idle Retries."""
    rows = [
        factories.PullRequestFactory.build(
            repository_name=f"r{number % 90}",
            number=number,
            idle_retry_count=number % 4,
            state="OPEN" if number % 2 else "CLOSED",
            updated_at=now - timedelta(days=6, minutes=number * 7919 % ROWS),
        )
        for number in range(ROWS)
    ]
    PullRequest.objects.bulk_create(rows)


@pytest.mark.usefixtures("mariadb", "long_line")
def test_a_place_far_back_is_told_from_a_bounded_part_of_the_index():
    row = IdleState.objects.filter(idle_retry_count=3).latest("updated_at")
    before = entries_read()
    assert not ahead_of(row, most=BOUND).complete
    # Two readings of so many entries, and two steps of a probe for each of the second.
    assert entries_read() - before < 5 * BOUND
    assert ROWS > 10 * BOUND


@pytest.mark.usefixtures("long_line")
def test_nothing_is_sorted_for_a_place_so_that_a_reading_may_end_anywhere():
    row = IdleState.objects.filter(idle_retry_count=3).latest("updated_at")
    with CaptureQueriesContext(connection) as queries:
        ahead_of(row, most=ROWS)
    assert len(queries) > 2
    for query in queries.captured_queries:
        assert not re.search("filesort|temporary|TEMP B-TREE", plan_of(query["sql"])), query["sql"]


def plan_of(sql: str) -> str:
    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN {'' if connection.vendor == 'mysql' else 'QUERY PLAN'} {sql}")
        return str(cursor.fetchall())


@pytest.mark.usefixtures("mariadb", "long_line")
def test_one_repository_is_lined_up_without_ranking_the_others(now: datetime):
    IdleState.objects.first()
    before = entries_read()
    found = page(Wanted(repository="OCTO/R7"), number=1, size=50)
    assert found.rows
    # The index of the idle ones is read through once; every other repository costs nothing more.
    assert entries_read() - before < ROWS / 2 + 20 * len(found.rows)


def entries_read() -> int:
    """The rows and index entries that this session has read so far."""
    with connection.cursor() as cursor:
        cursor.execute("SHOW SESSION STATUS LIKE 'Handler_read%'")
        return sum(int(value) for _, value in cursor.fetchall())
