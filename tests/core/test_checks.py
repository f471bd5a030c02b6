"""The system checks of core: the queue's limits, the shared key, the session."""

from __future__ import annotations

import pytest
from django.conf import settings as project
from django.core.checks import run_checks
from django.db import connection

from core import checks

GOOD = {"name": "main", "timeout": 240, "retry": 900, "max_attempts": 1, "catch_up": False}


def queue_problems(settings, **changes) -> list[str]:
    settings.Q_CLUSTER = {key: value for key, value in (GOOD | changes).items() if value is not None}
    messages = checks.queue_limits()
    assert {message.id for message in messages} <= {"core.E001"}
    assert all(message.hint for message in messages)
    return [message.msg for message in messages]


def test_f04_the_projects_own_limits_are_good():
    assert checks.queue_limits() == []
    assert project.Q_CLUSTER["retry"] > project.Q_CLUSTER["timeout"] + checks.MARGIN


@pytest.mark.parametrize(
    "changes, problem",
    [
        ({"timeout": None}, "no time-out"),
        ({"timeout": 0}, "no time-out"),
        ({"retry": 240}, "retry 240 s <= timeout 240 s + 60 s"),  # equal
        ({"retry": 300}, "retry 300 s <= timeout 240 s + 60 s"),  # equal, with the margin
        ({"retry": None}, "retry 60 s <= timeout 240 s + 60 s"),  # django-q2's own default
        ({"max_attempts": 0}, "max_attempts is endless"),
        ({"max_attempts": None}, "max_attempts is endless"),
        ({"catch_up": True}, "catch_up is on"),
        ({"catch_up": None}, "catch_up is on"),
    ],
)
def test_f04_bad_limits_stop_the_start(settings, changes, problem):
    assert queue_problems(settings, **changes) == [f"django-q2 cluster 'main': {problem}."]


def test_f04_one_second_more_than_the_margin_is_enough(settings):
    assert queue_problems(settings, retry=301) == []


def test_f04_every_cluster_is_looked_at(settings):
    found = queue_problems(settings, ALT_CLUSTERS={"long": {"timeout": 3600}, "short": {"timeout": 10}})
    assert found == ["django-q2 cluster 'long': retry 900 s <= timeout 3600 s + 60 s."]


@pytest.mark.parametrize(
    "broker, generated, ids",
    [("redis://r", True, ["core.W002"]), ("redis://r", False, []), ("", True, [])],
)
def test_machines_that_share_a_broker_must_share_the_key(settings, broker, generated, ids):
    settings.Q_BROKER_URL = broker
    settings.SECRET_KEY_IS_GENERATED = generated
    assert [message.id for message in checks.shared_secret_key()] == ids


@pytest.mark.django_db
def test_our_own_session_is_as_it_must_be():
    found = run_checks(tags=["session"], databases=["default"])
    assert {message.id for message in found} <= {"core.W001"}  # the server's own limit


@pytest.mark.mariadb
@pytest.mark.parametrize(
    "statement, problem",
    [
        ("SET time_zone='-05:00'", "core.E003"),
        ("SET sql_mode='NO_ENGINE_SUBSTITUTION'", "core.E004"),
        ("SET NAMES utf8mb3", "core.E005"),
        ("SET character_set_connection=latin1", "core.E005"),
        ("SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ", "core.E006"),
    ],
)
@pytest.mark.django_db(transaction=True)
def test_a_session_opened_differently_is_refused(statement, problem):
    if connection.vendor != "mysql":
        pytest.skip("about MariaDB; this run is on another database")
    with connection.cursor() as cursor:
        cursor.execute(statement)
    try:
        found = {message.id for message in run_checks(tags=["session"], databases=["default"])}
        assert found - {"core.W001"} == {problem}
    finally:
        connection.close()  # the next one is opened by the settings
