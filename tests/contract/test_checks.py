"""The system checks of the receiver and its tables, through Django's own doors."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.core.checks import run_checks
from django.core.management import call_command
from django.core.management.base import SystemCheckError
from django.db import connection

from tests.contract.rows import make_row
from webhooks.models import Issue, Push

ROOT = Path(__file__).resolve().parents[2]
Manage = Callable[..., subprocess.CompletedProcess[str]]


def found(**options: Any) -> dict[str | None, str]:
    return {message.id: message.msg for message in run_checks(tags=["webhooks"], **options)}


# --- the secret ---------------------------------------------------------------------------------------------
def test_a_missing_secret_is_said_by_every_command_and_stops_none(settings):
    settings.GITHUB_WEBHOOK_SECRETS = []
    assert list(found()) == ["webhooks.W001"]
    call_command("check")  # an error would raise


def test_a_missing_secret_is_an_error_before_going_live(settings):
    settings.GITHUB_WEBHOOK_SECRETS = []
    with pytest.raises(SystemCheckError, match=r"webhooks\.E001"):
        call_command("check", deploy=True)


def test_a_secret_satisfies_both(settings):
    settings.GITHUB_WEBHOOK_SECRETS = ["made up"]
    assert found(include_deployment_checks=True) == {}


# --- the tables ---------------------------------------------------------------------------------------------
def test_without_a_database_named_none_is_asked(django_assert_num_queries, db):
    with django_assert_num_queries(0):
        assert not {"webhooks.W002", "webhooks.E003"} & set(found())


@pytest.mark.django_db(transaction=True)
def test_a_renamed_column_is_an_error():
    with connection.cursor() as cursor:
        cursor.execute("ALTER TABLE heartbeats RENAME COLUMN BeatAt TO SeenAt")
        try:
            assert found(databases=["default"])["webhooks.E003"].startswith("heartbeats.BeatAt is missing")
        finally:
            cursor.execute("ALTER TABLE heartbeats RENAME COLUMN SeenAt TO BeatAt")
    assert "webhooks.E003" not in found(databases=["default"])


@pytest.mark.mariadb
def test_b1_35_rows_without_a_state_are_reported(mariadb):
    rows = [make_row(Issue), make_row(Issue), make_row(Push)]
    with connection.cursor() as cursor:
        cursor.execute("SET sql_mode=''")
        try:
            cursor.execute("UPDATE github_issues SET ProcessingState='IDLE'")
        finally:
            cursor.execute(settings.DATABASES["default"]["OPTIONS"]["init_command"])
    message = found(databases=["default"])["webhooks.W003"]
    assert message == "github_issues: 2 row(s) have the ProcessingState ''; nobody will ever claim them."
    assert len(rows) == 3


# --- the commands, on databases of their own ----------------------------------------------------------------
@pytest.fixture
def manage(tmp_path: Path, transactional_db: None) -> Iterator[Manage]:
    """Run manage.py on an empty database; `query` is appended to its URL."""
    if connection.vendor == "sqlite":
        url, drop = f"sqlite:///{tmp_path}/empty.sqlite3", ""
    else:
        target = connection.settings_dict
        name = f"{target['NAME']}_empty"
        drop = f"DROP DATABASE IF EXISTS {name}"
        url = (
            f"mysql://{target['USER']}:{target['PASSWORD']}@{target['HOST']}:{target['PORT'] or 3306}/{name}"
        )
        _run_sql(drop, f"CREATE DATABASE {name} CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci")

    def run(*arguments: str, query: str = "", **environment: str) -> subprocess.CompletedProcess[str]:
        variables = {
            "DATABASE_URL": url + query,
            "SECRET_KEY": "made up",
            "GITHUB_WEBHOOK_SECRETS": "made up",
        }
        return subprocess.run(
            [sys.executable, "manage.py", *arguments],
            cwd=ROOT,
            env=os.environ | variables | environment,
            capture_output=True,
            text=True,
            check=False,
        )

    yield run
    if drop:
        _run_sql(drop)


def _run_sql(*statements: str) -> None:
    with connection.cursor() as cursor:
        for statement in statements:
            cursor.execute(statement)


def test_an_empty_database_is_told_to_prepare_and_is_green_after(manage: Manage):
    before = manage("check", "--database", "default")
    assert before.returncode == 0
    assert "webhooks.W002" in before.stderr
    assert "manage.py prepare" in before.stderr

    first, second = manage("prepare"), manage("prepare")
    assert (first.returncode, second.returncode) == (0, 0), first.stderr + second.stderr
    assert "'added': 0, 'changed': 0, 'removed': 0}. Settings rows added: 0." in second.stdout

    after = manage("check", "--database", "default")
    assert after.returncode == 0, after.stderr
    assert "webhooks." not in after.stderr
    assert "core.E" not in after.stderr


def test_commands_work_without_a_secret(manage: Manage):
    without = {"GITHUB_WEBHOOK_SECRETS": ""}
    assert manage("migrate", "--verbosity", "0", **without).returncode == 0
    assert "webhooks.E001" in manage("check", "--deploy", **without).stderr


@pytest.mark.mariadb
@pytest.mark.usefixtures("mariadb")
def test_f27_a_connection_that_cannot_carry_every_character_is_refused(manage: Manage):
    for command in (("check", "--database", "default"), ("prepare",)):
        refused = manage(*command, query="?charset=utf8mb3")
        assert refused.returncode == 1
        assert "core.E005" in refused.stderr
