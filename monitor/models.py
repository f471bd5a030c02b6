"""What the dashboards keep for themselves: samples of the backlog, for its trend."""

from __future__ import annotations

from django.db import models

from core.fields import SequenceField, TimestampField
from core.functions import CurrentTimestamp


class BacklogSample(models.Model):
    """How much there was to do at one instant, over all eight tables: rows remember nothing but their present."""

    sequence = SequenceField(primary_key=True, db_column="Sequence")
    at = TimestampField(db_default=CurrentTimestamp(), db_column="At")
    pending = models.PositiveBigIntegerField(db_default=0, db_column="Pending")
    processing = models.PositiveBigIntegerField(db_default=0, db_column="Processing")
    due = models.PositiveBigIntegerField(db_default=0, db_column="Due")
    waiting = models.PositiveBigIntegerField(db_default=0, db_column="Waiting")
    gave_up = models.PositiveBigIntegerField(db_default=0, db_column="GaveUp")

    class Meta:
        db_table = "backlog_samples"
        ordering = ["sequence"]
        indexes = [models.Index(fields=["at"], name="ix_backlog_samples_at")]

    def __str__(self) -> str:
        return f"{self.pending} pending at {self.at}"
