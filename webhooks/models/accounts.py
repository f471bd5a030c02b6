"""Whom the product works for: repositories, installations, users."""

from __future__ import annotations

from django.db import models

from core.fields import ExactCharField, NameCharField, ShortTextField, TimestampField
from core.functions import CurrentTimestamp
from webhooks.models.base import (
    LOGIN_LENGTH,
    NAME_LENGTH,
    NODE_ID_LENGTH,
    OWNER_LENGTH,
    DeliveryColumns,
    InstallationColumn,
    ProcessingColumns,
    SenderColumns,
    TimeColumns,
    VersionColumns,
    claim_indexes,
)


class Repository(
    DeliveryColumns, InstallationColumn, SenderColumns, ProcessingColumns, VersionColumns, TimeColumns
):
    """Several rows a repository; the current one has the highest Sequence of its Id."""

    # After UpdatedAt. Written by the scheduled syncs only; NULL = never synced.
    last_sync_date = TimestampField(null=True, db_default=None, db_column="LastSyncDate")
    github_id = models.PositiveBigIntegerField(db_default=0, db_column="Id")
    node_id = ExactCharField(max_length=NODE_ID_LENGTH, db_default="", db_column="NodeId")
    name = NameCharField(max_length=NAME_LENGTH, db_default="", db_column="Name")
    full_name = NameCharField(max_length=OWNER_LENGTH + NAME_LENGTH + 1, db_default="", db_column="FullName")
    private = models.BooleanField(db_default=False, db_column="Private")
    owner_login = NameCharField(max_length=OWNER_LENGTH, db_default="", db_column="OwnerLogin")
    owner_id = models.PositiveBigIntegerField(db_default=0, db_column="OwnerId")
    owner_node_id = ExactCharField(max_length=NODE_ID_LENGTH, db_default="", db_column="OwnerNodeId")
    last_action = models.CharField(max_length=50, db_default="created", db_column="LastAction")
    last_action_date = TimestampField(null=True, db_default=None, db_column="LastActionDate")
    installation_action = models.CharField(max_length=50, db_default="", db_column="InstallationAction")
    installation_action_date = TimestampField(null=True, db_default=None, db_column="InstallationActionDate")
    archived = models.BooleanField(db_default=False, db_column="Archived")
    github_updated_at = TimestampField(null=True, db_default=None, db_column="GithubUpdatedAt")

    class Meta:
        db_table = "github_repositories"
        verbose_name_plural = "repositories"
        indexes = [
            *claim_indexes("repositories"),
            models.Index(fields=["github_id", "sequence"], name="ix_repositories_current"),
            models.Index(fields=["owner_login", "name"], name="ix_repositories_name"),
            models.Index(fields=["last_sync_date"], name="ix_repositories_sync"),
        ]

    def __str__(self) -> str:
        return self.full_name


class Installation(DeliveryColumns, SenderColumns, ProcessingColumns, VersionColumns, TimeColumns):
    """Several rows an installation; the current one has the highest Sequence of its InstallationId."""

    ACTIVE = "1"
    # Gone from GitHub, or suspended (then SuspendedDate says since when).
    INACTIVE = "0"

    last_sync_date = TimestampField(null=True, db_default=None, db_column="LastSyncDate")
    installation_id = models.PositiveBigIntegerField(db_column="InstallationId")
    account_id = models.PositiveBigIntegerField(db_default=0, db_column="AccountId")
    account_login = NameCharField(max_length=LOGIN_LENGTH, db_default="", db_column="AccountLogin")
    account_type = models.CharField(max_length=50, db_default="", db_column="AccountType")
    account_node_id = ExactCharField(max_length=NODE_ID_LENGTH, db_default="", db_column="AccountNodeId")
    repository_selection = models.CharField(max_length=50, db_default="", db_column="RepositorySelection")
    status = models.CharField(max_length=1, db_default=ACTIVE, db_column="Status")
    suspended_date = TimestampField(null=True, db_default=None, db_column="SuspendedDate")
    throttled_until = TimestampField(null=True, db_default=None, db_column="ThrottledUntil")

    class Meta:
        db_table = "github_installations"
        indexes = [
            *claim_indexes("installations"),
            models.Index(fields=["installation_id", "sequence"], name="ix_installations_current"),
        ]

    def __str__(self) -> str:
        return f"{self.account_login} ({self.installation_id})"


class User(DeliveryColumns, ProcessingColumns, VersionColumns, TimeColumns):
    """A member of a repository. Token belongs to the existing bot and is never written here."""

    user_id = models.PositiveBigIntegerField(unique=True, db_column="UserId")
    login = NameCharField(max_length=LOGIN_LENGTH, db_default="", db_column="Login")
    full_name = models.CharField(max_length=250, db_default="", db_column="FullName")
    email = models.CharField(max_length=250, db_default="", db_column="Email")
    token = ShortTextField(null=True, db_default=None, db_column="Token")

    class Meta:
        db_table = "github_users"
        indexes = claim_indexes("users")

    def __str__(self) -> str:
        return self.login


class UserInstallation(models.Model):
    """Which users saw which installations: the existing bot's table, kept for it."""

    pk = models.CompositePrimaryKey("user_id", "installation_id")
    user_id = models.PositiveBigIntegerField(db_column="UserId")
    installation_id = models.PositiveBigIntegerField(db_column="InstallationId")
    created_at = TimestampField(db_default=CurrentTimestamp(), db_column="CreatedAt")
    removed_at = TimestampField(null=True, db_default=None, db_column="RemovedAt")

    class Meta:
        db_table = "user_installations"

    def __str__(self) -> str:
        return f"{self.user_id} in {self.installation_id}"
