"""Signs of life, written to the database so that any process can judge them."""

from __future__ import annotations

from core.functions import CurrentTimestamp, ago
from core.models import Heartbeat

WORKER = "worker"
SILENT_AFTER = 180
FRESH = 5


def beat(name: str) -> None:
    """Record a sign of life now, unless one is FRESH: workers in a hurry would wait here for each other's commits.

    Plain statements: looking, locking and then inserting, several workers at once ran into deadlocks.
    """
    if Heartbeat.objects.filter(name=name, beat_at__gt=ago(FRESH)).exists():
        return
    if not Heartbeat.objects.filter(name=name).update(beat_at=CurrentTimestamp()):
        Heartbeat.objects.bulk_create([Heartbeat(name=name)], ignore_conflicts=True)


def is_alive(name: str) -> bool:
    """Tell whether the part has beaten within SILENT_AFTER seconds, by the database's clock."""
    return Heartbeat.objects.filter(name=name, beat_at__gte=ago(SILENT_AFTER)).exists()
