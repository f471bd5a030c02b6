from __future__ import annotations

import random
import sqlite3
import uuid
from contextlib import closing

import pytest

from sandbox import external_bot
from sandbox.ageing import LONGEST_QUIET_DAYS, RETRY_CAP, age_database, delivery_ages, quiet, waited
from sandbox.demo_database import (
    NotTheDemoError,
    connect,
    mark_database,
    note_played,
    open_demo,
    played_at,
    transaction,
)

NAMES = {"o/a"}
KINDS = ("first", "waiting", "due", "gave_up")


def add_pull_request(
    connection: sqlite3.Connection, number: int, *, name: str = "a", state: str = "OPEN"
) -> None:
    """Write what the receiver writes for one Event: the Delivery, the row and its history."""
    guid = uuid.uuid4()
    connection.execute(
        "INSERT INTO webhook_deliveries (HookId, Guid, Event, RepositoryOwner, RepositoryName) "
        "VALUES (1, ?, 'pull_request', 'o', ?)",
        [str(guid), name],
    )
    row = connection.execute(
        "INSERT INTO github_pull_requests (DeliveryId, RepositoryOwner, RepositoryName, Number, NodeId, "
        "State, GithubUpdatedAt) VALUES (?, 'o', ?, ?, ?, ?, CURRENT_TIMESTAMP)",
        [guid.bytes, name, number, f"PR_{name}{number:04}", state],
    )
    connection.execute(
        "INSERT INTO pull_request_history (PullRequestSequence, Kind, DeliveryGuid) VALUES (?, 'event', ?)",
        [row.lastrowid, str(guid)],
    )


@pytest.fixture
def demo(database):
    """A marked file with forty open pull requests and two closed ones."""
    mark_database(database)
    with closing(open_demo(database, NAMES)) as connection:
        for number in range(1, 41):
            add_pull_request(connection, number)
        add_pull_request(connection, 41, state="CLOSED")
        add_pull_request(connection, 42, state="CLOSED")
        yield connection


def test_each_delivery_is_older_than_the_next():
    ages = list(delivery_ages([str(number) for number in range(9)]).values())
    assert ages == sorted(ages, reverse=True)
    assert len(set(ages)) == 9
    assert delivery_ages([]) == {}
    assert len(delivery_ages(["one"])) == 1


@pytest.mark.parametrize("kind", KINDS)
def test_retries_and_quiet_time_fit_into_the_age(kind):
    draw = random.Random(1)
    for _ in range(2000):
        age = draw.uniform(0.05, 88)
        rest = quiet(age, kind, draw)
        assert 0 <= rest.retries <= RETRY_CAP
        assert 0 < rest.days <= LONGEST_QUIET_DAYS
        assert waited(rest.retries) + rest.days <= age + 1e-9


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_is_what_it_says_when_the_age_allows(kind):
    draw = random.Random(2)
    for _ in range(500):
        rest = quiet(70, kind, draw)
        due = rest.days > rest.retries + 1
        assert {
            "first": rest.retries == 0 and due,
            "due": 1 <= rest.retries < RETRY_CAP and due,
            "waiting": 1 <= rest.retries < RETRY_CAP and 1 < rest.days < rest.retries + 1,
            "gave_up": rest.retries == RETRY_CAP and rest.days > 1,
        }[kind]


def test_the_bot_finalizes_every_pending_row_and_no_other(demo):
    demo.execute("UPDATE github_pull_requests SET ProcessingState = 'RE_REQUESTED' WHERE Number = 3")
    assert external_bot.work_off(demo) == 42
    states = demo.execute("SELECT DISTINCT ProcessingState FROM github_pull_requests").fetchall()
    assert states == [("PROCESSED",)]
    assert external_bot.work_off(demo) == 0


def test_a_row_asked_for_again_while_claimed_is_not_finalized(demo):
    (sequence,) = external_bot.claim(demo, "github_pull_requests", 1)
    demo.execute("UPDATE github_pull_requests SET ProcessingState = 'UPDATED', ProcessingDate = NULL")
    assert not external_bot.finalize(demo, "github_pull_requests", sequence)


def test_a_claim_takes_the_longest_untouched_rows_once(demo):
    demo.execute(
        "UPDATE github_pull_requests SET UpdatedAt = datetime(UpdatedAt, '-9 days') WHERE Number = 7"
    )
    assert external_bot.claim(demo, "github_pull_requests", 1) == [7]
    assert len(external_bot.claim(demo, "github_pull_requests", 100)) == 41
    assert external_bot.claim(demo, "github_pull_requests", 100) == []


def statuses(connection: sqlite3.Connection) -> set[str]:
    return {row[0] for row in connection.execute("SELECT IdleStatus FROM github_pull_requests_idle_view")}


