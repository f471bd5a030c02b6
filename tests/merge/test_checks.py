"""What must never happen is looked for in production as well (B2.13)."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from django.core.checks import run_checks

from merge import setting_specs
from merge.decisions import failed_too_soon
from merge.values import Backoff, BackoffScope, Failure
from tests.merge import rows
from workqueue.models import WorkItem

START = datetime(2026, 3, 4, 9, tzinfo=UTC)
SIX_HOURS = timedelta(hours=6)


def failure(hours: float, *, number: int = 1, head: str = "a") -> Failure:
    return Failure(4242, number, head, START + timedelta(hours=hours), f"octo/tools#{number}")


@pytest.mark.parametrize(
    "failures, scope, found",
    [
        ([failure(0), failure(6)], BackoffScope.PULL_REQUEST, []),
        ([failure(5.99), failure(0)], BackoffScope.PULL_REQUEST, [failure(5.99)]),
        ([failure(0), failure(1, head="b")], BackoffScope.PULL_REQUEST, [failure(1, head="b")]),
        ([failure(0), failure(1, head="b")], BackoffScope.HEAD_SHA, []),
        ([failure(0), failure(1), failure(2)], BackoffScope.HEAD_SHA, [failure(1)]),
        ([failure(0), failure(1, number=2)], BackoffScope.PULL_REQUEST, []),
    ],
)
def test_b2_13_two_failures_of_one_key_within_the_window_are_one_too_many(failures, scope, found):
    assert failed_too_soon(failures, Backoff(SIX_HOURS, scope)) == found


def found() -> list[str]:
    messages = run_checks(tags=["merge"], databases=["default"])
    return [message.msg for message in messages if message.id == "merge.W001"]


def test_b2_13_a_check_of_the_live_tables_names_them(clock):
    first, second = (rows.ended(7, "failed", error="no") for _ in range(2))
    when = {first.pk: clock.now - timedelta(hours=7), second.pk: clock.now}
    for pk, ended_at in when.items():
        WorkItem.objects.filter(pk=pk).update(ended_at=ended_at)
    assert found() == []
    WorkItem.objects.filter(pk=first.pk).update(ended_at=clock.now - timedelta(hours=5))
    assert found() == ["octo/tools#7 has merges that failed within 6:00:00 of each other."]
    assert setting_specs.BACKOFF_HOURS.default == 6
