"""What the tables do by themselves: cascades, ON UPDATE, one instant for every session, refusals."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from django.db import DatabaseError, IntegrityError

from core import clock
from tests.contract.outsider import Outsider
from tests.contract.rows import make_row
from webhooks.contract.states import rows_without_state
from webhooks.models import CLAIMED, Issue, Notification, PendingAction, PullRequest

LONG_AGO = datetime(2025, 6, 1, 12, 0, tzinfo=UTC)


def is_now(instant: datetime) -> bool:
    return abs(instant - clock.now()) < timedelta(seconds=30)


def test_pending_actions_go_with_their_notification(outsider: Outsider):
    gone, kept = (
        Notification.objects.create(pull_request_node_id=f"PR_{n}", notification_type="ci") for n in range(2)
    )
    for notification in (gone, gone, kept):
        PendingAction.objects.create(notification=notification)
    if not outsider.is_mariadb:
        outsider.run("PRAGMA foreign_keys = ON")
    statement = "DELETE FROM notifications WHERE PullRequestNodeId=%s AND Type=%s AND IsRead=FALSE"
    assert outsider.run(statement, ["PR_0", "ci"]) == 1
    assert [action.notification_id for action in PendingAction.objects.all()] == [kept.pk]


def test_a_pending_action_needs_a_notification(transactional_db):
    with pytest.raises(IntegrityError):
        PendingAction.objects.create(notification_id=4711)


@pytest.mark.mariadb
@pytest.mark.usefixtures("mariadb")
@pytest.mark.parametrize("model", CLAIMED, ids=lambda model: model._meta.db_table)
def test_outside_writers_move_updated_at_by_changing_something(outsider: Outsider, model):
    row = make_row(model, updated_at=LONG_AGO)
    statement = f"UPDATE {model._meta.db_table} SET HookId=%s WHERE Sequence=%s"
    assert outsider.run(statement, [0, row.pk]) == 0  # the same value: nothing changes, nothing moves
    row.refresh_from_db()
    assert row.updated_at == LONG_AGO
    assert outsider.run(statement, [99, row.pk]) == 1
    row.refresh_from_db()
    assert is_now(row.updated_at)


@pytest.mark.mariadb
@pytest.mark.usefixtures("mariadb")
def test_f07_an_instant_is_the_same_in_every_session(outsider: Outsider, another_outsider: Outsider):
    row = make_row(PullRequest, updated_at=LONG_AGO)
    (zone,) = outsider.rows("SELECT @@session.time_zone AS zone")
    local = LONG_AGO.replace(tzinfo=None) + timedelta(hours=int(zone["zone"][:3]))
    query = "SELECT UpdatedAt, UNIX_TIMESTAMP(UpdatedAt) AS epoch FROM github_pull_requests"
    (seen,), (elsewhere,) = outsider.rows(query), another_outsider.rows(query)
    assert seen == {"UpdatedAt": local, "epoch": LONG_AGO.timestamp()}
    assert elsewhere["UpdatedAt"] == LONG_AGO.replace(tzinfo=None) + timedelta(hours=1)
    outsider.run("UPDATE github_pull_requests SET ProcessedDate=%s", [local])
    row.refresh_from_db()
    assert row.processed_date == LONG_AGO


@pytest.mark.mariadb
@pytest.mark.usefixtures("mariadb")
def test_a_writer_that_is_not_strict_leaves_rows_that_are_found(outsider: Outsider):
    row = make_row(Issue)
    with pytest.raises(DatabaseError):
        Issue.objects.filter(pk=row.pk).update(processing_state="IDLE", updated_at=clock.now())
    assert rows_without_state() == {}
    outsider.run("SET sql_mode=''")
    outsider.run("UPDATE github_issues SET ProcessingState='IDLE' WHERE Sequence=%s", [row.pk])
    assert rows_without_state() == {"github_issues": 1}
