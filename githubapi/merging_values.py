"""What GitHub says about merging a pull request, as frozen values."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class MergeOutcome(StrEnum):
    """What GitHub says to "merge this pull request, if its head is still that commit"."""

    MERGED = "merged"
    HEAD_MOVED = "head moved"
    BASE_MOVED = "base moved"
    QUEUE_DEMANDED = "merge queue demanded"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class MergeAnswer:
    """The answer to a merge, with GitHub's own words ("" if it gave none); `sha` is the new commit's, or ""."""

    outcome: MergeOutcome
    message: str = ""
    sha: str = ""


class MergeMethod(StrEnum):
    """The ways in which GitHub merges."""

    SQUASH = "squash"
    MERGE = "merge"
    REBASE = "rebase"
