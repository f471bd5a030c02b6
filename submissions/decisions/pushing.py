"""How a branch gets the submitted commit, whatever an earlier try has left of it."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from githubapi.git_values import TreeEntry, TreeWrite, blob_sha
from githubapi.values import PullRequestFacts
from submissions.decisions.actions import content_of
from submissions.values import REGULAR_FILE, Change, Encoding, FileAction


class Push(StrEnum):
    """What is to be done with the branch."""

    NOTHING = "nothing"
    POINT = "point"
    BUILD = "build"
    FOREIGN = "foreign"


@dataclass(frozen=True, slots=True)
class Made:
    """A commit with the wanted files that is stored at GitHub. `upon`: the branch's tip then, "" for none."""

    sha: str
    upon: str


@dataclass(frozen=True, slots=True)
class Tip:
    """Where a branch stands. `own`: the commit of ours that it is, or that the base was merged into since; "" = none.

    `base`: the commit of the base that it holds.
    """

    sha: str
    own: str
    base: str


@dataclass(frozen=True, slots=True)
class PushDecision:
    """What is to be done, and with which commit ("" for none)."""

    push: Push
    sha: str = ""


def decide_push(tip: Tip | None, made: Sequence[Made]) -> PushDecision:
    """Decide by the branch's tip and the commits that this item has for its present files, the newest first.

    A branch that holds anybody else's commit is never written to.
    """
    if tip is not None and tip.own in {one.sha for one in made}:
        return PushDecision(Push.NOTHING, tip.sha)
    upon = tip.sha if tip else ""
    if fitting := next((one for one in made if one.upon == upon), None):
        return PushDecision(Push.POINT, fitting.sha)
    return PushDecision(Push.BUILD if tip is None or tip.own else Push.FOREIGN)


def choose_pull_request(
    found: Sequence[PullRequestFacts], shas: Collection[str], past_number: int | None
) -> int | None:
    """Return the number of the pull request that an earlier try has opened, None if there is none.

    An open one is ours whoever opened it, as the branch is; a closed one only if its head is a commit of this item,
    and if it is not the one that a retry left behind.
    """
    open_ones = [pull.number for pull in found if pull.state == "open"]
    ended = [pull.number for pull in found if pull.head_sha in shas and pull.number != past_number]
    return next(iter(open_ones + ended), None)


def parents_of(tip: Tip | None, base: str) -> tuple[str, ...]:
    """Return the parents of the next commit: the branch goes on, and takes in its base where that has moved on.

    So a branch only ever moves forward, and its diff against the base is what was submitted, no more.
    """
    if tip is None:
        return (base,)
    return (tip.sha,) if tip.base == base else (tip.sha, base)


class CannotApply(Exception):
    """The base does not hold what an action is about, or holds what it would make; the message says which path."""


def tree_writes(actions: Sequence[FileAction], present: Mapping[str, TreeEntry]) -> tuple[TreeWrite, ...]:
    """Return what is to be written into the base's tree; raises CannotApply.

    `present`: what stands there at the paths that the actions touch.
    """
    return tuple(write for action in actions for write in _writes(action, present))


def _writes(action: FileAction, present: Mapping[str, TreeEntry]) -> tuple[TreeWrite, ...]:
    target = present.get(action.path)
    if action.action is Change.CREATE:
        return (_created(action, target),)
    source = action.previous_path or action.path
    there = present.get(source)
    if there is None or there.kind != "blob":
        raise CannotApply(f"Cannot {action.action} {source}: the base has no such file.")
    if action.action is Change.UPDATE:
        return (_written(action, action.mode or there.mode),)
    removed = TreeWrite(path=source, mode=there.mode, blob_sha=None)
    return (removed,) if action.action is Change.DELETE else (removed, _moved(action, there, target))


def _created(action: FileAction, target: TreeEntry | None) -> TreeWrite:
    """A file that is there already with the same content is as good as made: then the change has arrived."""
    written = _written(action, action.mode or REGULAR_FILE)
    if target is not None and target.sha != written.blob_sha:
        raise CannotApply(f"Cannot create {action.path}: the base has something else there.")
    return written


def _moved(action: FileAction, there: TreeEntry, target: TreeEntry | None) -> TreeWrite:
    """A moved file keeps its content by its id: nothing is downloaded."""
    if target is not None:
        raise CannotApply(f"Cannot move {action.previous_path} to {action.path}: the base has a file there.")
    mode = action.mode or there.mode
    if action.content is not None:
        return _written(action, mode)
    return TreeWrite(path=action.path, mode=mode, blob_sha=there.sha)


def _written(action: FileAction, mode: str) -> TreeWrite:
    text = action.content if action.encoding is Encoding.TEXT else None
    return TreeWrite(path=action.path, mode=mode, blob_sha=blob_sha(content_of(action)), text=text)
