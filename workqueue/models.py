"""Work items, their dimensions, the events that wait for them, and their audit."""

from __future__ import annotations

from typing import Any

from django.db import models
from django.db.models import Case, F, GeneratedField, Q, Value, When
from django.db.models.functions import Concat

from core.fields import EnumField, ExactCharField, SequenceField, ShortTextField, TimestampField
from core.functions import CurrentTimestamp
from workqueue.values import AuditKind, Phase

TYPE_LENGTH = 32
IDENTITY_LENGTH = 600
NAME_LENGTH = 64
CALLER_LENGTH = 250


# Holds the lease of an item whose turn itself failed: it rests, also when it has unread events.
NOBODY = "nobody"


def _choices(values: Any) -> list[tuple[str, str]]:
    return [(str(value.value), str(value.value)) for value in values]


class WorkItem(models.Model):
    """What every item has; each type adds a detail table by joined inheritance (docs: "add an item type").

    `actionable` and `due_at` say that somebody should look, never what is to be done: that is the decider's. They are
    true from whatever makes work until the decider, asked under this row's lock, finds nothing more.
    """

    sequence = SequenceField(primary_key=True, db_column="Sequence")
    item_type = ExactCharField(max_length=TYPE_LENGTH, db_column="ItemType")
    # What the item is about, in its type's words (repository id and branch, for example), and how often it began anew.
    identity = ExactCharField(max_length=IDENTITY_LENGTH, db_column="Identity")
    generation = models.PositiveIntegerField(db_default=1, db_column="Generation")
    # The same for people's eyes (owner/name and branch, for example): shown and searched, never compared.
    subject = models.CharField(max_length=IDENTITY_LENGTH, db_default="", db_column="Subject")
    phase = EnumField(choices=_choices(Phase), db_default=Phase.ACTIVE.value, db_column="Phase")
    actionable = models.BooleanField(db_default=True, db_column="Actionable")
    # From when on it may be claimed: now, or the end of the wait after a failure. The oldest goes first.
    due_at = TimestampField(db_default=CurrentTimestamp(), db_column="DueAt")
    attempts = models.PositiveIntegerField(db_default=0, db_column="Attempts")
    leased_until = TimestampField(null=True, db_default=None, db_column="LeasedUntil")
    lease_token = ExactCharField(max_length=36, null=True, db_default=None, db_column="LeaseToken")
    # Counts changes from outside the worker, so that one made during an action is not taken as handled by it.
    revision = models.PositiveIntegerField(db_default=0, db_column="Revision")
    # The instant (GitHub's clock) of the last event that set the phase.
    last_event_at = TimestampField(null=True, db_default=None, db_column="LastEventAt")
    caller_identity = models.CharField(max_length=CALLER_LENGTH, db_default="", db_column="CallerIdentity")
    # Whether a failed item makes room for the next generation (a matter of its type, kept for the unique key).
    failed_is_ended = models.BooleanField(db_default=False, db_column="FailedIsEnded")
    error = ShortTextField(db_default="", db_column="Error")
    created_at = TimestampField(db_default=CurrentTimestamp(), db_column="CreatedAt")
    updated_at = TimestampField(db_default=CurrentTimestamp(), db_column="UpdatedAt")
    ended_at = TimestampField(null=True, db_default=None, db_column="EndedAt")
    # NULL once the item has ended. Without the generation: whatever it is about has one live item at most.
    live_key = GeneratedField(
        expression=Case(
            When(
                Q(phase=Phase.ACTIVE.value) | Q(phase=Phase.FAILED.value, failed_is_ended=False),
                then=Concat(F("item_type"), Value(":"), F("identity")),
            ),
            default=None,
            output_field=ExactCharField(max_length=TYPE_LENGTH + 1 + IDENTITY_LENGTH),
        ),
        output_field=ExactCharField(max_length=TYPE_LENGTH + 1 + IDENTITY_LENGTH),
        db_persist=True,
        db_column="LiveKey",
    )

    class Meta:
        db_table = "work_items"
        constraints = [models.UniqueConstraint(fields=["live_key"], name="uq_work_items_live")]
        indexes = [
            models.Index(fields=["actionable", "due_at", "sequence"], name="ix_work_items_due"),
            models.Index(fields=["item_type", "identity", "sequence"], name="ix_work_items_identity"),
            models.Index(fields=["phase", "item_type", "sequence"], name="ix_work_items_phase"),
            models.Index(fields=["lease_token"], name="ix_work_items_lease"),
        ]

    def __str__(self) -> str:
        return self.idempotency_key

    @property
    def idempotency_key(self) -> str:
        """`<item_type>:<natural identity>:<generation>`, made by the server and never by a caller."""
        return f"{self.item_type}:{self.identity}:{self.generation}"


