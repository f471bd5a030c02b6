"""What Git itself holds at GitHub, as frozen values: commits, trees and what to write into one."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from enum import StrEnum


@dataclass(frozen=True, slots=True, kw_only=True)
class GitCommit:
    """One commit; `parents` are in Git's order, the branch that was continued first."""

    sha: str
    tree_sha: str
    parents: tuple[str, ...]
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TreeEntry:
    """One name in one directory. `kind` is "blob", "tree" (a directory) or "commit" (a submodule)."""

    name: str
    mode: str
    kind: str
    sha: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TreeWrite:
    """A path to write into a tree: the blob that stands there from now on, None to remove it.

    `text`: the blob's content, if it is text and not stored yet: then it is stored along with the tree.
    """

    path: str
    mode: str
    blob_sha: str | None
    text: str | None = None


def blob_sha(content: bytes) -> str:
    """Return the id that Git gives to a file's content."""
    return hashlib.sha1(b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest()


class RefOutcome(StrEnum):
    """What GitHub says to "let this branch point there"."""

    DONE = "done"
    EXISTS = "exists"
    GONE = "gone"
    NOT_FAST_FORWARD = "not a fast forward"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class RefAnswer:
    """The answer to a branch's creation or move, with GitHub's own words ("" if it gave none)."""

    outcome: RefOutcome
    message: str = ""
