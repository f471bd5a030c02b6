"""Git's objects as Git names them: blobs, trees and commits of one repository, and what can be asked about them."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

# What stands at a path of a whole tree: mode and blob.
Flat = dict[str, tuple[str, str]]

DIRECTORY = "40000"
# Every repository that nobody has written to yet holds these.
FIRST_FILES = {
    "README.md": "# A repository\n",
    "docs/guide.md": "Read the source.\n",
    "src/lamp/__init__.py": "",
    "src/lamp/bulb.py": "LIT = False\n",
    "tools/build.sh": "#!/bin/sh\nexit 0\n",
    ".github/workflows/ci.yml": "on: [push]\n",
}
EXECUTABLE = frozenset({"tools/build.sh"})


@dataclass(kw_only=True)
class Objects:
    """The objects of one repository, as JSON could hold them.

    `blobs`: id -> base64; `trees`: id -> (mode, name, id) of each entry; `commits`: id -> tree, parents, message.
    """

    blobs: dict[str, str] = field(default_factory=dict)
    trees: dict[str, list[list[str]]] = field(default_factory=dict)
    commits: dict[str, CommitObject] = field(default_factory=dict)

    def add_blob(self, content: bytes) -> str:
        sha = _name("blob", content)
        self.blobs[sha] = base64.b64encode(content).decode()
        return sha

    def add_commit(self, tree: str, parents: list[str], message: str, *, sha: str = "") -> str:
        """Add a commit, under a given id where the made-up world has named it already."""
        known = [*(f"parent {parent}" for parent in parents), "", message, str(len(self.commits))]
        sha = sha or _name("commit", "\n".join([f"tree {tree}", *known]).encode())
        self.commits[sha] = CommitObject(tree=tree, parents=parents, message=message)
        return sha

    def add_tree(self, files: Mapping[str, tuple[str, str]]) -> str:
        """Add a whole tree with its directories and return its id."""
        names: dict[str, tuple[str, str]] = {}
        below: dict[str, Flat] = {}
        for path, held in files.items():
            first, slash, rest = path.partition("/")
            if slash:
                below.setdefault(first, {})[rest] = held
            else:
                names[first] = held
        names |= {name: (DIRECTORY, self.add_tree(part)) for name, part in below.items()}
        # Git sorts a directory as if its name ended in a slash.
        ordered = sorted(names.items(), key=lambda item: item[0] + "/" * (item[1][0] == DIRECTORY))
        packed = b"".join(f"{mode} {name}\0".encode() + bytes.fromhex(sha) for name, (mode, sha) in ordered)
        tree = _name("tree", packed)
        self.trees[tree] = [[mode, name, sha] for name, (mode, sha) in ordered]
        return tree

    def first_tree(self) -> str:
        return self.add_tree(
            {
                path: ("100755" if path in EXECUTABLE else "100644", self.add_blob(text.encode()))
                for path, text in FIRST_FILES.items()
            }
        )

    def commit(self, sha: str) -> CommitObject:
        """Return a commit; one that the made-up world names without content is a first one with the first files."""
        return self.commits.get(sha) or CommitObject(tree=self.first_tree(), parents=[], message="A change")

    def files(self, tree: str, prefix: str = "") -> Flat:
        """Return everything in a tree by its whole path."""
        found: Flat = {}
        for mode, name, sha in self.trees[tree]:
            if mode == DIRECTORY:
                found |= self.files(sha, f"{prefix}{name}/")
            else:
                found[prefix + name] = (mode, sha)
        return found

    def files_of(self, commit: str) -> Flat:
        return self.files(self.commit(commit).tree)

    def history(self, sha: str) -> Iterator[str]:
        """Yield a commit and all that it descends from, each once."""
        seen, waiting = set(), [sha]
        while waiting:
            found = waiting.pop(0)
            if found not in seen:
                seen.add(found)
                yield found
                waiting += self.commit(found).parents

    def merge_base(self, one: str, other: str) -> str:
        """Return where two commits parted; for unrelated ones, the first of the one."""
        known = list(self.history(one))
        return next((sha for sha in self.history(other) if sha in known), known[-1])

    def changed(self, base: str, head: str) -> dict[str, str]:
        """Return what a head changes against where it left the base: added, modified or removed, by path."""
        before, after = self.files_of(self.merge_base(base, head)), self.files_of(head)
        words = dict.fromkeys(after.keys() - before.keys(), "added")
        words |= dict.fromkeys(before.keys() - after.keys(), "removed")
        both = (path for path in before.keys() & after.keys() if before[path] != after[path])
        return dict(sorted((words | dict.fromkeys(both, "modified")).items()))

    def merged(self, base: str, head: str) -> str:
        """Return the tree of a base into which a head is merged; where both changed a file, the head's stays."""
        files, theirs = self.files_of(base), self.files_of(head)
        for path in self.changed(base, head):
            files.pop(path, None)
            if path in theirs:
                files[path] = theirs[path]
        return self.add_tree(files)


@dataclass(kw_only=True)
class CommitObject:
    tree: str
    parents: list[str]
    message: str


def read(data: dict[str, Any]) -> Objects:
    """Return what `store.dump` made into JSON data."""
    commits = {sha: CommitObject(**part) for sha, part in data["commits"].items()}
    return Objects(blobs=data["blobs"], trees=data["trees"], commits=commits)


def _name(kind: str, content: bytes) -> str:
    return hashlib.sha1(f"{kind} {len(content)}\0".encode() + content, usedforsecurity=False).hexdigest()
