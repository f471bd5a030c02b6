"""Merges, which are work items, the newest verdict on each pull request, and whose turn it is."""

from __future__ import annotations

from django.db import models

from core.fields import (
    EnumField,
    ExactCharField,
    NameCharField,
    SequenceField,
    ShortTextField,
    TimestampField,
)
from core.functions import CurrentTimestamp
from merge.values import Standing
from webhooks.models.base import NAME_LENGTH, OWNER_LENGTH, REF_LENGTH, SHA_LENGTH
from workqueue.models import CALLER_LENGTH, WorkItem

CODE_LENGTH = 50


class Merge(WorkItem):
    """One wish to merge one head of one pull request. What state it is in: selectors.status_of."""

    item = models.OneToOneField(
        WorkItem,
        on_delete=models.CASCADE,
        parent_link=True,
        primary_key=True,
        related_name="+",
        db_column="WorkItemSequence",
    )
    repository_id = models.PositiveBigIntegerField(db_column="RepositoryId")
    number = models.PositiveBigIntegerField(db_column="Number")
    pull_request_sequence = models.PositiveBigIntegerField(db_column="PullRequestSequence")
    installation_id = models.PositiveBigIntegerField(db_column="InstallationId")
    # The names when it was asked for, for people; GitHub is asked by id.
    repository_owner = NameCharField(max_length=OWNER_LENGTH, db_default="", db_column="RepositoryOwner")
    repository_name = NameCharField(max_length=NAME_LENGTH, db_default="", db_column="RepositoryName")
    # The only commit that may be merged.
    head_sha = ExactCharField(max_length=SHA_LENGTH, db_column="HeadSha")
    # Why it is approved, or why a person has to approve it.
    reason = ShortTextField(db_default="", db_column="Reason")
    approved_by = models.CharField(max_length=CALLER_LENGTH, db_default="", db_column="ApprovedBy")
    rejected_by = models.CharField(max_length=CALLER_LENGTH, db_default="", db_column="RejectedBy")
    rejected_at = TimestampField(null=True, db_default=None, db_column="RejectedAt")
    rejection = ShortTextField(db_default="", db_column="Rejection")
    merge_sha = ExactCharField(max_length=SHA_LENGTH, db_default="", db_column="MergeSha")

    class Meta:
        db_table = "work_item_merges"
        indexes = [models.Index(fields=["repository_id", "number"], name="ix_merges_number")]

    @property
    def place(self) -> str:
        """Return the pull request as people write it: "owner/name#number"."""
        return f"{self.repository_owner}/{self.repository_name}#{self.number}"

    @property
    def why(self) -> str:
        """Return what people should know of its state first: its failure, its rejection, or its reason."""
        if self.rejected_by:
            return f"Rejected by {self.rejected_by}: {self.rejection}"
        return self.error or self.reason


class MergeVerdict(models.Model):
    """The newest verdict of the classifier on a pull request, and what is remembered of its head."""

    sequence = SequenceField(primary_key=True, db_column="Sequence")
    repository_id = models.PositiveBigIntegerField(db_column="RepositoryId")
    number = models.PositiveBigIntegerField(db_column="Number")
    head_sha = ExactCharField(max_length=SHA_LENGTH, db_default="", db_column="HeadSha")
    base_ref = ExactCharField(max_length=REF_LENGTH, db_default="", db_column="BaseRef")
    standing = EnumField(choices=[(each.value, each.value) for each in Standing], db_column="Standing")
    code = models.CharField(max_length=CODE_LENGTH, db_column="Code")
    sentence = ShortTextField(db_default="", db_column="Sentence")
    # Only a new head, or another base, can change it: not asked again before.
    kept = models.BooleanField(db_default=False, db_column="Kept")
    again_at = TimestampField(null=True, db_default=None, db_column="AgainAt")
    judged_at = TimestampField(db_default=CurrentTimestamp(), db_column="JudgedAt")
    # Since when this verdict stands, and since when this head is known to us.
    since = TimestampField(db_default=CurrentTimestamp(), db_column="Since")
    head_since = TimestampField(db_default=CurrentTimestamp(), db_column="HeadSince")
    # How many times in a row GitHub did not know whether this head can be merged.
    unknown_reads = models.PositiveIntegerField(db_default=0, db_column="UnknownReads")

    class Meta:
        db_table = "merge_verdicts"
        constraints = [models.UniqueConstraint(fields=["repository_id", "number"], name="uq_merge_verdicts")]
        indexes = [
            models.Index(fields=["judged_at"], name="ix_merge_verdicts_judged"),
        ]

    def __str__(self) -> str:
        return f"{self.code}: {self.sentence}"


class Turn(models.Model):
    """When the poller last turned to an account or a pull request: services.turns."""

    key = ExactCharField(max_length=64, primary_key=True, db_column="Name")
    taken_at = TimestampField(db_default=CurrentTimestamp(), db_column="TakenAt")

    class Meta:
        db_table = "merge_turns"
        indexes = [models.Index(fields=["taken_at"], name="ix_merge_turns_taken")]

    def __str__(self) -> str:
        return self.key
