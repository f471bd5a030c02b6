"""Deliveries: every signed webhook that came in and what became of it; and the ones turned away, counted."""

from __future__ import annotations

from django.db import models

from core.fields import (
    EnumField,
    ExactCharField,
    NameCharField,
    SequenceField,
    ShortTextField,
    TimestampField,
)
from core.functions import CurrentTimestamp
from webhooks.models.base import LOGIN_LENGTH, NAME_LENGTH, OWNER_LENGTH, enum_choices
from webhooks.values import DeliveryStatus


class Delivery(models.Model):
    """One Delivery of one hook: two hooks may share a GUID."""

    sequence = SequenceField(primary_key=True, db_column="Sequence")
    hook_id = models.PositiveBigIntegerField(db_default=0, db_column="HookId")
    guid = ExactCharField(max_length=36, db_column="Guid")
    event = models.CharField(max_length=50, db_default="", db_column="Event")
    action = models.CharField(max_length=50, db_default="", db_column="Action")
    target_type = models.CharField(max_length=50, db_default="", db_column="TargetType")
    target_id = models.PositiveBigIntegerField(db_default=0, db_column="TargetId")
    repository_owner = NameCharField(max_length=OWNER_LENGTH, db_default="", db_column="RepositoryOwner")
    repository_name = NameCharField(max_length=NAME_LENGTH, db_default="", db_column="RepositoryName")
    sender_login = NameCharField(max_length=LOGIN_LENGTH, db_default="", db_column="SenderLogin")
    status = EnumField(
        choices=enum_choices(DeliveryStatus), db_default=DeliveryStatus.RECEIVED.value, db_column="Status"
    )
    # What was done, or why nothing was: one sentence for the person who asks.
    note = ShortTextField(blank=True, db_default="", db_column="Note")
    error = ShortTextField(blank=True, db_default="", db_column="Error")
    # The raw bytes, zlib-compressed; NULL once cleaned up, or when too large to keep (Note says so).
    body = models.BinaryField(null=True, db_default=None, db_column="Body")
    duration_ms = models.PositiveIntegerField(db_default=0, db_column="DurationMs")
    received_at = TimestampField(db_default=CurrentTimestamp(), db_column="ReceivedAt")

    class Meta:
        db_table = "webhook_deliveries"
        verbose_name_plural = "deliveries"
        ordering = ["-sequence"]
        constraints = [models.UniqueConstraint(fields=["hook_id", "guid"], name="uq_deliveries_guid")]
        indexes = [
            models.Index(fields=["guid"], name="ix_deliveries_guid"),
            models.Index(fields=["received_at", "status"], name="ix_deliveries_received"),
            models.Index(fields=["status", "sequence"], name="ix_deliveries_status"),
            models.Index(fields=["event", "sequence"], name="ix_deliveries_event"),
            models.Index(
                fields=["repository_owner", "repository_name", "sequence"], name="ix_deliveries_repo"
            ),
            models.Index(fields=["sender_login", "sequence"], name="ix_deliveries_sender"),
        ]

    def __str__(self) -> str:
        return f"{self.event} {self.guid}"


class Rejection(models.Model):
    """Requests turned away at the door, one counter a reason, hook and hour: bounded, whatever is sent.

    HookId is 0 unless an accepted Delivery had that id: a stranger cannot make rows up.
    """

    sequence = SequenceField(primary_key=True, db_column="Sequence")
    hour = TimestampField(db_default=CurrentTimestamp(), db_column="Hour")
    reason = models.CharField(max_length=50, db_column="Reason")
    hook_id = models.PositiveBigIntegerField(db_default=0, db_column="HookId")
    hits = models.PositiveBigIntegerField(db_default=1, db_column="Hits")
    last_seen = TimestampField(db_default=CurrentTimestamp(), db_column="LastSeen")

    class Meta:
        db_table = "webhook_rejections"
        ordering = ["-hour", "reason"]
        constraints = [models.UniqueConstraint(fields=["hour", "reason", "hook_id"], name="uq_rejections")]

    def __str__(self) -> str:
        return f"{self.reason} x {self.hits}"
