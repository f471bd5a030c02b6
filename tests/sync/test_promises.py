"""The promises B3.1 to B3.31, each by a test of its name.

B3.24 (the handler that closes) comes with the bot. Where a promise is proven at length elsewhere, the test here is
its short form: B3.6, 7, 19, 20, 31 in test_pace.py; B3.16 in test_faults.py; B3.22, 23, 25 in test_rows.py.
"""

from __future__ import annotations

import ast
import random
from datetime import datetime, timedelta
from io import StringIO
from itertools import pairwise
from pathlib import Path

import pytest
from django.conf import settings as django_settings
from django.core.management import CommandError, call_command
from django.db import OperationalError, connection
from django.db.models import F
from django.utils.module_loading import import_string

from core.models import PassRun, Setting
from core.passes import Verdict, find_pass, run_pass
from idle.models import IdlePullRequest
from sandbox.server.worlds import FIRST_INSTALLATION, FIRST_REPOSITORY
from sync import selectors
from sync.services import repositories
from tests.factories import InstallationFactory, PullRequestFactory, RepositoryFactory
from tests.sync.github import INSTALLATIONS, REPOSITORIES, differences, rows
from tests.sync.stories import live_on, work_pending
from webhooks import models

pytestmark = pytest.mark.django_db
ROOT = Path(__file__).resolve().parents[2]
DATED = (models.Installation, models.Repository)


def columns(model) -> list[str]:
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT * FROM {model._meta.db_table} WHERE 1 = 0")
        return [column[0] for column in cursor.description]


@pytest.mark.parametrize("model", DATED)
def test_b3_01_last_sync_date_is_nullable_and_stands_after_updated_at(model):
    field = model._meta.get_field("last_sync_date")
    assert (field.null, field.db_default, field.column) == (True, None, "LastSyncDate")
    names = columns(model)
    assert names[names.index("UpdatedAt") + 1] == "LastSyncDate"


def test_b3_02_never_synced_comes_first_and_every_old_row_is_due(pair_with):
    pair = pair_with(installations=3, repositories=3)
    pair.run(INSTALLATIONS)
    assert not rows(models.Repository, last_sync_date__isnull=False)
    a_month_ago = pair.clock.now - timedelta(days=30)
    models.Repository.objects.exclude(github_id=FIRST_REPOSITORY + 4).update(
        last_sync_date=a_month_ago, updated_at=F("updated_at")
    )
    assert selectors.next_repository().github_id == FIRST_REPOSITORY + 4
    models.Installation.objects.update(last_sync_date=None, updated_at=F("updated_at"))
    assert len(selectors.due_installations(older_than=a_month_ago)) == 3


def test_b3_03_nobody_but_the_syncs_writes_it(pair, settings):
    writers = {
        path.parts[0]
        for path in (
            found.relative_to(ROOT)
            for app in (
                "webhooks",
                "idle",
                "core",
                "bot",
                "sync",
            )  # monitor shows the date and writes nothing
            for found in (ROOT / app).rglob("*.py")
        )
        if "migrations" not in path.parts and names_it(ROOT / path)
    }
    assert writers == {"sync"}
    pair.sync_everything()
    pair.connect(settings)
    dates = [row.last_sync_date for model in DATED for row in rows(model)]
    for act in ("archive_repository", "rename_repository"):
        getattr(pair.github.changes, act)(FIRST_REPOSITORY, *(["new"] if "rename" in act else []))
    pair.github.changes.suspend(FIRST_INSTALLATION)
    assert len(rows(models.Delivery)) == 3
    assert [row.last_sync_date for model in DATED for row in rows(model)] == dates


def names_it(path: Path) -> bool:
    """Tell whether the module passes last_sync_date as a keyword, as every write does."""
    nodes = ast.walk(ast.parse(path.read_text("utf-8")))
    return any(isinstance(node, ast.keyword) and node.arg == "last_sync_date" for node in nodes)


def test_b3_04_the_current_row_is_the_highest_sequence_and_has_an_index():
    indexes = {tuple(index.fields) for model in DATED for index in model._meta.indexes}
    assert {("installation_id", "sequence"), ("github_id", "sequence")} <= indexes
    older, newer = RepositoryFactory(name="older"), RepositoryFactory(name="newer")
    assert [row.pk for row in selectors.current_repositories()] == [newer.pk]
    first, second = InstallationFactory(), InstallationFactory()
    assert [row.pk for row in selectors.current_installations()] == [second.pk]
    assert (older.pk, first.pk) < (newer.pk, second.pk)


