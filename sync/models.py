"""What the syncs remember: deliveries asked for again, and what GitHub said of rate limits."""

from __future__ import annotations

from django.db import models

from core.fields import ExactCharField, SequenceField, TimestampField
from core.functions import CurrentTimestamp


class Redelivery(models.Model):
    """A Delivery that GitHub was asked to send again, and when it may be asked next."""

    sequence = SequenceField(primary_key=True, db_column="Sequence")
    guid = ExactCharField(max_length=36, unique=True, db_column="Guid")
    attempts = models.PositiveIntegerField(db_default=0, db_column="Attempts")
    next_at = TimestampField(db_default=CurrentTimestamp(), db_column="NextAt")

    class Meta:
        db_table = "webhook_redeliveries"
        verbose_name_plural = "redeliveries"
        indexes = [models.Index(fields=["next_at"], name="ix_redeliveries_next")]

    def __str__(self) -> str:
        return f"{self.guid} x {self.attempts}"


class InstallationQuota(models.Model):
    """What GitHub last said of an installation's rate limit: requests an hour, requests left, when it starts anew."""

    installation_id = models.PositiveBigIntegerField(primary_key=True, db_column="InstallationId")
    limit = models.PositiveIntegerField(db_column="RateLimit")
    remaining = models.PositiveIntegerField(db_column="Remaining")
    resets_at = TimestampField(db_default=CurrentTimestamp(), db_column="ResetsAt")
    seen_at = TimestampField(db_default=CurrentTimestamp(), db_column="SeenAt")

    class Meta:
        db_table = "installation_quotas"

    def __str__(self) -> str:
        return f"{self.remaining} of {self.limit} for {self.installation_id}"
