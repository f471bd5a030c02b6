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


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchHit:
    """An open pull request as GitHub's search knows it: it may have changed since."""

    owner: str
    repository: str
    number: int
    title: str
    draft: bool


@dataclass(frozen=True, slots=True)
class SearchResult:
    """What a search found. Unless `complete`, it may lack some, and holds what there was or nothing at all."""

    hits: tuple[SearchHit, ...]
    complete: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangedFile:
    """One file of a pull request's diff, under the name it has now and, when it was renamed, the one it had."""

    path: str
    status: str
    previous_path: str | None


@dataclass(frozen=True, slots=True)
class TreeEntry:
    """A name in a folder of a commit; `mode` is git's: "100644", "100755", "120000", "160000" or "040000"."""

    name: str
    mode: str
    sha: str


@dataclass(frozen=True, slots=True)
class Review:
    """A review that was handed in; `state` is APPROVED, CHANGES_REQUESTED, COMMENTED, DISMISSED or PENDING."""

    login: str
    state: str


@dataclass(frozen=True, slots=True)
class RequiredCheck:
    """A check run or status that must have passed, made by that App if one is named."""

    context: str
    app_id: int | None


@dataclass(frozen=True, slots=True)
class BranchDemands:
    """What a branch demands of whatever is merged into it."""

    required: tuple[RequiredCheck, ...]
    merge_queue: bool = False
