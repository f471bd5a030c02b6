"""The idle view, in two layers: what the backoff says of a row, and the line that everybody stands in."""

import django.db.models.deletion
from django.db import migrations, models

import core.fields
from core.sqlfile import SqlFile


class Migration(migrations.Migration):
    initial = True
    dependencies = [("webhooks", "0002_views")]

    operations = [
        SqlFile("idle_status_view"),
        SqlFile("idle_view"),
        migrations.CreateModel(
            name="IdlePullRequest",
            fields=[
                (
                    "pull_request",
                    models.OneToOneField(
                        db_column="Sequence",
                        db_constraint=False,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        primary_key=True,
                        related_name="idle",
                        serialize=False,
                        to="webhooks.pullrequest",
                    ),
                ),
                ("repository_owner", core.fields.NameCharField(db_column="RepositoryOwner", max_length=250)),
                ("repository_name", core.fields.NameCharField(db_column="RepositoryName", max_length=250)),
                ("repository_id", models.PositiveBigIntegerField(db_column="RepositoryId", null=True)),
                ("installation_id", models.PositiveBigIntegerField(db_column="InstallationId", null=True)),
                ("github_id", models.PositiveBigIntegerField(db_column="Id")),
                ("number", models.PositiveBigIntegerField(db_column="Number")),
                ("node_id", core.fields.ExactCharField(db_column="NodeId", max_length=250)),
                ("title", core.fields.ShortTextField(db_column="Title")),
                ("sender", core.fields.NameCharField(db_column="Sender", max_length=250)),
                (
                    "sender_login",
                    core.fields.NameCharField(db_column="SenderLogin", max_length=250, null=True),
                ),
                ("ref", core.fields.ExactCharField(db_column="Ref", max_length=500)),
                ("head_sha", core.fields.ExactCharField(db_column="HeadSha", max_length=64)),
                ("draft", models.BooleanField(db_column="Draft")),
                ("auto_merge_enabled", models.BooleanField(db_column="AutoMergeEnabled")),
                (
                    "auto_merge_enabled_at",
                    core.fields.TimestampField(db_column="AutoMergeEnabledAt", null=True),
                ),
                ("idle_retry_count", models.PositiveIntegerField(db_column="IdleRetryCount")),
                ("processed_date", core.fields.TimestampField(db_column="ProcessedDate", null=True)),
                ("processing_attempts", models.PositiveIntegerField(db_column="ProcessingAttempts")),
                ("processing_error", core.fields.ShortTextField(db_column="ProcessingError", null=True)),
                ("created_at", core.fields.TimestampField(db_column="CreatedAt")),
                ("updated_at", core.fields.TimestampField(db_column="UpdatedAt")),
                ("idle_status", models.CharField(db_column="IdleStatus", max_length=10)),
                ("idle_status_order", models.PositiveSmallIntegerField(db_column="IdleStatusOrder")),
                ("repository_idle_rank", models.PositiveBigIntegerField(db_column="RepositoryIdleRank")),
                (
                    "repository_last_pull_request_update",
                    core.fields.TimestampField(db_column="RepositoryLastPullRequestUpdate"),
                ),
                ("repository_private", models.BooleanField(db_column="RepositoryPrivate", null=True)),
                ("next_retry_at", core.fields.TimestampField(db_column="NextRetryAt", null=True)),
                ("idle_retry_limit", models.PositiveIntegerField(db_column="IdleRetryLimit")),
                ("blocked", models.CharField(db_column="Blocked", max_length=30, null=True)),
            ],
            options={
                "verbose_name": "idle pull request",
                "db_table": "github_pull_requests_idle_view",
                "ordering": (
                    "idle_status_order",
                    "idle_retry_count",
                    "repository_idle_rank",
                    "repository_last_pull_request_update",
                    "updated_at",
                    "pk",
                ),
                "managed": False,
                "default_permissions": ("view",),
            },
        ),
        migrations.CreateModel(
            name="IdleState",
            fields=[
                (
                    "pull_request",
                    models.OneToOneField(
                        db_column="Sequence",
                        db_constraint=False,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        primary_key=True,
                        related_name="+",
                        serialize=False,
                        to="webhooks.pullrequest",
                    ),
                ),
                ("idle_retry_count", models.PositiveIntegerField(db_column="IdleRetryCount")),
                ("updated_at", core.fields.TimestampField(db_column="UpdatedAt")),
                ("idle_status_order", models.PositiveSmallIntegerField(db_column="IdleStatusOrder")),
            ],
            options={
                "db_table": "github_pull_requests_idle_status_view",
                "managed": False,
                "default_permissions": (),
            },
        ),
    ]
