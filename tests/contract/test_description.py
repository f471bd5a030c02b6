"""The live tables against the checked-in description: equal, and every way to differ is noticed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from django.apps import apps
from django.core.management import CommandError, call_command
from django.db import connection

from core.models import ApiAccess
from core.sqlfile import VENDOR_NAMES, sql_file
from webhooks.contract import check, description, names
from webhooks.contract.description import Column, Key, Table
from webhooks.contract.differences import Kind, compare
from webhooks.contract.live import describe

VENDOR = VENDOR_NAMES.get(connection.vendor, connection.vendor)
OUR_APPS = ("core", "webhooks", "idle")


def run(statement: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(statement)


# --- equal --------------------------------------------------------------------------------------------------
@pytest.mark.django_db
def test_the_live_tables_are_the_described_ones():
    assert check.find_differences(connection) == []


@pytest.mark.mariadb
def test_the_file_is_what_the_command_prints(mariadb, capsys):
    call_command("describe_columns")
    assert capsys.readouterr().out == check.DESCRIPTION_FILE.read_text("utf-8")


@pytest.mark.django_db
def test_the_command_refuses_another_database():
    if connection.vendor != "mysql":
        with pytest.raises(CommandError, match="Only MariaDB"):
            call_command("describe_columns")


@pytest.mark.django_db
def test_every_table_and_view_of_ours_is_described():
    described = check.wanted()
    models = [model for label in OUR_APPS for model in apps.get_app_config(label).get_models()]
    # Permissions hang on it; it has no table.
    models.remove(ApiAccess)
    assert {model._meta.db_table for model in models} <= set(described)
    assert set(described) == {*names.TABLES, *names.VIEWS} == set(describe(connection))
    with connection.cursor() as cursor:
        found = connection.introspection.get_table_list(cursor)
    assert {table.name for table in found if table.type == "v"} == set(names.VIEWS)


def test_the_text_form_reads_back_equal():
    wanted = check.wanted()
    assert description.parse(description.to_text(wanted)) == wanted


@pytest.mark.parametrize(
    "line",
    ["table no_engine", "view with_engine InnoDB utf8mb4_bin", "table t InnoDB utf8mb4_bin\n  Name | text"],
)
def test_a_broken_description_is_refused(line):
    with pytest.raises(ValueError, match=r"A table names|A column has"):
        description.parse(line)


def test_every_timestamp_says_null_or_default_itself():
    """Else an old server would give the first one ON UPDATE and the others the year 0."""
    columns = [column for table in check.wanted().values() for column in table.columns.values()]
    timestamps = [column for column in columns if column.type == "timestamp"]
    assert len(timestamps) > 50
    assert all(column.nullable or column.default for column in timestamps)


def test_what_an_insert_may_leave_out_has_a_default():
    """Only what identifies a row must be named."""
    for name in (name for name in names.TABLES if name.startswith("github_")):
        columns = check.wanted()[name].columns.values()
        needed = {
            column.name for column in columns if not (column.nullable or column.default or column.extra)
        }
        identity = {
            "DeliveryId",
            "NodeId",
            "CommentId",
            "UserId",
            "InstallationId",
            "WorkflowRunId",
            "ReleaseId",
        }
        assert needed <= identity, name


@pytest.mark.parametrize("table", ["github_repositories", "github_installations"])
def test_b3_1_last_sync_date_comes_after_updated_at(table):
    wanted = check.wanted()[table]
    columns = list(wanted.columns)
    assert columns.index("LastSyncDate") == columns.index("UpdatedAt") + 1
    assert wanted.columns["LastSyncDate"] == Column("LastSyncDate", "timestamp", True, "NULL", "", "")


@pytest.mark.parametrize(
    "table, columns",
    [("github_installations", "InstallationId, Sequence"), ("github_repositories", "Id, Sequence")],
)
def test_b3_4_the_current_row_is_found_by_an_index(table, columns):
    assert f"index ({columns})" in {key.rule for key in check.wanted()[table].keys.values()}


def test_b1_1_only_pull_requests_know_idle():
    tables = [table for table in check.wanted().values() if not table.is_view]
    columns = {table.name: table.columns.get("ProcessingState") for table in tables}
    enums = {name: column.type for name, column in columns.items() if column}
    assert "'IDLE'" in enums.pop("github_pull_requests")
    assert set(enums.values()) == {"enum('NEW','UPDATED','RE_REQUESTED','PROCESSING','PROCESSED')"}


# --- different ----------------------------------------------------------------------------------------------
@pytest.fixture
def mended(transactional_db: None) -> Iterator[None]:
    """Let a test damage the tables: the hints for that mend them again, which proves the hints."""
    if connection.vendor != "mysql":
        pytest.skip("about MariaDB; this run is on another database")
    yield
    hints = [
        difference.hint.removeprefix("Drop it, then: ") for difference in check.find_differences(connection)
    ]
    for statement in hints:
        if statement.startswith(("ALTER", "CREATE")):
            run(statement)
    assert check.find_differences(connection) == []


# What is done to a table, and how the sentence about it begins. Each can be undone without a trace, so that
# tests comparing whole tables do not depend on their order (a column comes back as the last one).
DAMAGES = {
    "ON UPDATE lost": (
        "ALTER TABLE github_issues MODIFY UpdatedAt timestamp NOT NULL DEFAULT CURRENT_TIMESTAMP",
        "github_issues.UpdatedAt is (timestamp, not null, default current_timestamp()), should be (",
    ),
    "enum without a value": (
        "ALTER TABLE github_issues MODIFY State enum('OPEN') NOT NULL DEFAULT 'OPEN'",
        "github_issues.State is (enum('OPEN'), not null, default 'OPEN', utf8mb4_general_ci), should be",
    ),
    "another type": (
        "ALTER TABLE github_pushes MODIFY HeadCommitTimestamp timestamp NULL",
        "github_pushes.HeadCommitTimestamp is (timestamp, null, default NULL), should be (datetime(6),",
    ),
    "a default lost": (
        "ALTER TABLE github_repositories MODIFY Private tinyint(1) NOT NULL",
        "github_repositories.Private is (tinyint(1), not null, no default), should be (tinyint(1),",
    ),
    "TIMESTAMP without NULL": (
        "ALTER TABLE github_comments MODIFY NotBefore timestamp NOT NULL DEFAULT CURRENT_TIMESTAMP",
        "github_comments.NotBefore is (timestamp, not null, default current_timestamp()), should be (",
    ),
    "a column missing": (
        "ALTER TABLE github_installations DROP COLUMN ThrottledUntil",
        "github_installations.ThrottledUntil is missing, should be (timestamp, null, default NULL).",
    ),
    "an index missing": (
        "DROP INDEX ix_pushes_head ON github_pushes",
        "github_pushes has no index (HeadCommitId) named ix_pushes_head.",
    ),
    "another engine": (
        "ALTER TABLE user_installations ENGINE = MyISAM",
        "user_installations has the engine MyISAM, should have InnoDB.",
    ),
    "another collation of the table": (
        "ALTER TABLE bells COLLATE = utf8mb4_unicode_ci",
        "bells has the collation utf8mb4_unicode_ci, should have utf8mb4_general_ci.",
    ),
}


@pytest.mark.mariadb
@pytest.mark.parametrize("statement, sentence", DAMAGES.values(), ids=DAMAGES)
def test_damage_is_named_and_its_hint_mends_it(mended, statement, sentence):
    run(statement)
    (difference,) = check.find_differences(connection)
    assert difference.sentence.startswith(sentence)


@pytest.mark.mariadb
def test_an_index_that_is_no_longer_unique_is_named(mended):
    run("ALTER TABLE github_pull_requests DROP INDEX NodeId, ADD INDEX NodeId (NodeId)")
    (difference,) = check.find_differences(connection)
    assert difference.sentence == "github_pull_requests: NodeId is index (NodeId), should be unique (NodeId)."
    run("DROP INDEX NodeId ON github_pull_requests")


@pytest.mark.mariadb
def test_a_foreign_key_that_no_longer_cascades_is_named(mended):
    run("ALTER TABLE pending_actions DROP FOREIGN KEY pending_actions_ibfk_1")
    (difference,) = check.find_differences(connection)
    assert difference.sentence.startswith("pending_actions has no foreign key (NotificationSequence)")


@pytest.mark.mariadb
def test_a_column_that_every_insert_would_have_to_name_is_named(mended):
    run("ALTER TABLE github_branches ADD Colour varchar(10) NOT NULL")
    try:
        (difference,) = check.find_differences(connection)
        assert difference.sentence.startswith("github_branches.Colour is unknown")
    finally:
        run("ALTER TABLE github_branches DROP COLUMN Colour")


@pytest.mark.mariadb
def test_a_converted_table_is_named_column_by_column(mended):
    run("ALTER TABLE pull_request_history CONVERT TO CHARACTER SET utf8mb4 COLLATE utf8mb4_unicode_ci")
    found = {difference.sentence.partition(" ")[0] for difference in check.find_differences(connection)}
    assert {f"pull_request_history.{column}" for column in ("Kind", "Reason", "Actor", "ClaimToken")} <= found


@pytest.mark.mariadb
def test_tables_and_columns_of_others_are_nobodys_business(mended):
    run("CREATE TABLE github_something_else (a int)")
    run("ALTER TABLE github_issues ADD Colour varchar(10) NULL")
    try:
        assert check.find_differences(connection) == []
    finally:
        run("DROP TABLE github_something_else")
        run("ALTER TABLE github_issues DROP COLUMN Colour")


# --- the comparison itself, without a database --------------------------------------------------------------
STATE = Column("State", "enum('OPEN')", nullable=False, default="'OPEN'", extra="", collation="utf8mb4_bin")


def a_table(**changes: Any) -> Table:
    return replace(
        Table("t", "InnoDB", "utf8mb4_bin", {"State": STATE}, {"k": Key("k", "index (State)")}), **changes
    )


def test_equal_descriptions_do_not_differ():
    assert compare({"t": a_table()}, {"t": a_table()}) == []


def test_a_missing_table_and_a_view_in_its_place_are_one_difference_each():
    (missing,) = compare({}, {"t": a_table()})
    assert (missing.kind, missing.sentence) == (Kind.TABLE, "The table t is missing.")
    assert "manage.py prepare" in missing.hint
    (view,) = compare({"t": a_table(engine="", keys={})}, {"t": a_table()})
    assert view.sentence == "t should be a table."


def test_names_only_ignores_what_sqlite_lacks():
    bare = a_table(engine="SQLite", columns={"State": description.bare_column("State")}, keys={})
    assert compare({"t": bare}, {"t": a_table()}, names_only=True) == []
    (missing,) = compare({"t": a_table(columns={})}, {"t": a_table()}, names_only=True)
    assert missing.sentence == "t.State is missing."


@pytest.mark.django_db(transaction=True)
def test_a_dropped_view_is_named():
    run("DROP VIEW github_branches_view")
    try:
        (difference,) = check.find_differences(connection)
        assert difference.sentence == "The view github_branches_view is missing."
    finally:
        run(sql_file("webhooks", "branches_view", VENDOR, "up").read_text("utf-8").strip().rstrip(";"))


@pytest.mark.django_db(transaction=True)
def test_a_view_that_cannot_be_read_is_named():
    """Also on SQLite, where asking such a view for its columns is an error."""
    if connection.vendor == "sqlite":
        run("DROP VIEW github_branches_view")
        run("CREATE VIEW github_branches_view AS SELECT * FROM nowhere")
    else:
        run("RENAME TABLE github_branches TO nowhere")
    try:
        found = [difference.sentence for difference in check.find_differences(connection)]
        assert "The view github_branches_view cannot be read: something that it names is missing." in found
        assert ("The table github_branches is missing." in found) is (connection.vendor == "mysql")
    finally:
        if connection.vendor == "sqlite":
            run("DROP VIEW github_branches_view")
            run(sql_file("webhooks", "branches_view", VENDOR, "up").read_text("utf-8").strip().rstrip(";"))
        else:
            run("RENAME TABLE nowhere TO github_branches")
    assert check.find_differences(connection) == []
