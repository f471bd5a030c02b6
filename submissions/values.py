"""What a caller wants a pull request to be, and the words of this app. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

ITEM_TYPE = "pull_request"


class Need(StrEnum):
    """The dimensions of a pull request's work item; all are triggers, none describes a state."""

    PULL_REQUEST = "needs_pr"
    CI_RETRY = "needs_ci_retry"
    RECONCILE = "needs_reconcile"
    EMPTY_CHECK = "needs_empty_check"


class Deed(StrEnum):
    """The actions, each with an executor of its own."""

    ENSURE_PR = "ensure_pr"
    CI_RETRY = "ci_retry"
    RECONCILE = "reconcile"


class Change(StrEnum):
    """What a file action does to a path."""

    CREATE = "create"
    UPDATE = "update"
    DELETE = "delete"
    MOVE = "move"


class Encoding(StrEnum):
    TEXT = "text"
    BASE64 = "base64"


class Method(StrEnum):
    """How a pull request is merged when it is ready."""

    SQUASH = "squash"
    MERGE = "merge"
    REBASE = "rebase"


# Git knows more modes; a link or a submodule could lead around the path block-list.
MODES = ("100644", "100755")
REGULAR_FILE = MODES[0]


@dataclass(frozen=True, slots=True, kw_only=True)
class FileAction:
    """One change of one file. `content` is None where the change brings none; `mode` "" keeps or means 100644.

    `previous_path` is where a moved file was.
    """

    action: Change
    path: str
    previous_path: str = ""
    content: str | None = None
    encoding: Encoding = Encoding.TEXT
    mode: str = ""

    @property
    def paths(self) -> tuple[str, ...]:
        """Every path that this action touches."""
        return (self.path, self.previous_path) if self.previous_path else (self.path,)


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What else is to happen with the pull request."""

    merge_when_ready: bool = False
    merge_method: Method = Method.SQUASH
    ci_retry: bool = True
    draft: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """The desired state of one pull request, whole: what is not said is not wanted."""

    base_branch: str
    title: str
    body: str
    labels: tuple[str, ...]
    commit_message: str
    file_actions: tuple[FileAction, ...]
    options: Options


def wanted_of(data: Mapping[str, Any]) -> Wanted:
    """Return the desired state out of plain data, as `dataclasses.asdict` makes it; raises KeyError, ValueError."""
    options = dict(data["options"])
    return Wanted(
        base_branch=data["base_branch"],
        title=data["title"],
        body=data["body"],
        labels=tuple(data["labels"]),
        commit_message=data["commit_message"],
        file_actions=_actions(data["file_actions"]),
        options=Options(**options | {"merge_method": Method(options["merge_method"])}),
    )


def _actions(listed: Sequence[Mapping[str, Any]]) -> tuple[FileAction, ...]:
    return tuple(
        FileAction(**{**each, "action": Change(each["action"]), "encoding": Encoding(each["encoding"])})
        for each in listed
    )
