"""Pull requests as work items, what was submitted for them, and the commits that were made of it."""

from __future__ import annotations

from django.db import models

from core.fields import ExactCharField, NameCharField, SequenceField, ShortTextField, TimestampField
from core.functions import CurrentTimestamp
from workqueue.models import CALLER_LENGTH, WorkItem

BRANCH_LENGTH = 250
OWNER_LENGTH = 100
NAME_LENGTH = 100
SHA_LENGTH = 40
HASH_LENGTH = 64


class Submission(models.Model):
    """What one caller asked for: never changed, so that it says who had what written where."""

    sequence = SequenceField(primary_key=True, db_column="Sequence")
    repository_id = models.PositiveBigIntegerField(db_column="RepositoryId")
    head_branch = ExactCharField(max_length=BRANCH_LENGTH, db_column="HeadBranch")
    caller_identity = models.CharField(max_length=CALLER_LENGTH, db_default="", db_column="CallerIdentity")
    # created, updated, retried or next_generation: an unchanged one leaves no row.
    outcome = models.CharField(max_length=20, db_default="", db_column="Outcome")
    content_hash = ExactCharField(max_length=HASH_LENGTH, db_column="ContentHash")
    # The file actions with their content, and all the rest of the desired state.
    content = models.JSONField(db_column="Content")
    created_at = TimestampField(db_default=CurrentTimestamp(), db_column="CreatedAt")

    class Meta:
        db_table = "submissions"
        indexes = [
            models.Index(fields=["repository_id", "head_branch", "sequence"], name="ix_submissions_branch")
        ]

    def __str__(self) -> str:
        return f"{self.outcome} {self.head_branch}"


class PullRequestItem(WorkItem):
    """The detail of a work item of type `pull_request`; its identity is repository id and head branch."""

    item = models.OneToOneField(
        WorkItem,
        on_delete=models.CASCADE,
        parent_link=True,
        primary_key=True,
        related_name="+",
        db_column="WorkItemSequence",
    )
    repository_id = models.PositiveBigIntegerField(db_column="RepositoryId")
    installation_id = models.PositiveBigIntegerField(db_column="InstallationId")
    # The name at the time of the submission, for people; GitHub is asked by id.
    repository_owner = NameCharField(max_length=OWNER_LENGTH, db_default="", db_column="RepositoryOwner")
    repository_name = NameCharField(max_length=NAME_LENGTH, db_default="", db_column="RepositoryName")
    head_branch = ExactCharField(max_length=BRANCH_LENGTH, db_column="HeadBranch")
    base_branch = ExactCharField(max_length=BRANCH_LENGTH, db_default="", db_column="BaseBranch")
    title = ShortTextField(db_default="", db_column="Title")
    # The submission that counts: the newest.
    submission_id = models.PositiveBigIntegerField(db_column="SubmissionSequence")
    content_hash = ExactCharField(max_length=HASH_LENGTH, db_default="", db_column="ContentHash")
    number = models.PositiveBigIntegerField(null=True, db_default=None, db_column="Number")
    # A pull request that was closed, and that the retry of a cancelled item left behind.
    past_number = models.PositiveBigIntegerField(null=True, db_default=None, db_column="PastNumber")
    # The head that was submitted, or that the base was merged into since.
    head_sha = ExactCharField(max_length=SHA_LENGTH, db_default="", db_column="HeadSha")
    # The workflow run that was started again last, and how often runs of one head were.
    head_run_id = models.PositiveBigIntegerField(null=True, db_default=None, db_column="HeadRunId")
    ci_retries = models.PositiveIntegerField(db_default=0, db_column="CiRetries")
    ci_retries_sha = ExactCharField(max_length=SHA_LENGTH, db_default="", db_column="CiRetriesSha")
    # Its closing is ours: nothing was left to be changed.
    emptied = models.BooleanField(db_default=False, db_column="Emptied")
    # How often in a row GitHub did not say whether it can be merged.
    unknown_reads = models.PositiveIntegerField(db_default=0, db_column="UnknownReads")

    class Meta:
        db_table = "work_item_pull_requests"
        indexes = [
            models.Index(fields=["repository_id", "number"], name="ix_item_pulls_number"),
            models.Index(fields=["repository_id", "head_sha"], name="ix_item_pulls_head"),
            models.Index(fields=["repository_id", "head_branch"], name="ix_item_pulls_branch"),
        ]

    def __str__(self) -> str:
        return f"{self.repository_owner}/{self.repository_name}:{self.head_branch}"


class SubmissionCommit(models.Model):
    """A commit that was stored at GitHub, written down before any branch points to it.

    So a branch's tip that is in here was made by this product, and an interrupted try is found again.
    """

    sequence = SequenceField(primary_key=True, db_column="Sequence")
    repository_id = models.PositiveBigIntegerField(db_column="RepositoryId")
    sha = ExactCharField(max_length=SHA_LENGTH, db_column="Sha")
    head_branch = ExactCharField(max_length=BRANCH_LENGTH, db_column="HeadBranch")
    work_item_id = models.PositiveBigIntegerField(db_column="WorkItemSequence")
    files_hash = ExactCharField(max_length=HASH_LENGTH, db_column="FilesHash")
    # The commit of the base that it stands on, and the branch's tip that it continues ("" for a new branch).
    base_sha = ExactCharField(max_length=SHA_LENGTH, db_column="BaseSha")
    upon_sha = ExactCharField(max_length=SHA_LENGTH, db_default="", db_column="UponSha")
    created_at = TimestampField(db_default=CurrentTimestamp(), db_column="CreatedAt")

    class Meta:
        db_table = "submission_commits"
        constraints = [
            models.UniqueConstraint(
                fields=["repository_id", "head_branch", "sha"], name="uq_submission_commits"
            )
        ]
        indexes = [models.Index(fields=["work_item_id", "sequence"], name="ix_submission_commits_item")]

    def __str__(self) -> str:
        return self.sha
