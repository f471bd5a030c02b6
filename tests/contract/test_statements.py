"""Re-requests, closes, backfills and look-ups by the SQL of programs that exist already."""

from __future__ import annotations

import uuid
from datetime import UTC, datetime, timedelta

import pytest

from core import clock
from tests.contract.outsider import Outsider
from tests.contract.rows import make_row
from webhooks.models import (
    CLAIMED,
    Branch,
    Installation,
    Issue,
    Notification,
    PullRequest,
    Push,
    Repository,
)
from webhooks.values import ProcessingState

GUID = uuid.UUID("0F0E0D0C-0B0A-0908-0706-05040302FF00")
LONG_AGO = datetime(2025, 6, 1, 12, 0, tzinfo=UTC)

PULL_REQUEST = {
    "HookId": 12,
    "TargetId": 34,
    "TargetType": "integration",
    "RepositoryOwner": "Octo",
    "RepositoryName": "Tools",
    "Id": 9_000_000_001,
    "Number": 17,
    "Sender": "alice",
    "NodeId": "PR_outside",
    "Title": "Überschrift 👩‍👩‍👧",
    "Ref": "feature/x",
    "InstallationId": 7,
}


def is_now(instant: datetime) -> bool:
    return abs(instant - clock.now()) < timedelta(seconds=30)


# --- re-request ---------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    "reset, retries_left", [(", IdleRetryCount=0", 0), ("", 4)], ids=["new bot", "older bot"]
)
def test_re_request(outsider: Outsider, reset, retries_left):
    row = make_row(
        PullRequest,
        processing_state="PROCESSED",
        processing_date=LONG_AGO,
        idle_retry_count=4,
        updated_at=LONG_AGO,
    )
    statement = (
        f"UPDATE github_pull_requests SET ProcessingState='RE_REQUESTED', ProcessingDate=NULL{reset}"
        " WHERE Sequence=%s"
    )
    assert outsider.run(statement, [row.pk]) == 1
    row.refresh_from_db()
    assert (row.processing_state, row.processing_date) == (ProcessingState.RE_REQUESTED, None)
    assert row.idle_retry_count == retries_left
    # Only MariaDB moves UpdatedAt by itself; an SQLite program has to name it.
    assert is_now(row.updated_at) if outsider.is_mariadb else row.updated_at == LONG_AGO


def test_insert_that_names_thirteen_columns(outsider: Outsider):
    outsider.insert("github_pull_requests", GUID, **PULL_REQUEST)
    row = PullRequest.objects.get(node_id="PR_outside")
    assert str(row.delivery_id) == row.delivery_id_text == "0f0e0d0c-0b0a-0908-0706-05040302ff00"
    assert (row.state, row.processing_state, row.idle_retry_count) == ("OPEN", "NEW", 0)
    assert (row.merged, row.draft, row.auto_merge_enabled) == (False, False, False)
    assert (row.processing_date, row.repository_id, row.github_updated_at, row.head_sha) == (
        None,
        None,
        None,
        "",
    )
    assert row.title == PULL_REQUEST["Title"]
    assert all(is_now(instant) for instant in (row.date, row.created_at, row.updated_at))
    # The row counts for the same repository as one of ours, whatever the letter case.
    ours = make_row(PullRequest, repository_owner="octo", repository_name="TOOLS")
    assert row.repository_key == PullRequest.objects.get(pk=ours.pk).repository_key


def test_insert_of_a_known_pull_request_fails_by_intent(outsider: Outsider):
    outsider.insert("github_pull_requests", GUID, **PULL_REQUEST)
    with pytest.raises(Exception, match=r"Duplicate entry|UNIQUE constraint failed"):
        outsider.insert("github_pull_requests", uuid.uuid4(), **PULL_REQUEST)
    outsider.insert(
        "github_pull_requests", uuid.uuid4(), **PULL_REQUEST | {"NodeId": "pr_OUTSIDE"}
    )  # another id
    assert PullRequest.objects.count() == 2


# --- close --------------------------------------------------------------------------------------------------
def test_close_a_pull_request_once(outsider: Outsider):
    row = make_row(PullRequest)
    statement = (
        "UPDATE github_pull_requests SET State='CLOSED', Merged=%s"
        " WHERE Sequence=%s AND (State!='CLOSED' OR Merged!=%s)"
    )
    assert outsider.run(statement, [1, row.pk, 1]) == 1
    assert outsider.run(statement, [1, row.pk, 1]) == 0
    row.refresh_from_db()
    assert (row.state, row.merged) == ("CLOSED", True)
    assert outsider.run(statement, [0, row.pk, 0]) == 1


def test_close_an_issue_once(outsider: Outsider):
    row = make_row(Issue)
    statement = "UPDATE github_issues SET State='CLOSED' WHERE Sequence=%s AND State='OPEN'"
    assert [outsider.run(statement, [row.pk]) for _ in range(2)] == [1, 0]
    assert Issue.objects.get(pk=row.pk).state == "CLOSED"


def test_arm_auto_merge_once(outsider: Outsider):
    row = make_row(PullRequest)
    statement = (
        f"UPDATE github_pull_requests SET AutoMergeEnabled=TRUE, AutoMergeEnabledAt={outsider.dialect.now}"
        " WHERE Sequence=%s AND AutoMergeEnabled=FALSE"
    )
    assert [outsider.run(statement, [row.pk]) for _ in range(2)] == [1, 0]
    row.refresh_from_db()
    assert row.auto_merge_enabled
    assert is_now(row.auto_merge_enabled_at)