def test_b3_05_several_rows_of_an_id_are_tolerated(pair):
    pair.sync_everything()
    for model in DATED:
        row = model.objects.all()[0]
        row.pk = row.sequence = None
        row.save(force_insert=True)
    pair.clock.shift(days=100)
    pair.sync_everything()
    assert differences(pair.state) == {}
    assert [len(rows(model)) for model in DATED] == [2, 2]
    assert [len(rows(model, last_sync_date=pair.clock.now)) for model in DATED] == [0, 1]


def test_b3_17_the_active_repository_with_the_oldest_date_has_its_turn(pair_with):
    pair = pair_with(installations=2, repositories=3)
    pair.run(INSTALLATIONS)
    for age, row in enumerate(rows(models.Repository)):
        models.Repository.objects.filter(pk=row.pk).update(
            last_sync_date=pair.clock.now - timedelta(days=30 - age), updated_at=F("updated_at")
        )
    by_id = models.Repository.objects.filter
    by_id(github_id=FIRST_REPOSITORY).update(last_action="deleted", updated_at=F("updated_at"))
    by_id(github_id=FIRST_REPOSITORY + 1).update(installation_action="removed", updated_at=F("updated_at"))
    assert selectors.next_repository().github_id == FIRST_REPOSITORY + 2
    models.Installation.objects.filter(installation_id=FIRST_INSTALLATION).update(
        status="0", updated_at=F("updated_at")
    )
    run = pair.run(REPOSITORIES)
    assert run.counters["repositories"] == 1
    (synced,) = rows(models.Repository, last_sync_date=run.started_at)
    assert synced.github_id == FIRST_REPOSITORY + 3


def test_b3_18_the_date_is_set_before_the_first_call_and_a_failing_one_goes_to_the_back(
    pair_with, monkeypatch, caplog
):
    pair = pair_with(repositories=3)
    pair.run(INSTALLATIONS)
    make_client = repositories.app_client
    seen: list[datetime | None] = []

    def making_the_client():
        seen.extend(row.last_sync_date for row in rows(models.Repository))
        return make_client()

    monkeypatch.setattr(repositories, "app_client", making_the_client)
    pair.github.inject(r"/repositories/\d+", "status", status=500, times=None)
    run = pair.run(REPOSITORIES, expected=Verdict.FAILED)
    assert seen == [run.started_at, None, None]
    assert "account-1/repository-1 was not synced (server_error)" in run.error
    assert "account-1/repository-1 was not synced (server_error)" in caplog.text
    assert selectors.next_repository().github_id == FIRST_REPOSITORY + 1


def test_b3_19_n_repositories_take_n_hours(pair_with):
    pair = pair_with(repositories=5)
    pair.run(INSTALLATIONS)
    for _ in range(5):
        pair.run(REPOSITORIES, force=False)
        pair.clock.shift(hours=1)
    dates = sorted(row.last_sync_date for row in rows(models.Repository))
    assert all((later - earlier).total_seconds() <= 3601 for earlier, later in pairwise(dates))


@pytest.mark.parametrize("zone", ["+00:00", "-05:00", "+09:00"])
def test_b3_20_the_pace_is_the_databases_and_zones_do_not_matter(pair, mariadb, zone):
    pair.sync_everything()
    with connection.cursor() as cursor:
        cursor.execute(f"SET time_zone = '{zone}'")
        try:
            pair.clock.shift(seconds=3599)
            assert not selectors.hour_has_passed()
            pair.clock.shift(seconds=1)
            assert selectors.hour_has_passed()
        finally:
            cursor.execute("SET time_zone = '+00:00'")


def test_b3_21_metadata_pull_requests_issues_and_branches_are_reconciled(pair):
    pair.sync_everything()
    asked = {
        logged.path.rpartition("/")[2]
        for logged in pair.github.requests(f"/repositories/{FIRST_REPOSITORY}.*")
    }
    assert asked == {str(FIRST_REPOSITORY), "pulls", "issues", "branches"}
    assert differences(pair.state) == {}


def test_b3_22_missing_rows_are_backfilled(pair):
    pair.sync_everything()
    for model in (models.PullRequest, models.Issue, models.Branch):
        model.objects.all()[0].delete()
    assert pair.run(REPOSITORIES).counters["added"] == 3
    assert differences(pair.state) == {}