def test_ageing_shows_every_idle_status_and_keeps_time_in_order(demo):
    external_bot.work_off(demo)
    assert age_database(demo) == 42
    assert statuses(demo) == {"DUE", "WAITING", "GAVE_UP"}
    wrong = demo.execute(
        "SELECT COUNT(*) FROM github_pull_requests WHERE UpdatedAt < CreatedAt OR UpdatedAt <> ProcessedDate "
        "OR GithubUpdatedAt > CreatedAt OR UpdatedAt > CURRENT_TIMESTAMP"
    )
    assert wrong.fetchone() == (0,)
    oldest = demo.execute(
        "SELECT julianday(CURRENT_TIMESTAMP) - julianday(MIN(UpdatedAt)) FROM github_pull_requests"
    )
    assert 30 < oldest.fetchone()[0] <= 88
    apart = demo.execute(
        "SELECT COUNT(*) FROM pull_request_history JOIN webhook_deliveries ON Guid = DeliveryGuid "
        "JOIN github_pull_requests p ON p.Sequence = PullRequestSequence "
        "WHERE ABS(julianday(At) - julianday(ReceivedAt)) + ABS(julianday(At) - julianday(p.Date)) > 0.0001"
    )
    assert apart.fetchone() == (0,)


def test_closed_and_pending_pull_requests_get_no_retries(demo):
    external_bot.work_off(demo)
    demo.execute("UPDATE github_pull_requests SET ProcessingState = 'NEW' WHERE Number = 1")
    assert age_database(demo) == 41
    counts = demo.execute(
        "SELECT IdleRetryCount FROM github_pull_requests WHERE Number IN (1, 41, 42)"
    ).fetchall()
    assert counts == [(0,)] * 3


def test_ageing_is_the_same_each_time(demo, tmp_path):
    external_bot.work_off(demo)
    copy = sqlite3.connect(tmp_path / "copy.sqlite3", isolation_level=None)
    demo.backup(copy)
    query = "SELECT NodeId, IdleRetryCount, UpdatedAt FROM github_pull_requests ORDER BY NodeId"
    with closing(copy):
        age_database(copy)
        age_database(demo)
        assert copy.execute(query).fetchall() == demo.execute(query).fetchall()


def test_a_missing_foreign_or_unmigrated_file_is_refused(tmp_path):
    with pytest.raises(NotTheDemoError, match="no database file"):
        connect(tmp_path / "missing.sqlite3")
    (tmp_path / "text").write_text("not a database, and long enough to look at " * 20)
    with pytest.raises(NotTheDemoError, match="not an SQLite database"):
        connect(tmp_path / "text")
    sqlite3.connect(tmp_path / "empty.sqlite3").close()
    with pytest.raises(NotTheDemoError, match="migrate it first"):
        connect(tmp_path / "empty.sqlite3")
    assert not (tmp_path / "missing.sqlite3").exists()


def test_a_database_without_the_mark_is_refused(database):
    with pytest.raises(NotTheDemoError, match="mark"):
        open_demo(database, NAMES)


def test_a_database_with_rows_is_never_marked(database):
    with closing(connect(database)) as connection:
        add_pull_request(connection, 1)
    with pytest.raises(NotTheDemoError, match="o/a"):
        mark_database(database)
    with pytest.raises(NotTheDemoError, match="mark"):
        open_demo(database, NAMES)


@pytest.mark.parametrize(
    "statement",
    [
        "INSERT INTO notifications (RepositoryOwner, RepositoryName) VALUES ('o', 'b')",
        "INSERT INTO github_pushes (DeliveryId, RepositoryOwner, RepositoryName) VALUES (x'00', 'o', 'b')",
        "INSERT INTO github_repositories (DeliveryId, OwnerLogin, FullName) VALUES (x'00', 'o', 'o/b')",
        "INSERT INTO github_installations (DeliveryId, InstallationId, AccountLogin) VALUES (x'00', 1, 'p')",
        "INSERT INTO webhook_deliveries (Guid, RepositoryOwner, RepositoryName) VALUES ('g', 'o', 'b')",
    ],
)
def test_a_marked_database_with_rows_of_others_is_refused(database, statement):
    mark_database(database)
    open_demo(database, NAMES).close()
    with closing(connect(database)) as connection:
        connection.execute(statement)
    with pytest.raises(NotTheDemoError, match="never sent"):
        open_demo(database, NAMES)


def test_letter_case_of_a_name_is_no_difference(database):
    mark_database(database)
    with closing(connect(database)) as connection:
        add_pull_request(connection, 1, name="A")
    open_demo(database, {"O/a"}).close()


def test_marking_twice_keeps_what_was_played(database):
    mark_database(database)
    with closing(open_demo(database, NAMES)) as connection:
        assert played_at(connection) is None
        note_played(connection)
    mark_database(database)
    with closing(open_demo(database, NAMES)) as connection:
        assert played_at(connection) is not None


def test_a_failed_transaction_leaves_nothing_behind(demo):
    update = "UPDATE github_pull_requests SET NodeId = 'the same' WHERE Number = ?"
    with pytest.raises(sqlite3.IntegrityError), transaction(demo):
        demo.executemany(update, [(1,), (2,)])
    query = "SELECT COUNT(*) FROM github_pull_requests WHERE NodeId = 'the same'"
    assert demo.execute(query).fetchone() == (0,)
