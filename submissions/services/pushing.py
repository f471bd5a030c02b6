"""Bringing a branch to the submitted state with one commit, by Git's own objects."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

from githubapi.git_values import RefAnswer, RefOutcome, TreeEntry
from githubapi.values import RepositoryFacts
from submissions import selectors
from submissions.decisions.actions import content_of
from submissions.decisions.pushing import (
    CannotApply,
    Push,
    Tip,
    decide_push,
    parents_of,
    tree_writes,
)
from submissions.decisions.upsert import files_hash
from submissions.models import SubmissionCommit
from submissions.services.place import Place, stored, tip_of
from submissions.values import Encoding, FileAction
from workqueue.values import Changes


class NotPushed(Exception):
    """The branch is not as submitted; the message says why. `permanent`: it will not be by trying again."""

    def __init__(self, sentence: str, *, permanent: bool) -> None:
        super().__init__(sentence)
        self.permanent = permanent


class NothingToChange(Exception):
    """The base holds all that was submitted."""


def push(place: Place) -> str:
    """Let the branch hold what was submitted and return its tip; raises NotPushed, NothingToChange, GithubError.

    Whatever an earlier try has left is used: a stored commit is in submission_commits before a branch points to it.
    """
    sha = place.client.branch_tip(place.repository_id, place.item.head_branch)
    tip = tip_of(place, sha) if sha else None
    made = stored(partial(selectors.made_commits, place.item, files_hash(place.wanted)))
    decision = decide_push(tip, made)
    match decision.push:
        case Push.NOTHING:
            return decision.sha
        case Push.POINT:
            return _point(place, tip, decision.sha)
        case Push.BUILD:
            return _point(place, tip, _build(place, tip))
        case Push.FOREIGN:
            words = f"The branch {place.item.head_branch} holds commits of somebody else: it is left alone."
            raise NotPushed(words, permanent=True)


def why_not_here(place: Place, repository: RepositoryFacts) -> str:
    """Return why nothing can be pushed to the repository's branch, "" if it can."""
    if repository.archived:
        return f"{repository.full_name} is archived."
    if place.item.head_branch == repository.default_branch:
        return f"{place.item.head_branch} is the default branch of {repository.full_name}, not one for a pull request."
    return ""


def _build(place: Place, tip: Tip | None) -> str:
    """Store the commit, write it down, and return its id. Nobody sees it until the branch points to it."""
    client, repository_id = place.client, place.repository_id
    base = client.branch_tip(repository_id, place.wanted.base_branch)
    if base is None:
        raise NotPushed(f"There is no branch {place.wanted.base_branch} to merge into.", permanent=True)
    base_tree = client.commit(repository_id, base).tree_sha
    tree = _tree(place, base_tree)
    if tree == base_tree and place.item.number is None:
        raise NothingToChange
    sha = client.write_commit(repository_id, place.wanted.commit_message, tree, parents_of(tip, base))
    stored(partial(_write_down, place, sha, base, tip))
    # Whoever has lost the lease by now must not touch the branch.
    place.job.write(Changes())
    return sha


def _tree(place: Place, base_tree: str) -> str:
    actions = place.wanted.file_actions
    try:
        present = _present(place, base_tree, (path for action in actions for path in action.paths))
        writes = tree_writes(actions, present)
    except CannotApply as error:
        raise NotPushed(str(error), permanent=True) from None
    _store_binaries(place, actions)
    return place.client.write_tree(place.repository_id, base_tree, writes)


def _store_binaries(place: Place, actions: Iterable[FileAction]) -> None:
    """Text travels with the tree; anything else is stored first, under the id that its content gives it."""
    for action in actions:
        if action.content is not None and action.encoding is Encoding.BASE64:
            place.client.write_blob(place.repository_id, content_of(action))


def _present(place: Place, root: str, paths: Iterable[str]) -> dict[str, TreeEntry]:
    """Return what stands at the paths, reading each directory on the way once."""
    read: dict[str, dict[str, TreeEntry]] = {}
    found = {path: _entry(place, root, path, read) for path in paths}
    return {path: entry for path, entry in found.items() if entry is not None}


def _entry(place: Place, root: str, path: str, read: dict[str, dict[str, TreeEntry]]) -> TreeEntry | None:
    *folders, name = path.split("/")
    tree = root
    for folder in folders:
        entry = _names_in(place, tree, read).get(folder)
        if entry is None:
            return None
        if entry.kind != "tree":
            raise CannotApply(f"Cannot write {path}: {folder} is no folder in the base.")
        tree = entry.sha
    return _names_in(place, tree, read).get(name)


def _names_in(place: Place, tree: str, read: dict[str, dict[str, TreeEntry]]) -> dict[str, TreeEntry]:
    if tree not in read:
        read[tree] = {entry.name: entry for entry in place.client.directory(place.repository_id, tree)}
    return read[tree]


def _write_down(place: Place, sha: str, base: str, tip: Tip | None) -> None:
    SubmissionCommit.objects.bulk_create(
        [
            SubmissionCommit(
                repository_id=place.repository_id,
                sha=sha,
                head_branch=place.item.head_branch,
                work_item_id=place.item.pk,
                files_hash=files_hash(place.wanted),
                base_sha=base,
                upon_sha=tip.sha if tip else "",
            )
        ],
        ignore_conflicts=True,
    )


def _point(place: Place, tip: Tip | None, sha: str) -> str:
    client, branch = place.client, place.item.head_branch
    if tip is None:
        answer = client.create_branch(place.repository_id, branch, sha)
    else:
        answer = client.forward_branch(place.repository_id, branch, sha)
    return _pointed(branch, sha, answer)


def _pointed(branch: str, sha: str, answer: RefAnswer) -> str:
    if answer.outcome is RefOutcome.DONE:
        return sha
    # It exists, is gone or has moved: whoever did that, the next try looks at the branch anew.
    moved = answer.outcome is not RefOutcome.REFUSED
    words = "changed meanwhile" if moved else f"cannot be written ({answer.message or 'no reason given'})"
    raise NotPushed(f"The branch {branch} {words}.", permanent=not moved)
