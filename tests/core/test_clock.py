from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from core import clock as database_clock
from core.functions import SecondsFromNow, ago
from core.models import Bell

pytestmark = pytest.mark.django_db


def test_the_databases_present_is_aware_and_whole_seconds(clock):
    present = database_clock.now()
    assert (present, present.tzinfo, present.microsecond) == (clock.now, UTC, 0)


def test_the_databases_real_clock_is_near_ours():
    assert abs(database_clock.now() - datetime.now(UTC)) < timedelta(seconds=5)


@pytest.mark.parametrize("seconds", [-86_400, -1, 0, 1, 300])
def test_instants_are_moved_by_the_database(clock, seconds):
    Bell.objects.create(name="x", rung_at=clock.now + timedelta(seconds=seconds))
    assert Bell.objects.filter(rung_at=SecondsFromNow(seconds)).exists()
    assert Bell.objects.filter(rung_at__lte=ago(-seconds)).exists()
    assert not Bell.objects.filter(rung_at__lte=ago(-seconds + 1)).exists()
