"""What is written about a pull request, and what its writer reads of it, as frozen values."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from githubapi.values import PullRequestDetail


@dataclass(frozen=True, slots=True, kw_only=True)
class NewPullRequest:
    """A pull request to open; `head` and `base` are branches of the same repository."""

    title: str
    body: str
    head: str
    base: str
    draft: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnPullRequest:
    """A pull request as its own writer reads it: with its text, which no other rule needs."""

    detail: PullRequestDetail
    body: str


class OpenOutcome(StrEnum):
    """What GitHub says to "open a pull request"."""

    OPENED = "opened"
    EXISTS = "exists"
    NO_COMMITS = "no commits"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class OpenAnswer:
    """The answer to an opening: the number if it was opened, else 0 and GitHub's own words."""

    outcome: OpenOutcome
    number: int = 0
    message: str = ""