# --- backfills ----------------------------------------------------------------------------------------------
ORIGIN = {"HookId": 0, "TargetId": 34, "TargetType": "integration", "InstallationId": 7}
IN_REPOSITORY = ORIGIN | {"RepositoryOwner": "octo", "RepositoryName": "tools"}
REPOSITORY = ORIGIN | {
    "Id": 4242,
    "NodeId": "R_4242",
    "Name": "tools",
    "FullName": "octo/tools",
    "Private": 1,
    "OwnerLogin": "octo",
    "OwnerId": 70,
    "OwnerNodeId": "U_70",
}
BACKFILLS = [
    (
        Installation,
        ORIGIN
        | {"AccountId": 70, "AccountLogin": "octo", "AccountType": "User", "RepositorySelection": "all"},
    ),
    (Repository, REPOSITORY | {"InstallationAction": "added"}),
    (Repository, REPOSITORY | {"LastAction": "deleted", "InstallationAction": "removed"}),
    (
        Branch,
        IN_REPOSITORY | {"Event": "create", "Ref": "feature/x", "RefType": "branch", "MasterBranch": "main"},
    ),
    (PullRequest, PULL_REQUEST),
    (Issue, IN_REPOSITORY | {"Id": 5, "Number": 3, "NodeId": "I_5", "Title": "Broken", "Sender": "bob"}),
    (
        Push,
        IN_REPOSITORY | {"Ref": "refs/heads/main", "HeadCommitId": "a" * 40, "HeadCommitMessage": "Mend it"},
    ),
]


@pytest.mark.parametrize("model, columns", BACKFILLS, ids=lambda value: getattr(value, "__name__", ""))
def test_backfill_leaves_every_other_column_to_its_default(outsider: Outsider, model, columns):
    outsider.insert(model._meta.db_table, GUID, **columns)
    row = model.objects.get()
    stored = {field.column: getattr(row, field.attname) for field in model._meta.concrete_fields}
    assert {name: stored[name] for name in columns} == columns
    assert row.processing_state == ProcessingState.NEW
    assert is_now(row.updated_at)
    # The defaults of the database are those that Python would have written.
    for field in model._meta.concrete_fields:
        if field.column not in columns and isinstance(field.db_default, str | int | bool):
            assert stored[field.column] == field.db_default, field.column


def test_a_removed_repository_is_its_newest_row(outsider: Outsider):
    outsider.insert("github_repositories", uuid.uuid4(), **REPOSITORY, InstallationAction="added")
    outsider.insert(
        "github_repositories", uuid.uuid4(), **REPOSITORY, InstallationAction="removed", LastAction="deleted"
    )
    assert Repository.objects.count() == 2  # B3.5: no unique key
    assert [row["Name"] for row in outsider.rows(CURRENT_REPOSITORIES)] == []
    outsider.insert("github_repositories", uuid.uuid4(), **REPOSITORY)
    assert [row["LastAction"] for row in outsider.rows(CURRENT_REPOSITORIES)] == ["created"]


def test_b3_1_and_2_last_sync_date_is_null_until_a_sync_and_null_sorts_first(outsider: Outsider):
    outsider.insert("github_repositories", uuid.uuid4(), **REPOSITORY)
    outsider.insert(
        "github_repositories", uuid.uuid4(), **REPOSITORY | {"Id": 4343}, LastSyncDate="2026-01-01 00:00:00"
    )
    assert list(Repository.objects.order_by("last_sync_date").values_list("github_id", flat=True)) == [
        4242,
        4343,
    ]
    names = [field.column for field in Repository._meta.concrete_fields]
    assert names.index("LastSyncDate") == names.index("UpdatedAt") + 1


# --- look-ups -----------------------------------------------------------------------------------------------
CURRENT_REPOSITORIES = (
    "SELECT r.* FROM github_repositories r WHERE r.LastAction != 'deleted' AND NOT EXISTS"
    " (SELECT 1 FROM github_repositories n WHERE n.Id = r.Id AND n.Sequence > r.Sequence)"
)
LOOK_UPS = {
    "NodeId": ("SELECT * FROM github_pull_requests WHERE NodeId=%s", ["PR_x"]),
    "number": (
        "SELECT * FROM github_pull_requests WHERE RepositoryOwner=%s AND RepositoryName=%s AND Number=%s",
        ["octo", "tools", 3],
    ),
    "HeadCommitId": ("SELECT * FROM github_pushes WHERE HeadCommitId=%s", ["a" * 40]),
    "notification": (
        "SELECT * FROM notifications WHERE PullRequestNodeId=%s AND Type=%s AND IsRead=FALSE",
        ["PR_x", "review"],
    ),
}


@pytest.mark.parametrize("query, parameters", LOOK_UPS.values(), ids=LOOK_UPS)
def test_look_ups_use_an_index(outsider: Outsider, query, parameters):
    for number in range(30):
        make_row(PullRequest, repository_owner=f"octo-{number}", repository_name="tools")
        make_row(Push)
        Notification.objects.create(pull_request_node_id=f"PR_{number}", notification_type="review")
    assert all(outsider.plan(query, parameters))


def test_current_repositories_are_found_by_their_id(outsider: Outsider):
    for number in range(30):
        make_row(Repository, github_id=number % 10)
    _, inner = outsider.plan(CURRENT_REPOSITORIES)
    assert "ix_repositories_current" in inner


@pytest.mark.parametrize("model", CLAIMED, ids=lambda model: model._meta.db_table)
def test_rows_without_a_state_are_counted_by_an_index_alone(outsider: Outsider, model):
    make_row(model)
    (used,) = outsider.plan(f"SELECT COUNT(*) FROM {model._meta.db_table} WHERE ProcessingState=''")
    assert "ix_" in used
