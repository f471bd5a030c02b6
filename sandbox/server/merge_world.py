"""What the pretended GitHub knows about merging: files, reviews, rules of branches, repeated check runs."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from sandbox.world import sha

REGULAR, SYMLINK, SUBMODULE = "100644", "120000", "160000"


@dataclass(kw_only=True)
class ChangedFile:
    """One file of a pull request's diff; `mode` is git's, before and after alike."""

    filename: str
    status: str = "modified"
    previous_filename: str = ""
    mode: str = REGULAR


@dataclass(kw_only=True)
class BranchDemands:
    """What a repository's default branch demands, as [context, id of an App or None].

    `required` come from rulesets, `protected` from the older branch protection.
    """

    required: list[list[Any]] = field(default_factory=list)
    protected: list[list[Any]] = field(default_factory=list)
    merge_queue: bool = False
    methods: list[str] = field(default_factory=lambda: ["merge", "squash", "rebase"])


@dataclass(kw_only=True)
class ExtraRun:
    """A check run beside those of State.check_runs: another try, or another App's of the same name."""

    number: int
    name: str
    conclusion: str
    app_id: int


@dataclass(kw_only=True)
class MergeWorld:
    """All of it. `unlisted` and `lagging` are what a search misses, or finds though it is no longer so."""

    files: dict[int, dict[int, list[ChangedFile]]] = field(default_factory=dict)
    reviews: dict[int, dict[int, list[list[str]]]] = field(default_factory=dict)
    demands: dict[int, BranchDemands] = field(default_factory=dict)
    runs: dict[str, list[ExtraRun]] = field(default_factory=dict)
    # By the sha of a tree: the commit, and the folder within it ("" for its root).
    trees: dict[str, list[str]] = field(default_factory=dict)
    search_incomplete: bool = False
    unlisted: list[list[int]] = field(default_factory=list)
    lagging: list[list[int]] = field(default_factory=list)

    def of_branch(self, repository_id: int) -> BranchDemands:
        """Return what a repository's default branch demands, to be changed in place."""
        return self.demands.setdefault(repository_id, BranchDemands())

    def changed_files(self, repository_id: int, number: int, count: int) -> list[ChangedFile]:
        """Return a pull request's diff; one that nobody has described touches `count` files of code."""
        known = self.files.get(repository_id, {}).get(number)
        return known or [ChangedFile(filename=f"src/module_{index}.py") for index in range(count)]


def tree_sha(commit: str, folder: str) -> str:
    return sha(f"{commit} tree {folder}")


def read(data: dict[str, Any]) -> MergeWorld:
    """Return what `store.dump` made into JSON data."""
    world = MergeWorld(**data)
    world.files = {
        int(repository): {
            int(number): [ChangedFile(**part) for part in parts] for number, parts in found.items()
        }
        for repository, found in data["files"].items()
    }
    world.reviews = {
        int(repository): {int(number): parts for number, parts in found.items()}
        for repository, found in data["reviews"].items()
    }
    world.demands = {int(repository): BranchDemands(**part) for repository, part in data["demands"].items()}
    world.runs = {commit: [ExtraRun(**part) for part in parts] for commit, parts in data["runs"].items()}
    return world
