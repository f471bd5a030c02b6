"""What the existing dashboard shows its users: notifications, what they should do, what happened."""

from __future__ import annotations

from typing import Any, ClassVar

from django.db import models

from core.fields import CascadingForeignKey, ExactCharField, SequenceField, ShortTextField, TimestampField
from core.functions import CurrentTimestamp
from webhooks.models.base import (
    NODE_ID_LENGTH,
    EventQuerySet,
    InstallationColumn,
    RepositoryColumns,
    TimeColumns,
    repository_indexes,
)


class NoticeColumns(RepositoryColumns, InstallationColumn):
    """Which pull request a notice is about."""

    sequence = SequenceField(primary_key=True, db_column="Sequence")
    title = ShortTextField(db_default="", db_column="Title")
    url = models.CharField(max_length=1000, db_default="", db_column="Url")
    pull_request_id = models.PositiveBigIntegerField(null=True, db_default=None, db_column="PullRequestId")
    pull_request_number = models.PositiveBigIntegerField(
        null=True, db_default=None, db_column="PullRequestNumber"
    )
    pull_request_node_id = ExactCharField(
        max_length=NODE_ID_LENGTH, null=True, db_default=None, db_column="PullRequestNodeId"
    )

    class Meta:
        abstract = True


class Notification(NoticeColumns, TimeColumns):
    """Something a person should know about a pull request."""

    notification_type = models.CharField(max_length=50, db_default="", db_column="Type")
    message = ShortTextField(db_default="", db_column="Message")
    is_read = models.BooleanField(db_default=False, db_column="IsRead")
    read_at = TimestampField(null=True, db_default=None, db_column="ReadAt")

    objects: ClassVar[Any] = EventQuerySet.as_manager()

    class Meta:
        db_table = "notifications"
        indexes = [
            models.Index(
                fields=["pull_request_node_id", "notification_type", "is_read"], name="ix_notifications_pull"
            ),
            *repository_indexes("notifications"),
        ]

    def __str__(self) -> str:
        return f"{self.notification_type} {self.title}"


class PendingAction(NoticeColumns, TimeColumns):
    """Something a person should do; goes with its notification."""

    notification = CascadingForeignKey(
        Notification,
        on_delete=models.CASCADE,
        db_column="NotificationSequence",
        related_name="pending_actions",
    )
    action_type = models.CharField(max_length=50, db_default="", db_column="ActionType")
    description = ShortTextField(db_default="", db_column="Description")
    is_read = models.BooleanField(db_default=False, db_column="IsRead")
    read_at = TimestampField(null=True, db_default=None, db_column="ReadAt")

    objects: ClassVar[Any] = EventQuerySet.as_manager()

    class Meta:
        db_table = "pending_actions"
        indexes = repository_indexes("pending_actions")

    def __str__(self) -> str:
        return f"{self.action_type} {self.title}"


class RecentActivity(NoticeColumns):
    """Something that was done."""

    action_type = models.CharField(max_length=50, db_default="", db_column="ActionType")
    issue_id = models.PositiveBigIntegerField(null=True, db_default=None, db_column="IssueId")
    issue_number = models.PositiveBigIntegerField(null=True, db_default=None, db_column="IssueNumber")
    issue_node_id = ExactCharField(
        max_length=NODE_ID_LENGTH, null=True, db_default=None, db_column="IssueNodeId"
    )
    created_at = TimestampField(db_default=CurrentTimestamp(), db_column="CreatedAt")

    class Meta:
        db_table = "recent_activities"
        indexes = [
            *repository_indexes("recent_activities"),
            models.Index(fields=["created_at"], name="ix_recent_activities_at"),
        ]

    def __str__(self) -> str:
        return f"{self.action_type} {self.title}"
