"""What the dashboards keep for themselves: samples of the backlog for its trend, and acts on many rows at once."""

from __future__ import annotations

from django.db import models

from core.fields import EnumField, ExactCharField, SequenceField, ShortTextField, TimestampField
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


class BulkJob(models.Model):
    """One act on all rows that fit a filter, done a few rows a minute.

    `bound` is the highest Sequence that fitted when the person started it, `cursor` the last one that was looked at:
    rows are taken in order of Sequence between the two, so that each is looked at once, whatever is killed meanwhile.
    """

    class State(models.TextChoices):
        RUNNING = "running"
        FINISHED = "finished"
        CANCELLED = "cancelled"

    sequence = SequenceField(primary_key=True, db_column="Sequence")
    kind = ExactCharField(max_length=32, db_column="Kind")
    criteria = models.JSONField(default=dict, db_column="Criteria")
    actor = models.CharField(max_length=150, db_column="Actor")
    state = EnumField(choices=State.choices, db_default=State.RUNNING.value, db_column="State")
    started_at = TimestampField(db_default=CurrentTimestamp(), db_column="StartedAt")
    finished_at = TimestampField(null=True, db_default=None, db_column="FinishedAt")
    bound = models.PositiveBigIntegerField(db_column="Bound")
    cursor = models.PositiveBigIntegerField(db_default=0, db_column="Cursor")
    total = models.PositiveBigIntegerField(db_column="Total")
    done = models.PositiveBigIntegerField(db_default=0, db_column="Done")
    failed = models.PositiveBigIntegerField(db_default=0, db_column="Failed")
    last_error = ShortTextField(blank=True, db_default="", db_column="LastError")

    class Meta:
        db_table = "bulk_jobs"
        ordering = ["-sequence"]
        indexes = [models.Index(fields=["state", "sequence"], name="ix_bulk_jobs_state")]

    def __str__(self) -> str:
        return f"{self.kind} {self.sequence}"
