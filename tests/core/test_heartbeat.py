from __future__ import annotations

from datetime import timedelta

import pytest

from core import heartbeat
from core.models import Heartbeat

pytestmark = pytest.mark.django_db


def test_a_worker_is_alive_while_it_beats(clock):
    assert not heartbeat.is_alive("worker")
    heartbeat.beat("worker")
    clock.shift(seconds=heartbeat.SILENT_AFTER)
    assert heartbeat.is_alive("worker")
    clock.shift(seconds=1)
    assert not heartbeat.is_alive("worker")
    heartbeat.beat("worker")
    assert heartbeat.is_alive("worker")
    assert Heartbeat.objects.count() == 1


def test_a_worker_in_a_hurry_writes_its_sign_of_life_every_few_seconds_alone(
    clock, django_assert_num_queries
):
    heartbeat.beat("worker")
    clock.shift(seconds=heartbeat.FRESH - 1)
    with django_assert_num_queries(1):
        heartbeat.beat("worker")
    assert Heartbeat.objects.get().beat_at == clock.now - timedelta(seconds=heartbeat.FRESH - 1)
    clock.shift(seconds=1)
    heartbeat.beat("worker")
    assert Heartbeat.objects.get().beat_at == clock.now
