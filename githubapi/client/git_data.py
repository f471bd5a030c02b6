"""Git's own objects in a repository, read and written one by one: blobs, trees, commits, branches.

https://docs.github.com/en/rest/git
"""

from __future__ import annotations

import base64
from collections.abc import Iterable, Sequence
from typing import Any
from urllib.parse import quote

from githubapi.client import git_reading, reading, refusals
from githubapi.client.answers import Call
from githubapi.client.channel import Channel
from githubapi.errors import Gone, Permanent
from githubapi.git_values import GitCommit, RefAnswer, RefOutcome, TreeEntry, TreeWrite


class GitCalls:
    """The part of an installation's client that speaks Git; every method raises GithubError as the others do.

    Blobs, trees and commits are named by their content, so that one written twice is there once. Nothing of it is
    visible until a branch points to it.
    """

    _channel: Channel

    def branch_tip(self, repository_id: int, branch: str) -> str | None:
        """Return the commit that a branch points to, None if there is no such branch."""
        path = f"{_git(repository_id)}/ref/heads/{quote(branch, safe='/')}"
        try:
            data = self._channel.ask(Call(verb="GET", path=path, shape=dict, repeatable=True)).data
        except Gone as error:
            if not refusals.is_unknown_here(error):
                raise
            return None
        return reading.item(git_reading.ref_target, data)

    def commit(self, repository_id: int, sha: str) -> GitCommit:
        """Return one commit. Raises Gone."""
        call = Call(verb="GET", path=f"{_git(repository_id)}/commits/{sha}", shape=dict, repeatable=True)
        return reading.item(git_reading.commit, self._channel.ask(call).data)

    def directory(self, repository_id: int, tree_sha: str) -> tuple[TreeEntry, ...]:
        """Return the names in one directory, complete. Raises Gone, and Permanent ("truncated") if it is too large."""
        call = Call(verb="GET", path=f"{_git(repository_id)}/trees/{tree_sha}", shape=dict, repeatable=True)
        data = self._channel.ask(call).data
        if data.get("truncated"):
            raise Permanent("truncated", f"{call} was answered in part only: the directory is too large.")
        return reading.item(git_reading.entries, data)

    def write_blob(self, repository_id: int, content: bytes) -> str:
        """Store a file's content and return its id."""
        body = {"content": base64.b64encode(content).decode(), "encoding": "base64"}
        return self._made(f"{_git(repository_id)}/blobs", body)

    def write_tree(self, repository_id: int, base_tree_sha: str, writes: Iterable[TreeWrite]) -> str:
        """Store a tree that differs from another one by these paths, and return its id.

        Raises Permanent ("unprocessable") if a path to be removed is not there.
        """
        tree = [_entry(write) for write in writes]
        return self._made(f"{_git(repository_id)}/trees", {"base_tree": base_tree_sha, "tree": tree})

    def write_commit(self, repository_id: int, message: str, tree_sha: str, parents: Sequence[str]) -> str:
        """Store a commit in the App's own name and return its id. GitHub signs it, which it does for no other name."""
        body = {"message": message, "tree": tree_sha, "parents": list(parents)}
        return self._made(f"{_git(repository_id)}/commits", body)

    def create_branch(self, repository_id: int, branch: str, sha: str) -> RefAnswer:
        """Create a branch at a commit. That it exists already is a value. Raises Gone, Forbidden."""
        return self._point("POST", f"{_git(repository_id)}/refs", {"ref": f"refs/heads/{branch}", "sha": sha})

    def forward_branch(self, repository_id: int, branch: str, sha: str) -> RefAnswer:
        """Move a branch on to a descendant of its tip. GitHub refuses any other commit, and the refusal is a value.

        So nobody's commit can be lost by it. Raises Gone, Forbidden.
        """
        path = f"{_git(repository_id)}/refs/heads/{quote(branch, safe='/')}"
        return self._point("PATCH", path, {"sha": sha, "force": False})

    def _made(self, path: str, body: dict[str, Any]) -> str:
        data = self._channel.ask(Call(verb="POST", path=path, body=body, shape=dict)).data
        return reading.item(git_reading.object_id, data)

    def _point(self, verb: str, path: str, body: dict[str, Any]) -> RefAnswer:
        try:
            self._channel.ask(Call(verb=verb, path=path, body=body))
        except Permanent as error:
            return refusals.ref_answer(error)
        return RefAnswer(RefOutcome.DONE)


def _entry(write: TreeWrite) -> dict[str, str | None]:
    held = {"sha": write.blob_sha} if write.text is None else {"content": write.text}
    return {"path": write.path, "mode": write.mode, "type": "blob", **held}


def _git(repository_id: int) -> str:
    return f"/repositories/{repository_id}/git"
