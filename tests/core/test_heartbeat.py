from __future__ import annotations

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