def test_b3_23_and_25_are_what_test_rows_shows(pair):
    pair.sync_everything()
    work_pending(pair)
    pair.clock.shift(hours=1)
    pair.github.changes.close_pull_request(FIRST_REPOSITORY, 1)
    pair.github.changes.close_issue(FIRST_REPOSITORY, 3)
    pair.github.changes.delete_branch(FIRST_REPOSITORY, "branch/0001")
    pair.run(REPOSITORIES)
    assert [(r.state, r.processing_state) for r in rows(models.PullRequest, number=1)] == [
        ("OPEN", "RE_REQUESTED")
    ]
    assert [(r.state, r.processing_state) for r in rows(models.Issue)] == [("OPEN", "RE_REQUESTED")]
    assert [(r.event, r.processing_state) for r in rows(models.Branch, ref="branch/0001")] == [
        ("delete", "UPDATED")
    ]


def test_b3_26_the_whole_reconcile_is_a_command_and_no_schedule(pair_with, monkeypatch):
    pair = pair_with(installations=2, repositories=2, pull_requests=1)
    monkeypatch.setattr("time.sleep", lambda seconds: pair.clock.shift(seconds=seconds))
    said = StringIO()
    call_command("checkup", pause=1, stdout=said)
    assert differences(pair.state) == {}
    lines = said.getvalue().splitlines()
    assert lines[0].startswith("installations: The pass sync-installations succeeded: listed 6, added 6")
    assert lines[1].startswith(
        "repository 1 of 4, account-1/repository-1: The pass sync-repositories succeeded: "
    )
    assert (len(lines), lines[-1]) == (6, "Done.")
    assert PassRun.objects.filter(forced=True, actor="checkup").count() == 5
    scheduled = import_string(django_settings.SCHEDULES)
    assert not any("checkup" in every.run for every in scheduled.values())


def test_b3_26_a_checkup_goes_on_after_a_failure_and_ends_when_paused(pair_with):
    pair = pair_with(repositories=2)
    pair.github.inject(f"/repositories/{FIRST_REPOSITORY}", "status", status=500, times=None)
    said = StringIO()
    call_command("checkup", pause=0, stdout=said)
    assert "was not synced (server_error)" in said.getvalue()
    assert "repository 2 of 2" in said.getvalue()
    Setting.objects.create(name="sync-repositories.enabled", value="off")
    with pytest.raises(CommandError, match="is paused"):
        call_command("checkup", pause=0, stdout=said)


def test_b3_27_events_come_first_and_syncs_find_nothing_to_do(pair_with, settings):
    pair = pair_with(installations=3, repositories=3, pull_requests=6, issues=1, branches=1)
    pair.sync_everything()
    work_pending(pair)
    pair.connect(settings)
    pair.clock.shift(hours=1)
    live_on(pair, random.Random(3))
    work_pending(pair)
    pair.clock.shift(days=100)
    runs = pair.sync_everything()
    assert sum(run.counters["re_requested"] + run.counters["removed"] for run in runs) == 0
    assert differences(pair.state) == {}


@pytest.mark.parametrize("name", [INSTALLATIONS, REPOSITORIES])
def test_b3_28_a_pass_that_cannot_read_its_column_fails_alone(pair, monkeypatch, name):
    def no_such_column(*_, **__):
        raise OperationalError(1054, "Unknown column 'LastSyncDate' in 'where clause'")

    pair.run(INSTALLATIONS)
    for reader in ("installations", "next_repository"):
        monkeypatch.setattr(selectors, reader, no_such_column)
    run = pair.run(name, expected=Verdict.FAILED)
    assert "LastSyncDate" in run.error
    assert [run_pass(find_pass(other), force=True).verdict for other in ("idle", "cleanup")] == [
        Verdict.RAN
    ] * 2


def test_b3_29_processing_views_do_not_show_it():
    with connection.cursor() as cursor:
        for view in ("github_installations_processing_view", "github_repositories_processing_view"):
            cursor.execute(f"SELECT * FROM {view}")
            assert "LastSyncDate" not in [column[0] for column in cursor.description]


def test_b3_30_the_idle_view_does_without_repository_rows(clock):
    PullRequestFactory(repository_name="unknown", updated_at=clock.now - timedelta(days=3))
    (idle,) = IdlePullRequest.objects.all()
    assert (idle.repository_name, idle.repository_private) == ("unknown", None)


def test_b3_31_the_newest_date_is_the_only_trace(pair_with):
    pair = pair_with(repositories=2)
    pair.run(INSTALLATIONS)
    pair.run(REPOSITORIES)
    PassRun.objects.all().delete()
    assert run_pass(find_pass(REPOSITORIES)).verdict is Verdict.NOT_DUE
    models.Repository.objects.update(last_sync_date=None, updated_at=F("updated_at"))
    assert run_pass(find_pass(REPOSITORIES)).verdict is Verdict.RAN
