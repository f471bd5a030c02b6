"""The judgement of a session, without a database."""

from __future__ import annotations

from dataclasses import replace

import pytest

from core.session import MEGABYTE, MariadbSession, SqliteSession, judge_mariadb, judge_server, judge_sqlite

GOOD = MariadbSession(
    time_zone="+00:00",
    sql_mode=frozenset({"STRICT_TRANS_TABLES", "NO_ZERO_DATE"}),
    charsets=frozenset({"utf8mb4"}),
    isolation="READ-COMMITTED",
    max_allowed_packet=32 * MEGABYTE,
    database_collation="utf8mb4_general_ci",
)


def test_a_good_session_has_no_problem():
    assert judge_mariadb(GOOD) == []


@pytest.mark.parametrize(
    "changes, id_, words",
    [
        ({"time_zone": "SYSTEM"}, "core.E003", "SYSTEM, not +00:00"),
        ({"sql_mode": frozenset({""})}, "core.E004", "not strict"),
        ({"charsets": frozenset({"utf8mb4", "latin1"})}, "core.E005", "speaks latin1, not utf8mb4"),
        ({"isolation": "REPEATABLE-READ"}, "core.E006", "REPEATABLE-READ, not READ-COMMITTED"),
        (
            {"database_collation": "latin1_swedish_ci"},
            "core.W003",
            "latin1_swedish_ci, not utf8mb4_general_ci",
        ),
        ({"max_allowed_packet": 32 * MEGABYTE - 1}, "core.W001", "is 31 MB"),
    ],
)
def test_each_problem_is_named_with_a_hint(changes, id_, words):
    (problem,) = judge_mariadb(replace(GOOD, **changes))
    assert problem.id == id_
    assert words in problem.sentence
    assert problem.hint
    assert problem.severe is id_.startswith("core.E")


@pytest.mark.parametrize(
    "is_mariadb, version, refused",
    [
        (True, (10, 6, 0), False),
        (True, (11, 4, 2), False),
        (True, (10, 5, 29), True),
        (False, (8, 4, 0), True),
        (False, (10, 6, 0), True),
    ],
)
def test_servers(is_mariadb, version, refused):
    problems = judge_server(is_mariadb=is_mariadb, version=version)
    assert [problem.id for problem in problems] == ["core.E002"] * refused


def test_mysql_is_refused_with_a_sentence():
    (problem,) = judge_server(is_mariadb=False, version=(8, 4, 0))
    assert problem.sentence == "The database server is MySQL 8.4.0; Pullkeeper needs MariaDB 10.6 or newer."


@pytest.mark.parametrize(
    "version, mode, ids",
    [
        ((3, 35, 0), "IMMEDIATE", []),
        ((3, 40, 1), "DEFERRED", ["core.E008"]),
        ((3, 34, 9), "IMMEDIATE", ["core.E009"]),
    ],
)
def test_sqlite(version, mode, ids):
    assert [
        problem.id for problem in judge_sqlite(SqliteSession(version=version, transaction_mode=mode))
    ] == ids
