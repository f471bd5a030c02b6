"""The words of merging: what is judged, and what a judgement says."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from githubapi.merging_values import ChangedFile, RequiredCheck, Review
from githubapi.values import HeadChecks


class Standing(StrEnum):
    """What a verdict lets happen."""

    ELIGIBLE = "eligible"
    # Only time is missing: whoever asks is told to wait, and nothing is stored.
    WAITING = "waiting"
    # Not for a machine to approve; a person may.
    SCOPE = "scope"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """A judgement: its standing, a snake_case word for counters and filters, and a sentence for a person.

    `again`: how long until it is worth looking again, None where nobody knows. `kept`: only a new head or another base
    can change it.
    """

    standing: Standing
    code: str
    sentence: str
    again: timedelta | None = None
    kept: bool = False


ELIGIBLE = Verdict(standing=Standing.ELIGIBLE, code="eligible", sentence="Everything speaks for merging it.")


class Part(StrEnum):
    """A part of a snapshot that is asked for only when a rule needs it, as it costs calls."""

    FILES = "files"
    MODES = "modes"
    DEMANDS = "demands"
    REVIEWS = "reviews"
    CHECKS = "checks"


@dataclass(frozen=True, slots=True)
class FileMode:
    """A path before or after the change, and git's mode of it there: "" if it is not there."""

    path: str
    mode: str


@dataclass(frozen=True, slots=True)
class Demands:
    """What the base branch demands: `required` is None where neither source could be read."""

    required: tuple[RequiredCheck, ...] | None
    merge_queue: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """All that is known of a pull request at one instant; a Part is None until it was asked for.

    `pinned_sha` is the head that was approved, "" while nothing is. `head_age` is how long this head has been known,
    `unknown_reads` how many times in a row GitHub could not say whether it can be merged, this time included.
    """

    repository: str
    number: int
    title: str
    state: str
    merged: bool
    draft: bool
    head_sha: str
    base_ref: str
    base_sha: str
    mergeable: bool | None
    mergeable_state: str
    changed_files: int | None
    head_age: timedelta = timedelta(0)
    unknown_reads: int = 0
    pinned_sha: str = ""
    may_lack_checks: bool = False
    files: tuple[ChangedFile, ...] | None = None
    modes: tuple[FileMode, ...] | None = None
    demands: Demands | None = None
    reviews: tuple[Review, ...] | None = None
    checks: HeadChecks | None = None


class BackoffScope(StrEnum):
    """What a failed merge holds back."""

    PULL_REQUEST = "pull_request"
    HEAD_SHA = "head_sha"


class Status(StrEnum):
    """Where a merge is, in the words of people; out of the work item's phase and dimensions.

    pending --approve--> approved --> executing --> done
       |                    |             +-------> failed --retry--> approved
       +------ reject ------+--> rejected           (cancelled: the pull request was closed, or its head moved)
    """

    PENDING = "pending"
    APPROVED = "approved"
    EXECUTING = "executing"
    DONE = "done"
    FAILED = "failed"
    REJECTED = "rejected"
    CANCELLED = "cancelled"


@dataclass(frozen=True, slots=True)
class Failure:
    """A merge that failed: `name` is the pull request's, "owner/name#number"."""

    repository_id: int
    number: int
    head_sha: str
    ended_at: datetime
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PastMerge:
    """A merge as the guards see it: its status, the head it was for, and how long ago it ended (None: it has not)."""

    status: Status
    head_sha: str
    ended_ago: timedelta | None


@dataclass(frozen=True, slots=True)
class Backoff:
    """How long a failed merge holds its pull request, or its head, back."""

    window: timedelta
    scope: BackoffScope
