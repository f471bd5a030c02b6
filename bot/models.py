"""What the bot itself has to remember."""

from __future__ import annotations

from django.db import models


class BranchUpdateDay(models.Model):
    """How many branch updates of a repository were sent, or are being sent, on the day that stands beside (UTC)."""

    # GitHub's id, which survives renames.
    repository_id = models.PositiveBigIntegerField(primary_key=True, db_column="RepositoryId")
    day = models.DateField(db_column="Day")
    used = models.PositiveIntegerField(db_default=0, db_column="Used")

    class Meta:
        db_table = "branch_update_days"

    def __str__(self) -> str:
        return f"{self.used} branch updates of repository {self.repository_id} on {self.day}"
