"""Workflow runs and releases: shown, never claimed."""

from __future__ import annotations

from django.db import models

from core.fields import ExactCharField, NameCharField, TimestampField
from webhooks.models.base import (
    LOGIN_LENGTH,
    REF_LENGTH,
    SHA_LENGTH,
    DeliveryColumns,
    InstallationColumn,
    RepositoryColumns,
    SenderColumns,
    TimeColumns,
    VersionColumns,
    repository_indexes,
)


class ShownRow(
    DeliveryColumns, RepositoryColumns, InstallationColumn, SenderColumns, VersionColumns, TimeColumns
):
    """The columns of a repository-scoped table without processing."""

    class Meta:
        abstract = True


class WorkflowRun(ShownRow):
    """One row a workflow run; the latest Event wins."""

    workflow_run_id = models.PositiveBigIntegerField(unique=True, db_column="WorkflowRunId")
    name = models.CharField(max_length=250, db_default="", db_column="Name")
    display_title = models.CharField(max_length=500, db_default="", db_column="DisplayTitle")
    run_number = models.PositiveBigIntegerField(db_default=0, db_column="RunNumber")
    run_attempt = models.PositiveBigIntegerField(db_default=1, db_column="RunAttempt")
    event = models.CharField(max_length=50, db_default="", db_column="Event")
    status = models.CharField(max_length=50, db_default="", db_column="Status")
    conclusion = models.CharField(max_length=50, null=True, db_default=None, db_column="Conclusion")
    actor_login = NameCharField(max_length=LOGIN_LENGTH, db_default="", db_column="ActorLogin")
    head_branch = ExactCharField(max_length=REF_LENGTH, db_default="", db_column="HeadBranch")
    head_sha = ExactCharField(max_length=SHA_LENGTH, db_default="", db_column="HeadSha")
    html_url = models.CharField(max_length=1000, db_default="", db_column="HtmlUrl")
    github_updated_at = TimestampField(null=True, db_default=None, db_column="GithubUpdatedAt")

    class Meta:
        db_table = "github_workflow_runs"
        indexes = [
            *repository_indexes("workflow_runs"),
            models.Index(fields=["updated_at"], name="ix_workflow_runs_updated"),
            models.Index(fields=["head_sha"], name="ix_workflow_runs_head"),
        ]

    def __str__(self) -> str:
        return f"{self.name} #{self.run_number}"


class Release(ShownRow):
    """One row a release."""

    release_id = models.PositiveBigIntegerField(unique=True, db_column="ReleaseId")
    release_name = models.CharField(max_length=500, db_default="", db_column="ReleaseName")
    tag_name = ExactCharField(max_length=REF_LENGTH, db_default="", db_column="TagName")
    html_url = models.CharField(max_length=1000, db_default="", db_column="HtmlUrl")
    release_created_at = TimestampField(null=True, db_default=None, db_column="ReleaseCreatedAt")

    class Meta:
        db_table = "github_releases"
        indexes = [
            *repository_indexes("releases"),
            models.Index(fields=["release_created_at"], name="ix_releases_created"),
        ]

    def __str__(self) -> str:
        return self.tag_name
