"""What happens in a repository: issues, comments, branches and tags, pushes."""

from __future__ import annotations

from django.db import models

from core.fields import (
    EnumField,
    ExactCharField,
    MediumTextField,
    NameCharField,
    ShortTextField,
    TimestampField,
)
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
    repository_indexes,
)
from webhooks.values import OpenState, RefEvent


class RepositoryEventRow(
    DeliveryColumns,
    RepositoryColumns,
    InstallationColumn,
    SenderColumns,
    ProcessingColumns,
    VersionColumns,
    TimeColumns,
):
    """The columns of every claimed table that belongs to a repository."""

    class Meta:
        abstract = True


class Issue(RepositoryEventRow):
    """One row an issue."""

    github_id = models.PositiveBigIntegerField(db_default=0, db_column="Id")
    number = models.PositiveBigIntegerField(db_default=0, db_column="Number")
    node_id = ExactCharField(max_length=NODE_ID_LENGTH, unique=True, db_column="NodeId")
    title = ShortTextField(db_default="", db_column="Title")
    sender = NameCharField(max_length=LOGIN_LENGTH, db_default="", db_column="Sender")
    state = EnumField(choices=enum_choices(OpenState), db_default=OpenState.OPEN.value, db_column="State")
    github_updated_at = TimestampField(null=True, db_default=None, db_column="GithubUpdatedAt")

    class Meta:
        db_table = "github_issues"
        indexes = [
            *claim_indexes("issues"),
            models.Index(fields=["repository_owner", "repository_name", "number"], name="ix_issues_number"),
            models.Index(fields=["repository_id"], name="ix_issues_repo_id"),
        ]

    def __str__(self) -> str:
        return f"{self.repository_owner}/{self.repository_name}#{self.number}"


class Comment(RepositoryEventRow):
    """One row a comment on a pull request."""

    pull_request_id = models.PositiveBigIntegerField(db_default=0, db_column="PullRequestId")
    pull_request_number = models.PositiveBigIntegerField(db_default=0, db_column="PullRequestNumber")
    pull_request_node_id = ExactCharField(
        max_length=NODE_ID_LENGTH, db_default="", db_column="PullRequestNodeId"
    )
    pull_request_title = ShortTextField(db_default="", db_column="PullRequestTitle")
    pull_request_sender = NameCharField(max_length=LOGIN_LENGTH, db_default="", db_column="PullRequestSender")
    comment_id = models.PositiveBigIntegerField(unique=True, db_column="CommentId")
    comment_sender = NameCharField(max_length=LOGIN_LENGTH, db_default="", db_column="CommentSender")
    # GitHub allows 65,536 characters, up to four bytes each: more than a text column takes.
    comment_body = MediumTextField(db_default="", db_column="CommentBody")
    action = models.CharField(max_length=50, db_default="", db_column="Action")

    class Meta:
        db_table = "github_comments"
        indexes = [*claim_indexes("comments"), *repository_indexes("comments")]

    def __str__(self) -> str:
        return f"{self.repository_owner}/{self.repository_name}#{self.pull_request_number} comment {self.comment_id}"


class Branch(RepositoryEventRow):
    """One row a branch or tag, with the last thing that happened to it."""

    event = EnumField(choices=enum_choices(RefEvent), db_default=RefEvent.CREATE.value, db_column="Event")
    ref = ExactCharField(max_length=REF_LENGTH, db_default="", db_column="Ref")
    ref_type = models.CharField(max_length=20, db_default="branch", db_column="RefType")
    master_branch = ExactCharField(max_length=REF_LENGTH, db_default="", db_column="MasterBranch")

    class Meta:
        db_table = "github_branches"
        verbose_name_plural = "branches"
        constraints = [
            models.UniqueConstraint(fields=["repository_id", "ref_type", "ref"], name="uq_branches_ref")
        ]
        indexes = [
            *claim_indexes("branches"),
            models.Index(fields=["repository_owner", "repository_name"], name="ix_branches_repo"),
        ]

    def __str__(self) -> str:
        return f"{self.repository_owner}/{self.repository_name} {self.ref}"


class Push(RepositoryEventRow):
    """One row a push to a branch."""

    ref = ExactCharField(max_length=REF_LENGTH, db_default="", db_column="Ref")
    head_commit_id = ExactCharField(max_length=SHA_LENGTH, db_default="", db_column="HeadCommitId")
    head_commit_tree_id = ExactCharField(max_length=SHA_LENGTH, db_default="", db_column="HeadCommitTreeId")
    head_commit_message = MediumTextField(db_default="", db_column="HeadCommitMessage")
    # A commit may carry any date, far beyond what a TIMESTAMP holds.
    head_commit_timestamp = models.DateTimeField(null=True, db_default=None, db_column="HeadCommitTimestamp")
    head_commit_author_name = models.CharField(
        max_length=250, db_default="", db_column="HeadCommitAuthorName"
    )
    head_commit_author_email = models.CharField(
        max_length=250, db_default="", db_column="HeadCommitAuthorEmail"
    )
    head_commit_committer_name = models.CharField(
        max_length=250, db_default="", db_column="HeadCommitCommitterName"
    )
    head_commit_committer_email = models.CharField(
        max_length=250, db_default="", db_column="HeadCommitCommitterEmail"
    )

    class Meta:
        db_table = "github_pushes"
        verbose_name_plural = "pushes"
        indexes = [
            *claim_indexes("pushes"),
            *repository_indexes("pushes"),
            models.Index(fields=["head_commit_id"], name="ix_pushes_head"),
        ]

    def __str__(self) -> str:
        return f"{self.repository_owner}/{self.repository_name} {self.ref}"
