"""The idle view as a model (idle/migrations/sql/). Nothing is stored: columns are derived as one reads."""

from __future__ import annotations

from django.db import models

from core.fields import (
    ExactCharField,
    NameCharField,
    RepositoryKeyField,
    ShortTextField,
    TimestampField,
)
from webhooks.models import PullRequest
from webhooks.models.base import (
    LOGIN_LENGTH,
    NAME_LENGTH,
    NODE_ID_LENGTH,
    OWNER_LENGTH,
    REF_LENGTH,
    SHA_LENGTH,
)

ORDER = (
    "idle_status_order",
    "idle_retry_count",
    "repository_idle_rank",
    "repository_last_pull_request_update",
    "updated_at",
    "pk",
)


class IdlePullRequest(models.Model):
    """A pull request that is open, PROCESSED and untouched for a day, and its place in the line."""

    # DO_NOTHING: deleting a pull request must not try to delete from a view.
    pull_request = models.OneToOneField(
        PullRequest,
        models.DO_NOTHING,
        primary_key=True,
        db_column="Sequence",
        db_constraint=False,
        related_name="idle",
    )
    repository_owner = NameCharField(max_length=OWNER_LENGTH, db_column="RepositoryOwner")
    repository_name = NameCharField(max_length=NAME_LENGTH, db_column="RepositoryName")
    repository_id = models.PositiveBigIntegerField(null=True, db_column="RepositoryId")
    installation_id = models.PositiveBigIntegerField(null=True, db_column="InstallationId")
    github_id = models.PositiveBigIntegerField(db_column="Id")
    number = models.PositiveBigIntegerField(db_column="Number")
    node_id = ExactCharField(max_length=NODE_ID_LENGTH, db_column="NodeId")
    title = ShortTextField(db_column="Title")
    sender = NameCharField(max_length=LOGIN_LENGTH, db_column="Sender")
    sender_login = NameCharField(max_length=LOGIN_LENGTH, null=True, db_column="SenderLogin")
    ref = ExactCharField(max_length=REF_LENGTH, db_column="Ref")
    head_sha = ExactCharField(max_length=SHA_LENGTH, db_column="HeadSha")
    draft = models.BooleanField(db_column="Draft")
    auto_merge_enabled = models.BooleanField(db_column="AutoMergeEnabled")
    auto_merge_enabled_at = TimestampField(null=True, db_column="AutoMergeEnabledAt")
    idle_retry_count = models.PositiveIntegerField(db_column="IdleRetryCount")
    processed_date = TimestampField(null=True, db_column="ProcessedDate")
    processing_attempts = models.PositiveIntegerField(db_column="ProcessingAttempts")
    processing_error = ShortTextField(null=True, db_column="ProcessingError")
    created_at = TimestampField(db_column="CreatedAt")
    updated_at = TimestampField(db_column="UpdatedAt")

    # A word of idle.values.IdleStatus; sort by idle_status_order, because the words sort alphabetically.
    idle_status = models.CharField(max_length=10, db_column="IdleStatus")
    idle_status_order = models.PositiveSmallIntegerField(db_column="IdleStatusOrder")
    # The position among all idle pull requests of its repository, from 1.
    repository_idle_rank = models.PositiveBigIntegerField(db_column="RepositoryIdleRank")
    # The newest UpdatedAt of all pull requests of the repository, closed and pending ones too.
    repository_last_pull_request_update = TimestampField(db_column="RepositoryLastPullRequestUpdate")
    # None when no row of the repository is known.
    repository_private = models.BooleanField(null=True, db_column="RepositoryPrivate")
    # When it becomes (or became) DUE; None when given up.
    next_retry_at = TimestampField(null=True, db_column="NextRetryAt")
    # After how many Idle Retries the product gives up.
    idle_retry_limit = models.PositiveIntegerField(db_column="IdleRetryLimit")
    # Why the repository is known to be out of reach (idle.values.Blocked); None otherwise.
    blocked = models.CharField(max_length=30, null=True, db_column="Blocked")
    # One repository is found by this and not by its names: only then the others are not ranked, too.
    repository_key = RepositoryKeyField(db_column="RepositoryKey")

    class Meta:
        db_table = "github_pull_requests_idle_view"
        managed = False
        default_permissions = ("view",)
        verbose_name = "idle pull request"
        ordering = ORDER

    def __str__(self) -> str:
        return f"{self.repository_owner}/{self.repository_name}#{self.number}"


class IdleState(models.Model):
    """What the backoff says of each Idle Pull Request, and no more: counts read this, off one index."""

    pull_request = models.OneToOneField(
        PullRequest,
        models.DO_NOTHING,
        primary_key=True,
        db_column="Sequence",
        db_constraint=False,
        related_name="+",
    )
    repository_key = RepositoryKeyField(db_column="RepositoryKey")
    idle_retry_count = models.PositiveIntegerField(db_column="IdleRetryCount")
    updated_at = TimestampField(db_column="UpdatedAt")
    idle_retry_limit = models.PositiveIntegerField(db_column="IdleRetryLimit")
    # How long after its UpdatedAt it becomes DUE; None when given up.
    idle_wait_days = models.PositiveIntegerField(null=True, db_column="IdleWaitDays")
    idle_status_order = models.PositiveSmallIntegerField(db_column="IdleStatusOrder")

    class Meta:
        db_table = "github_pull_requests_idle_status_view"
        managed = False
        default_permissions = ()

    def __str__(self) -> str:
        return f"{self.pull_request_id}"