class WorkItemDimension(models.Model):
    """One variant of one dimension: whether action is needed ("true"), and from when on."""

    NEEDED, HANDLED = "true", "false"

    sequence = SequenceField(primary_key=True, db_column="Sequence")
    item = models.ForeignKey(
        WorkItem,
        on_delete=models.CASCADE,
        db_constraint=False,
        db_index=False,
        related_name="dimensions",
        db_column="WorkItemSequence",
    )
    dimension = ExactCharField(max_length=NAME_LENGTH, db_column="Dimension")
    variant = ExactCharField(max_length=200, db_default="", db_column="Variant")
    status = EnumField(choices=[(NEEDED, NEEDED), (HANDLED, HANDLED)], db_column="Status")
    pending_until = TimestampField(null=True, db_default=None, db_column="PendingUntil")
    updated_at = TimestampField(db_default=CurrentTimestamp(), db_column="UpdatedAt")

    class Meta:
        db_table = "work_item_dimensions"
        constraints = [
            models.UniqueConstraint(fields=["item", "dimension", "variant"], name="uq_work_item_dimensions")
        ]
        indexes = [models.Index(fields=["pending_until"], name="ix_dimensions_pending")]

    def __str__(self) -> str:
        return f"{self.dimension}[{self.variant}] = {self.status}"


class PendingEvent(models.Model):
    """An event that an active item has not read yet; deleted in the transaction that applies it.

    No foreign key in the database: its check would make the receiver wait for the item's row lock.
    """

    sequence = SequenceField(primary_key=True, db_column="Sequence")
    item = models.ForeignKey(
        WorkItem,
        on_delete=models.CASCADE,
        db_constraint=False,
        db_index=False,
        related_name="pending_events",
        db_column="WorkItemSequence",
    )
    event = models.CharField(max_length=50, db_column="Event")
    action = models.CharField(max_length=50, db_default="", db_column="Action")
    guid = ExactCharField(max_length=36, db_default="", db_column="Guid")
    # The raw bytes as GitHub sent them, zlib-compressed; NULL when too large to keep.
    body = models.BinaryField(null=True, db_default=None, db_column="Body")
    received_at = TimestampField(db_default=CurrentTimestamp(), db_column="ReceivedAt")

    class Meta:
        db_table = "pending_events"
        indexes = [models.Index(fields=["item", "sequence"], name="ix_pending_events_item")]

    def __str__(self) -> str:
        return f"{self.event} {self.action}".rstrip()


class AuditEntry(models.Model):
    """What happened to an item, in a sentence: what the page and the API show. The lasting record is the log."""

    sequence = SequenceField(primary_key=True, db_column="Sequence")
    item = models.ForeignKey(
        WorkItem,
        on_delete=models.CASCADE,
        db_constraint=False,
        db_index=False,
        related_name="audit",
        db_column="WorkItemSequence",
    )
    at = TimestampField(db_default=CurrentTimestamp(), db_column="At")
    kind = EnumField(choices=_choices(AuditKind), db_column="Kind")
    sentence = ShortTextField(db_default="", db_column="Sentence")
    actor = models.CharField(max_length=CALLER_LENGTH, db_default="", db_column="Actor")

    class Meta:
        db_table = "work_item_audit"
        verbose_name_plural = "audit entries"
        indexes = [
            models.Index(fields=["item", "sequence"], name="ix_work_item_audit_item"),
            models.Index(fields=["at"], name="ix_work_item_audit_at"),
        ]

    def __str__(self) -> str:
        return f"{self.kind}: {self.sentence}"
