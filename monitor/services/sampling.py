"""Remembering how large the backlog is, so that its trend can be seen."""

from __future__ import annotations

from core.functions import ago
from core.passes import Run
from idle import selectors as idle
from idle.values import IdleStatus
from monitor.models import BacklogSample
from monitor.selectors import processing
from monitor.setting_specs import SAMPLE_DAYS
from webhooks.values import ProcessingState

DAY = 86_400


def sample(run: Run) -> None:
    """Store one sample, and drop those that are too old."""
    totals, idle_counts = processing.totals(processing.matrix()), idle.counts()
    BacklogSample.objects.create(
        pending=totals.pending,
        processing=dict(totals.counts)[ProcessingState.PROCESSING],
        due=idle_counts[IdleStatus.DUE],
        waiting=idle_counts[IdleStatus.WAITING],
        gave_up=idle_counts[IdleStatus.GAVE_UP],
    )
    run.count("pending", totals.pending)
    run.count("dropped", drop_old(days=run.settings[SAMPLE_DAYS]))


def drop_old(*, days: int) -> int:
    """Delete samples older than so many days and return how many there were."""
    dropped, _ = BacklogSample.objects.filter(at__lt=ago(days * DAY)).delete()
    return dropped
