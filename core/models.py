"""Settings, the records of passes, bells and heartbeats, and the keys to the REST API."""

from __future__ import annotations

from django.conf import settings
from django.db import models

from core.fields import EnumField, ExactCharField, SequenceField, ShortTextField, TimestampField
from core.functions import CurrentTimestamp


class Setting(models.Model):
    """A named value. Other programs keep rows of their own here: unknown names are shown and never touched.

    A row without a value means the default of core.registry.
    """

    sequence = SequenceField(primary_key=True, db_column="Sequence")
    name = ExactCharField(max_length=190, unique=True, db_column="Name")
    value = ShortTextField(null=True, blank=True, db_default=None, db_column="Value")
    description = ShortTextField(blank=True, db_default="", db_column="Description")
    created_at = TimestampField(db_default=CurrentTimestamp(), db_column="CreatedAt", editable=False)
    updated_at = TimestampField(
        db_default=CurrentTimestamp(), on_update=True, db_column="UpdatedAt", editable=False
    )

    class Meta:
        db_table = "settings"
        ordering = ["name"]

    def __str__(self) -> str:
        return self.name


class PassState(models.Model):
    """One row a pass: who runs it now, and when it last started. The pace of every pass is decided on this row."""

    name = ExactCharField(max_length=64, primary_key=True, db_column="Name")
    lock_token = ExactCharField(max_length=36, null=True, db_default=None, db_column="LockToken")
    locked_until = TimestampField(null=True, db_default=None, db_column="LockedUntil")
    # From here the pace counts: the start, or the last write that must be an interval away from the next.
    last_started_at = TimestampField(null=True, db_default=None, db_column="LastStartedAt")

    class Meta:
        db_table = "pass_states"

    def __str__(self) -> str:
        return self.name


class PassRun(models.Model):
    """The record of one run of a pass."""

    class Outcome(models.TextChoices):
        RUNNING = "running"
        SUCCEEDED = "succeeded"
        OUT_OF_TIME = "out_of_time", "out of time"
        FAILED = "failed"
        # The process that ran it is gone; found by the next holder of the lock.
        LOST = "lost"

    sequence = SequenceField(primary_key=True, db_column="Sequence")
    name = ExactCharField(max_length=64, db_column="Name")
    started_at = TimestampField(db_default=CurrentTimestamp(), db_column="StartedAt")
    finished_at = TimestampField(null=True, db_default=None, db_column="FinishedAt")
    outcome = EnumField(choices=Outcome.choices, db_default=Outcome.RUNNING.value, db_column="Outcome")
    counters = models.JSONField(default=dict, db_column="Counters")
    error = ShortTextField(blank=True, db_default="", db_column="Error")
    forced = models.BooleanField(db_default=False, db_column="Forced")
    actor = models.CharField(max_length=150, blank=True, db_default="", db_column="Actor")

    class Meta:
        db_table = "pass_runs"
        ordering = ["-sequence"]
        indexes = [
            models.Index(fields=["name", "-sequence"], name="ix_pass_runs_name"),
            models.Index(fields=["started_at"], name="ix_pass_runs_started"),
        ]
        permissions = [("force_pass", "Can run a pass now")]

    def __str__(self) -> str:
        return f"{self.name} {self.sequence}"


class Bell(models.Model):
    """When a bell was last rung; cleared by the task that answers it."""

    name = ExactCharField(max_length=64, primary_key=True, db_column="Name")
    rung_at = TimestampField(null=True, db_default=None, db_column="RungAt")

    class Meta:
        db_table = "bells"

    def __str__(self) -> str:
        return self.name


class Heartbeat(models.Model):
    """The last sign of life of a part of the installation (today: the worker cluster)."""

    name = ExactCharField(max_length=64, primary_key=True, db_column="Name")
    beat_at = TimestampField(db_default=CurrentTimestamp(), db_column="BeatAt")

    class Meta:
        db_table = "heartbeats"

    def __str__(self) -> str:
        return self.name


class ApiAccess(models.Model):
    """No table: the four permissions of the REST API hang on it. The roles of the migration hold them."""

    class Meta:
        managed = False
        verbose_name_plural = "access rules"
        default_permissions = ()
        permissions = [
            ("read", "May read over the API"),
            ("process", "May claim and finalize rows"),
            ("operate", "May run passes, retry and approve"),
            ("admin", "May manage tokens and see access rules"),
        ]

    def __str__(self) -> str:
        return "access"


class ApiToken(models.Model):
    """A key to the REST API, with the rights of its user. Only a hash of the key is stored."""

    sequence = SequenceField(primary_key=True, db_column="Sequence")
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+", db_column="UserId"
    )
    name = models.CharField(max_length=100, db_column="Name")
    # The beginning of the key, by which its owner knows it again.
    prefix = ExactCharField(max_length=16, db_column="Prefix")
    digest = ExactCharField(max_length=64, unique=True, db_column="Digest")
    created_at = TimestampField(db_default=CurrentTimestamp(), db_column="CreatedAt", editable=False)
    # A row that names no end is over at once.
    expires_at = TimestampField(db_default=CurrentTimestamp(), db_column="ExpiresAt")
    revoked_at = TimestampField(null=True, db_default=None, db_column="RevokedAt")
    last_used_at = TimestampField(null=True, db_default=None, db_column="LastUsedAt")

    class Meta:
        db_table = "api_tokens"
        ordering = ["-sequence"]
        verbose_name = "API token"

    def __str__(self) -> str:
        return f"{self.name} ({self.prefix}…)"


class ApiRate(models.Model):
    """How many calls somebody made in a minute; one row a caller and kind, taken over by each new minute."""

    caller = ExactCharField(max_length=64, primary_key=True, db_column="Caller")
    minute = models.BigIntegerField(db_column="Minute")
    used = models.IntegerField(db_column="Used")

    class Meta:
        db_table = "api_rates"

    def __str__(self) -> str:
        return self.caller
