"""Work items as the API shows them, and what it takes in about them."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from core.api.paging import KeysetQuery
from core.api.serializers import StrictSerializer
from workqueue.models import IDENTITY_LENGTH, TYPE_LENGTH, AuditEntry, WorkItemDimension
from workqueue.values import Phase


class DimensionItem(serializers.ModelSerializer):
    """One variant of a dimension: "true" = action is needed, from `pending_until` on."""

    class Meta:
        model = WorkItemDimension
        fields = ["dimension", "variant", "status", "pending_until", "updated_at"]


class AuditItem(serializers.ModelSerializer):
    """One thing that happened to an item."""

    class Meta:
        model = AuditEntry
        fields = ["sequence", "at", "kind", "sentence", "actor"]


class NextStep(serializers.Serializer):
    """What comes next."""

    action = serializers.CharField(help_text="Empty while there is nothing to be done.")
    sentence = serializers.CharField()
    at = serializers.DateTimeField(allow_null=True, help_text="When, if it waits for an instant.")


class WorkItemItem(serializers.Serializer):
    """A work item in a list."""

    sequence = serializers.IntegerField(source="item.sequence")
    item_type = serializers.CharField(source="item.item_type")
    subject = serializers.CharField(source="item.subject")
    idempotency_key = serializers.CharField(source="item.idempotency_key")
    phase = serializers.ChoiceField([str(phase) for phase in Phase], source="item.phase")
    next = NextStep()
    dimensions = DimensionItem(many=True)
    attempts = serializers.IntegerField(source="item.attempts", help_text="Failures in a row.")
    error = serializers.CharField(source="item.error")
    leased = serializers.BooleanField(help_text="A worker holds it now.")
    leased_until = serializers.DateTimeField(source="item.leased_until", allow_null=True)
    caller_identity = serializers.CharField(source="item.caller_identity")
    created_at = serializers.DateTimeField(source="item.created_at")
    updated_at = serializers.DateTimeField(source="item.updated_at")
    ended_at = serializers.DateTimeField(source="item.ended_at", allow_null=True)


class WorkItemDetail(WorkItemItem):
    """A work item by itself."""

    details = serializers.DictField(help_text="What its type tells of it, by label.")
    events_waiting = serializers.IntegerField()
    audit = AuditItem(many=True, help_text="The newest entries, the newest first.")


class SubmittedItem(serializers.Serializer):
    """What became of a submission."""

    item = serializers.IntegerField(help_text="The Sequence of the work item.")
    word = serializers.CharField(help_text="created, updated, unchanged or retried, for example.")
    sentence = serializers.CharField()


class ItemQuery(KeysetQuery):
    """Which work items."""

    item_type = serializers.CharField(required=False, max_length=TYPE_LENGTH)
    phase = serializers.ChoiceField([str(phase) for phase in Phase], required=False)
    least_attempts = serializers.IntegerField(
        required=False, min_value=1, max_value=1_000_000, help_text="So many failures in a row, or more."
    )
    about = serializers.CharField(
        required=False, max_length=IDENTITY_LENGTH, help_text="Part of the subject or of the identity."
    )


class CancelInput(StrictSerializer):
    """Why an item is cancelled."""

    reason = serializers.CharField(required=False, allow_blank=True, max_length=500, default="")


def conditions_of(query: dict[str, Any]) -> dict[str, Any]:
    """Return the conditions among the query parameters."""
    return {name: value for name, value in query.items() if name not in {"cursor", "limit"}}
