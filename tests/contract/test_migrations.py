"""Migrations: there and back, in the order of the rules."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from django.core.management import call_command
from django.db import connection

from webhooks.contract import names

ROOT = Path(__file__).resolve().parents[2]
# From the top of the stack down, as one must take it apart.
OUR_APPS = ("idle", "webhooks", "core")
PRODUCT = ("config", "core", "githubapi", "workqueue", "webhooks", "idle", "monitor")
SQL_FILES = sorted(ROOT.glob("*/migrations/sql/*.sql"))


def schema() -> dict[str, str]:
    """Every table and view of ours as the database itself would make it again."""
    with connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            cursor.execute("SELECT name, tbl_name, sql FROM sqlite_master WHERE sql IS NOT NULL")
            return {
                name: sql for name, table, sql in cursor.fetchall() if table in (*names.TABLES, *names.VIEWS)
            }
        found = {}
        for table in connection.introspection.table_names(cursor, include_views=True):
            if table in (*names.TABLES, *names.VIEWS):
                cursor.execute(f"SHOW CREATE TABLE {table}")
                found[table] = re.sub(r"AUTO_INCREMENT=\d+ ", "", cursor.fetchone()[1])
        return found


def parts(tables):
    """Return what each table is made of. Its order depends on which app's migrations came first."""
    return {name: sorted(line.rstrip(",") for line in text.splitlines()) for name, text in tables.items()}


@pytest.mark.django_db(transaction=True)
def test_all_the_way_down_and_up_again_gives_the_same_tables():
    before = schema()
    assert {*names.TABLES, *names.VIEWS} <= set(before)
    try:
        for label in OUR_APPS:
            call_command("migrate", label, "zero", verbosity=0)
        assert schema() == {}
    finally:
        call_command("migrate", verbosity=0)
    assert parts(schema()) == parts(before)


@pytest.mark.django_db
def test_no_migration_is_missing():
    call_command("makemigrations", check_changes=True, dry_run=True, verbosity=0)  # exits when one is


def test_migrations_have_names_that_say_what_they_do():
    files = [path.stem for path in ROOT.glob("*/migrations/[0-9]*.py")]
    assert files
    assert not [name for name in files if "_auto_" in name or not re.fullmatch(r"\d{4}_[a-z0-9_]+", name)]


@pytest.mark.parametrize("path", SQL_FILES, ids=lambda path: path.name)
def test_an_sql_file_is_one_statement_that_can_be_run_again(path: Path):
    text = re.sub(r"--.*", "", path.read_text("utf-8")).strip()
    assert text.count(";") == 1
    assert text.endswith(";")
    again = (
        r"CREATE OR REPLACE SQL SECURITY INVOKER VIEW"
        if ".mariadb." in path.name
        else r"CREATE VIEW IF NOT EXISTS"
    )
    assert re.match(r"DROP VIEW IF EXISTS" if ".down." in path.name else again, text)


def test_every_sql_file_goes_both_ways_on_both_databases():
    folders = {path.parent for path in SQL_FILES}
    assert folders
    for folder in folders:
        present = {path.name for path in folder.iterdir()}
        for name in {file.partition(".")[0] for file in present}:
            for way in ("up", "down"):
                for vendor in ("mariadb", "sqlite"):
                    assert {f"{name}.{vendor}.{way}.sql", f"{name}.{way}.sql"} & present, (name, vendor, way)


@pytest.mark.parametrize(
    "banned, why",
    [
        (r"datetime\(\s*['\"]now", "SQLite's own clock; the driven clock cannot move it"),
        (r"\bUTC_TIMESTAMP\b", "TIMESTAMP columns follow the session, it does not (field case F07)"),
        (r"\bSYSDATE\b", "not the statement's instant"),
        (
            r"order_by\(\s*['\"]-?processing_state",
            "an ENUM sorts by position on MariaDB, by letters on SQLite",
        ),
        (r"\bauto_now(_add)?\b", "the application's clock"),
    ],
)
def test_words_that_would_read_another_clock_are_not_used(banned, why):
    files = [path for app in PRODUCT for path in (ROOT / app).rglob("*") if path.suffix in {".py", ".sql"}]
    assert len(files) > 50
    assert not [str(path) for path in files if re.search(banned, path.read_text("utf-8"), re.IGNORECASE)], why
