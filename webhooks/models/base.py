"""The columns that every event table has, in the contract's order."""

from __future__ import annotations

from typing import Any, ClassVar

from django.db import models
from django.db.models import F, GeneratedField

from core.fields import (
    EnumField,
    ExactCharField,
    GuidField,
    NameCharField,
    SequenceField,
    ShortTextField,
    TimestampField,
)
from core.functions import CurrentTimestamp, DashedHex
from webhooks.values import STATES_WITHOUT_IDLE, ProcessingState

OWNER_LENGTH = NAME_LENGTH = LOGIN_LENGTH = NODE_ID_LENGTH = 250
REF_LENGTH = 500
SHA_LENGTH = 64
VERSION_LENGTH = 100


def enum_choices(values: Any) -> list[tuple[str, str]]:
    """Return Django choices for plain enum values, whose words are already fit for people."""
    return [(str(value.value), str(value.value)) for value in values]


class EventQuerySet(models.QuerySet[Any]):
    """A queryset whose updates must say what happens to UpdatedAt.

    MariaDB's ON UPDATE moves the column by itself, SQLite has no such thing, and half the rules of the product depend
    on that instant. So nobody may leave it to chance: CurrentTimestamp() moves it, F("updated_at") keeps it.
    """

    def update(self, **columns: Any) -> int:
        if "updated_at" not in columns:
            raise TypeError(
                "An update of an event table must name updated_at: CurrentTimestamp() or F('updated_at')."
            )
        return super().update(**columns)


class DeliveryColumns(models.Model):
    """From which Delivery a row comes. A row not born of an Event has a random GUID and HookId 0."""

    sequence = SequenceField(primary_key=True, db_column="Sequence")
    date = TimestampField(db_default=CurrentTimestamp(), db_column="Date")
    delivery_id = GuidField(db_column="DeliveryId")
    delivery_id_text = GeneratedField(
        expression=DashedHex(F("delivery_id")),
        output_field=ExactCharField(max_length=36),
        db_persist=True,
        db_column="DeliveryIdText",
    )
    hook_id = models.PositiveBigIntegerField(db_default=0, db_column="HookId")
    target_id = models.PositiveBigIntegerField(db_default=0, db_column="TargetId")
    target_type = models.CharField(max_length=50, db_default="", db_column="TargetType")

    # Any: the type checker would take the rows of every table for rows of this abstract one.
    objects: ClassVar[Any] = EventQuerySet.as_manager()

    class Meta:
        abstract = True


class InstallationColumn(models.Model):
    """The installation that an Event came through; a plain repository webhook has none."""

    installation_id = models.PositiveBigIntegerField(null=True, db_default=None, db_column="InstallationId")

    class Meta:
        abstract = True


class SenderColumns(models.Model):
    """Who caused the newest Event."""

    sender_login = NameCharField(max_length=LOGIN_LENGTH, null=True, db_default=None, db_column="SenderLogin")
    sender_id = models.PositiveBigIntegerField(null=True, db_default=None, db_column="SenderId")
    sender_node_id = ExactCharField(
        max_length=NODE_ID_LENGTH, null=True, db_default=None, db_column="SenderNodeId"
    )

    class Meta:
        abstract = True


class RepositoryColumns(models.Model):
    """The repository, by its present name, and by the id that survives renames (NULL from external writers)."""

    repository_owner = NameCharField(max_length=OWNER_LENGTH, db_default="", db_column="RepositoryOwner")
    repository_name = NameCharField(max_length=NAME_LENGTH, db_default="", db_column="RepositoryName")
    repository_id = models.PositiveBigIntegerField(null=True, db_default=None, db_column="RepositoryId")

    class Meta:
        abstract = True


class ProcessingColumns(models.Model):
    """The row's way through the bot, and this product's bookkeeping beside it (external SQL never names that)."""

    processing_state = EnumField(
        choices=enum_choices(STATES_WITHOUT_IDLE),
        db_default=ProcessingState.NEW.value,
        db_column="ProcessingState",
    )
    processing_date = TimestampField(null=True, db_default=None, db_column="ProcessingDate")
    processed_date = TimestampField(null=True, db_default=None, db_column="ProcessedDate")
    processing_attempts = models.PositiveIntegerField(db_default=0, db_column="ProcessingAttempts")
    processing_error = ShortTextField(null=True, db_default=None, db_column="ProcessingError")
    # When it was given up on; over once ProcessedDate is another instant (webhooks.selectors.FAILED).
    # No default named: SQLite would remake the table for one, and cannot while views name it.
    failed_date = TimestampField(null=True, db_column="FailedDate")
    not_before = TimestampField(null=True, db_default=None, db_column="NotBefore")
    claim_token = ExactCharField(max_length=36, null=True, db_default=None, db_column="ClaimToken")
    claimed_from = models.CharField(max_length=20, null=True, db_default=None, db_column="ClaimedFrom")

    class Meta:
        abstract = True


class VersionColumns(models.Model):
    """Which component of which version wrote the row last."""

    webhooks_receiver_version = models.CharField(
        max_length=VERSION_LENGTH, null=True, db_default=None, db_column="WebhooksReceiverVersion"
    )
    webhooks_handler_version = models.CharField(
        max_length=VERSION_LENGTH, null=True, db_default=None, db_column="WebhooksHandlerVersion"
    )
    gstraccini_bot_version = models.CharField(
        max_length=VERSION_LENGTH, null=True, db_default=None, db_column="GstracciniBotVersion"
    )

    class Meta:
        abstract = True


class TimeColumns(models.Model):
    """When the row was written first and last. UpdatedAt is an input of the rules: see EventQuerySet."""

    created_at = TimestampField(db_default=CurrentTimestamp(), db_column="CreatedAt")
    updated_at = TimestampField(db_default=CurrentTimestamp(), on_update=True, db_column="UpdatedAt")

    class Meta:
        abstract = True


def claim_indexes(table: str) -> list[models.Index]:
    """Return the indexes that claims, counts and the list of failed rows use.

    A lone UpdatedAt index would mislead MariaDB's planner.
    """
    return [
        models.Index(fields=["processing_state", "updated_at"], name=f"ix_{table}_state"),
        models.Index(fields=["processing_state", "processing_date"], name=f"ix_{table}_claim"),
        # Changes when a row fails or recovers and at no other write.
        models.Index(fields=["failed_date"], name=f"ix_{table}_failed"),
    ]


def repository_indexes(table: str) -> list[models.Index]:
    """Return the two indexes by which renames and look-ups find a repository's rows."""
    return [
        models.Index(fields=["repository_owner", "repository_name"], name=f"ix_{table}_repo"),
        models.Index(fields=["repository_id"], name=f"ix_{table}_repo_id"),
    ]
