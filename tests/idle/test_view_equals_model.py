from __future__ import annotations

from datetime import datetime

import pytest
from django.db import models, transaction
from hypothesis import HealthCheck, given, settings
from pytest_django.asserts import assertNumQueries

from idle import selectors
from idle.models import IdlePullRequest
from idle.selectors import counts, due_in_reach, in_order, next_due
from idle.values import Blocked, IdleStatus
from tests.idle import generated, stored
from webhooks.models import PullRequest

PASSED_THROUGH = [
    field.attname
    for field in IdlePullRequest._meta.concrete_fields
    if not field.primary_key and field.attname in {f.attname for f in PullRequest._meta.concrete_fields}
]
many = settings(
    deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)


def compare(database: tuple, now: datetime) -> None:
    with transaction.atomic():
        generated.store(database, now)
        expected = stored.expected(now)
        assert stored.seen() == expected
        assert {line.blocked for line in expected} <= {None, *Blocked}
        assert {status.value: number for status, number in counts().items()} == {
            status: [line.status for line in expected].count(status)
            for status in ("DUE", "WAITING", "GAVE_UP")
        }
        due = [line for line in expected if line.status == "DUE"]
        assert [row.pk for row in due_in_reach()] == [line.sequence for line in due if not line.blocked]
        assert [(row.pk, row.blocked is None) for row in selectors.due()] == [
            (line.sequence, not line.blocked) for line in due
        ]
        first = next_due()
        assert (first.pk if first else None) == next(
            (line.sequence for line in due if not line.blocked), None
        )
        compare_passed_through_columns()
        transaction.set_rollback(True)


def compare_passed_through_columns() -> None:
    stored_rows = PullRequest.objects.in_bulk()
    for row in in_order():
        assert {n: getattr(row, n) for n in PASSED_THROUGH} == {
            n: getattr(stored_rows[row.pk], n) for n in PASSED_THROUGH
        }


@given(database=generated.databases)
@settings(many, max_examples=25, derandomize=True)
def test_the_view_equals_the_model(database: tuple, now: datetime):
    compare(database, now)


@pytest.mark.prove
@given(database=generated.databases)
@settings(many, max_examples=200)
def test_the_view_equals_the_model_on_200_databases(database: tuple, now: datetime):
    compare(database, now)


def test_all_the_worker_and_a_page_need_is_in_the_view():
    wanted = {
        "title",
        "number",
        "ref",
        "draft",
        "processing_error",
        "updated_at",
        "installation_id",
        "node_id",
    }
    assert wanted <= set(PASSED_THROUGH)


def test_a_list_with_its_pull_requests_is_one_query(db: None):
    with assertNumQueries(1):
        assert [row.pull_request.title for row in in_order().select_related("pull_request")] == []


def test_reading_from_the_pull_requests_side(untouched):
    untouched(days=3)
    idle = PullRequest.objects.filter(idle__idle_status=IdleStatus.DUE).select_related("idle").get()
    assert idle.idle.repository_idle_rank == 1
    assert in_order().aggregate(oldest=models.Min("updated_at"))["oldest"] == idle.updated_at
