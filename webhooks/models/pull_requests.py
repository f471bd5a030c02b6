"""Pull requests, their history, and the looks that a finished check asks for."""

from __future__ import annotations

from django.db import models
from django.db.models import F, GeneratedField

from core.fields import (
    EnumField,
    ExactCharField,
    NameCharField,
    SequenceField,
    ShortTextField,
    TimestampField,
)
from core.functions import CurrentTimestamp, RepositoryKey
from webhooks.models.base import (
    LOGIN_LENGTH,
    NODE_ID_LENGTH,
    REF_LENGTH,
    SHA_LENGTH,
    DeliveryColumns,
    InstallationColumn,
    ProcessingColumns,
    RepositoryColumns,
    SenderColumns,
    TimeColumns,
    VersionColumns,
    claim_indexes,
    enum_choices,
)
from webhooks.values import STATES, HistoryKind, OpenState, ProcessingState


class PullRequest(
    DeliveryColumns,
    RepositoryColumns,
    InstallationColumn,
    SenderColumns,
    ProcessingColumns,
    VersionColumns,
    TimeColumns,
):
    """One row a pull request, whatever repository renames it lived through (NodeId)."""

    github_id = models.PositiveBigIntegerField(db_default=0, db_column="Id")
    number = models.PositiveBigIntegerField(db_default=0, db_column="Number")
    node_id = ExactCharField(max_length=NODE_ID_LENGTH, unique=True, db_column="NodeId")
    sender = NameCharField(max_length=LOGIN_LENGTH, db_default="", db_column="Sender")
    title = ShortTextField(db_default="", db_column="Title")
    ref = ExactCharField(max_length=REF_LENGTH, db_default="", db_column="Ref")
    state = EnumField(choices=enum_choices(OpenState), db_default=OpenState.OPEN.value, db_column="State")
    merged = models.BooleanField(db_default=False, db_column="Merged")
    auto_merge_enabled = models.BooleanField(db_default=False, db_column="AutoMergeEnabled")
    auto_merge_enabled_at = TimestampField(null=True, db_default=None, db_column="AutoMergeEnabledAt")
    idle_retry_count = models.PositiveIntegerField(db_default=0, db_column="IdleRetryCount")
    processing_state = EnumField(
        choices=enum_choices(STATES), db_default=ProcessingState.NEW.value, db_column="ProcessingState"
    )
    # This product's own; NULL in GithubUpdatedAt means that any Event is newer.
    head_sha = ExactCharField(max_length=SHA_LENGTH, db_default="", db_column="HeadSha")
    draft = models.BooleanField(db_default=False, db_column="Draft")
    github_updated_at = TimestampField(null=True, db_default=None, db_column="GithubUpdatedAt")
    closed_handled_date = TimestampField(null=True, db_default=None, db_column="ClosedHandledDate")
    mergeable_reads = models.PositiveIntegerField(db_default=0, db_column="MergeableReads")
    repository_key = GeneratedField(
        expression=RepositoryKey(F("repository_owner"), F("repository_name")),
        output_field=RepositoryKey("", "").output_field,
        db_persist=True,
        db_column="RepositoryKey",
    )

    class Meta:
        db_table = "github_pull_requests"
        verbose_name = "pull request"
        default_related_name = "pull_requests"
        indexes = [
            *claim_indexes("pull_requests"),
            models.Index(
                fields=["repository_owner", "repository_name", "number"], name="ix_pull_requests_number"
            ),
            models.Index(fields=["repository_id", "head_sha"], name="ix_pull_requests_head"),
            # The idle view reads nothing but this index until it has its order (docs/decisions/0008).
            models.Index(
                fields=["state", "processing_state", "idle_retry_count", "updated_at", "repository_key"],
                name="ix_pull_requests_idle",
            ),
            models.Index(fields=["repository_key", "updated_at"], name="ix_pull_requests_quiet"),
            models.Index(
                fields=["processing_state", "repository_key", "updated_at"], name="ix_pull_requests_fair"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.repository_owner}/{self.repository_name}#{self.number}"


class PullRequestHistory(models.Model):
    """What was done to a pull request, by which writer of ours and why; writes of others show as gaps."""

    sequence = SequenceField(primary_key=True, db_column="Sequence")
    pull_request_sequence = models.PositiveBigIntegerField(db_column="PullRequestSequence")
    at = TimestampField(db_default=CurrentTimestamp(), db_column="At")
    kind = EnumField(choices=enum_choices(HistoryKind), db_column="Kind")
    reason = ShortTextField(db_default="", db_column="Reason")
    actor = NameCharField(max_length=LOGIN_LENGTH, db_default="", db_column="Actor")
    from_state = models.CharField(max_length=20, db_default="", db_column="FromState")
    to_state = models.CharField(max_length=20, db_default="", db_column="ToState")
    delivery_guid = ExactCharField(max_length=36, null=True, db_default=None, db_column="DeliveryGuid")
    pass_run_id = models.PositiveBigIntegerField(null=True, db_default=None, db_column="PassRunId")
    claim_token = ExactCharField(max_length=36, null=True, db_default=None, db_column="ClaimToken")

    class Meta:
        db_table = "pull_request_history"
        verbose_name_plural = "pull request history"
        ordering = ["sequence"]
        indexes = [
            models.Index(fields=["pull_request_sequence", "sequence"], name="ix_history_pull_request"),
            models.Index(fields=["kind", "at"], name="ix_history_kind"),
        ]

    def __str__(self) -> str:
        return f"{self.pull_request_sequence} {self.kind}"


class PullRequestLook(models.Model):
    """A pull request to look at again without making it pending: one of its checks has finished."""

    sequence = SequenceField(primary_key=True, db_column="Sequence")
    pull_request_sequence = models.PositiveBigIntegerField(unique=True, db_column="PullRequestSequence")
    due_at = TimestampField(db_default=CurrentTimestamp(), db_column="DueAt")
    # Counted before the look begins, so that one which kills its worker is counted, too.
    attempts = models.PositiveIntegerField(db_default=0, db_column="Attempts")
    error = ShortTextField(null=True, db_default=None, db_column="Error")
    # When it was given up on: never due again, until somebody asks for another look.
    failed_date = TimestampField(null=True, db_default=None, db_column="FailedDate")

    class Meta:
        db_table = "pull_request_looks"
        indexes = [models.Index(fields=["failed_date", "due_at"], name="ix_looks_due_or_failed")]

    def __str__(self) -> str:
        return f"look at {self.pull_request_sequence}"
