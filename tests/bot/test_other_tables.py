"""Issues, branches, and the tables that are acknowledged."""

from __future__ import annotations

import uuid

import pytest
from django.db import connection

from tests import factories
from tests.bot.world import World
from tests.github_app import INSTALLATION, REPOSITORY
from webhooks import models

ISSUE = 7


def stored_issue(world: World, **columns: object) -> models.Issue:
    row: models.Issue = factories.IssueFactory(
        repository_owner="account-1",
        repository_name="repository-1",
        repository_id=REPOSITORY,
        installation_id=INSTALLATION,
        number=ISSUE,
        **columns,
    )
    return row


def test_an_issue_closed_on_github_is_closed_here(world: World):
    row = stored_issue(world)
    world.changes.close_issue(REPOSITORY, ISSUE)
    world.work()
    row.refresh_from_db()
    assert (row.state, row.processing_state) == ("CLOSED", "PROCESSED")


def test_an_open_issue_stays_and_a_wrongly_closed_one_is_reopened(world: World):
    row = stored_issue(world, state="CLOSED")
    world.work()
    row.refresh_from_db()
    assert (row.state, row.processing_state) == ("OPEN", "PROCESSED")


def test_a_deleted_issue_is_closed_here(world: World):
    row = stored_issue(world)
    world.changes.delete_issue(REPOSITORY, ISSUE)
    world.work()
    row.refresh_from_db()
    assert (row.state, row.processing_state, row.processing_error) == ("CLOSED", "PROCESSED", None)


def test_switched_off_issues_are_no_error(world: World):
    row = stored_issue(world)
    world.changes.switch_issues(REPOSITORY, on=False)
    world.work()
    row.refresh_from_db()
    assert (row.state, row.processing_state, row.processing_error) == ("OPEN", "PROCESSED", None)


def test_an_issue_nobody_knows_is_failed_with_its_reason(world: World):
    row = stored_issue(world)
    models.Issue.objects.update(number=999, updated_at=row.updated_at)
    world.work()
    row.refresh_from_db()
    assert row.processing_error.startswith("not_found")


def test_a_deleted_branch_leaves_the_list_of_those_that_exist(world: World):
    world.changes.create_branch(REPOSITORY, "lamp")
    world.deliver()
    world.work()
    assert listed() == ["lamp"]
    world.changes.delete_branch(REPOSITORY, "lamp")
    world.deliver()
    world.work()
    assert listed() == []
    assert set(models.Branch.objects.values_list("processing_state", flat=True)) == {"PROCESSED"}


def listed() -> list[str]:
    with connection.cursor() as cursor:
        cursor.execute("SELECT Ref FROM github_branches_view")
        return [row[0] for row in cursor.fetchall()]


@pytest.mark.parametrize("model", [models.Push, models.Repository, models.Installation, models.User])
def test_the_rest_is_acknowledged_without_asking_github(world: World, model):
    made = {
        models.Push: lambda: models.Push.objects.create(delivery_id=uuid.uuid4()),
        models.Repository: factories.RepositoryFactory,
        models.Installation: lambda: factories.InstallationFactory(installation_id=8),
        models.User: lambda: models.User.objects.create(delivery_id=uuid.uuid4(), user_id=1),
    }[model]()
    world.work()
    made.refresh_from_db()
    assert made.processing_state == "PROCESSED"
    assert world.github.log == []
