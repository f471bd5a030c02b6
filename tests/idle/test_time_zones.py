"""Field case F07: the database's clock alone decides, whatever time zone a session is in."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection

from core import clock as database_clock
from tests.factories import PullRequestFactory

LOOK = """
    SELECT Number, IdleStatus, UNIX_TIMESTAMP(NextRetryAt) - UNIX_TIMESTAMP(UpdatedAt)
    FROM github_pull_requests_idle_view ORDER BY Number
"""


@contextmanager
def plain_session(time_zone: str) -> Iterator[Any]:
    """A cursor of another program: nothing but mysqlclient, in its own time zone."""
    import MySQLdb

    parameters = connection.get_connection_params()
    parameters.pop("init_command")
    with closing(MySQLdb.connect(**parameters)) as session, closing(session.cursor()) as cursor:
        cursor.execute("SET time_zone=%s", [time_zone])
        yield cursor


@pytest.mark.mariadb
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("time_zone", ["-05:00", "+00:00", "+09:00"])
def test_f07_status_and_next_retry_are_the_same_in_every_time_zone(mariadb, time_zone):
    now, day = database_clock.now(), timedelta(days=1)
    ages = [
        (1, 2 * day + timedelta(minutes=10)),
        (0, day + timedelta(minutes=10)),
        (1, 2 * day - timedelta(minutes=10)),
        (2_000_000_000, 2 * day),
        (0, day - timedelta(minutes=10)),
    ]
    for number, (retries, age) in enumerate(ages, start=1):
        PullRequestFactory(number=number, idle_retry_count=retries, updated_at=now - age)
    with plain_session(time_zone) as cursor:
        cursor.execute(LOOK)
        seconds = 24 * 60 * 60
        assert [tuple(row) for row in cursor.fetchall()] == [
            (1, "DUE", 2 * seconds),
            (2, "DUE", seconds),
            (3, "WAITING", 2 * seconds),
            (4, "GAVE_UP", None),
        ]
        cursor.execute("SHOW WARNINGS")
        assert cursor.fetchall() == ()


@pytest.mark.mariadb
def test_the_view_runs_with_the_rights_of_whoever_reads(mariadb):
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT SECURITY_TYPE FROM information_schema.views"
            " WHERE TABLE_SCHEMA=DATABASE() AND TABLE_NAME LIKE 'github_pull_requests_idle%%'"
        )
        assert [row[0] for row in cursor.fetchall()] == ["INVOKER", "INVOKER"]
