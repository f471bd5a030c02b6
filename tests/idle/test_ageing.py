from __future__ import annotations

from datetime import timedelta
from typing import Any

from core import clock
from core.models import PassState, Setting
from tests.ageing import age
from tests.factories import PullRequestFactory
from webhooks.models import PullRequest, Rejection

HOUR = timedelta(hours=1)


def stored(row: PullRequest) -> dict[str, Any]:
    return dict(PullRequest.objects.filter(pk=row.pk).values().get())


def test_every_instant_moves_back_and_nothing_else(db):
    now = clock.now()
    row = PullRequestFactory(updated_at=now, processed_date=None, created_at=now - HOUR)
    PassState.objects.create(name="idle", last_started_at=now)
    setting = Setting.objects.create(name="x", value="y")
    before = stored(row)
    age(3600)
    after = stored(row)
    moved = {name for name in before if before[name] != after[name]}
    assert moved == {"date", "created_at", "updated_at"}
    assert all(before[name] - after[name] == HOUR for name in moved)
    assert PassState.objects.get().last_started_at == now - HOUR
    assert Setting.objects.get().updated_at == setting.updated_at - HOUR


def test_instants_in_a_unique_key_may_follow_each_other_by_the_step(db):
    now = clock.now()
    for past in (3, 1, 2, 0):
        Rejection.objects.create(hour=now - past * HOUR, reason="no signature")
    age(3600)
    hours = Rejection.objects.order_by("hour").values_list("hour", flat=True)
    assert list(hours) == [now - number * HOUR for number in (4, 3, 2, 1)]
