"""Plain statements write what the ORM writes, and leave the rest to the database."""

from __future__ import annotations

import uuid
from datetime import UTC, datetime
from typing import Any

import pytest
from django.db import DatabaseError, IntegrityError, transaction
from django.db.models import F

from core.functions import CurrentTimestamp
from core.statements import insert_row, update_row
from tests.clock import DrivenClock
from webhooks.models import PullRequest

OLD = datetime(2025, 1, 2, 3, 4, 5, tzinfo=UTC)
ODD = {
    "delivery_id": uuid.UUID(int=7),
    "node_id": "PR_🚀 %s %(x)s 'quoted' \\ ?",
    "title": "100 % é",
    "repository_owner": "octo",
    "repository_name": "tools",
    "github_id": 2**63 - 1,
    "merged": True,
    "github_updated_at": OLD,
    "sender_login": None,
    "state": "CLOSED",
}


def stored(pk: int) -> dict[str, Any]:
    return dict(PullRequest.objects.filter(pk=pk).values().get())


def without(row: dict[str, Any], *names: str) -> dict[str, Any]:
    return {name: value for name, value in row.items() if name not in names}


def test_an_inserted_row_is_the_one_that_the_orm_would_insert(clock: DrivenClock) -> None:
    by_orm = PullRequest.objects.create(**ODD)
    by_orm_row = stored(by_orm.pk)
    by_orm.delete()
    pk = insert_row(PullRequest, ODD)
    assert without(stored(pk), "sequence") == without(by_orm_row, "sequence")
    assert stored(pk)["updated_at"] == clock.now


def test_an_updated_row_is_the_one_that_the_orm_would_leave(clock: DrivenClock) -> None:
    pk = insert_row(PullRequest, ODD | {"updated_at": OLD})
    changes = ODD | {
        "title": "%s",
        "merged": False,
        "date": CurrentTimestamp(),
        "updated_at": F("updated_at"),
    }
    clock.shift(days=1)
    update_row(PullRequest, pk, changes)
    by_statement = stored(pk)
    PullRequest.objects.filter(pk=pk).update(**changes)
    assert stored(pk) == by_statement
    assert (by_statement["title"], by_statement["updated_at"], by_statement["date"]) == ("%s", OLD, clock.now)


def test_an_instant_may_be_the_databases_present(clock: DrivenClock) -> None:
    pk = insert_row(PullRequest, ODD | {"processed_date": CurrentTimestamp(), "updated_at": OLD})
    assert stored(pk)["processed_date"] == clock.now
    update_row(PullRequest, pk, {"updated_at": CurrentTimestamp()})
    assert stored(pk)["updated_at"] == clock.now


def test_only_the_row_named_is_updated(clock: DrivenClock) -> None:
    first, second = (insert_row(PullRequest, ODD | {"node_id": str(number)}) for number in range(2))
    update_row(PullRequest, first, {"title": "changed", "updated_at": F("updated_at")})
    assert stored(second)["title"] == ODD["title"]


def test_an_update_must_say_what_happens_to_updated_at(db: None) -> None:
    with pytest.raises(TypeError, match="must name updated_at"):
        update_row(PullRequest, 1, {"title": "x"})


def test_the_databases_refusals_are_djangos_errors(db: None) -> None:
    insert_row(PullRequest, ODD)
    with pytest.raises(IntegrityError), transaction.atomic():
        insert_row(PullRequest, ODD)
    with pytest.raises(DatabaseError), transaction.atomic():
        insert_row(PullRequest, ODD | {"node_id": "other", "state": "AJAR"})
