"""What the pretended GitHub knows: installations, repositories, and what is in them.

The values are those of sandbox.world. A pull request names its repository and that its installation; so that
a rename or a suspension shows everywhere, they are kept apart here and put together when somebody asks.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

from sandbox.git import Objects
from sandbox.server.merge_world import MergeWorld
from sandbox.world import Installation, Issue, PullRequest, Repository, sha

APP_ID = 200100
APP_SLUG = "pullkeeper-demo"

Thing = PullRequest | Issue


@dataclass(kw_only=True)
class Standing:
    """How a pull request stands to its base: commits behind it, and what GitHub thinks of merging the two."""

    behind: int = 0
    mergeable: bool | None = True
    mergeable_state: str = "clean"


@dataclass(kw_only=True)
class Remark:
    """A comment, and who reacted to it: logins under each reaction."""

    repository_id: int
    number: int
    login: str
    text: str
    reactions: dict[str, list[str]] = field(default_factory=dict)


@dataclass(kw_only=True)
class WorkflowRun:
    """A workflow run of a pull request's head; `conclusion` is "" while it runs."""

    repository_id: int
    number: int
    # The head that it ran for; "": whatever the pull request's head is now.
    head_sha: str = ""
    name: str = "CI"
    conclusion: str = ""
    attempt: int = 1


@dataclass(kw_only=True)
class Job:
    """A job of a workflow run; `step` is the one that failed, `says` what the runner annotates, by level."""

    number: int
    name: str
    conclusion: str
    step: str = ""
    says: list[list[str]] = field(default_factory=list)


@dataclass(kw_only=True)
class State:
    """Everything, by id. Numbers of pull requests and issues are one sequence in each repository."""

    app_id: int = APP_ID
    app_slug: str = APP_SLUG
    installations: dict[int, Installation] = field(default_factory=dict)
    repositories: dict[int, Repository] = field(default_factory=dict)
    things: dict[int, dict[int, Thing]] = field(default_factory=dict)
    branches: dict[int, dict[str, str]] = field(default_factory=dict)
    # Repositories whose issues are switched off, and issues that were deleted, as (repository, number).
    issues_off: set[int] = field(default_factory=set)
    deleted: set[tuple[int, int]] = field(default_factory=set)
    # Names that repositories had before, in lower case: GitHub redirects them until somebody else takes them.
    old_names: dict[str, int] = field(default_factory=dict)
    standings: dict[int, dict[int, Standing]] = field(default_factory=dict)
    comments: dict[int, Remark] = field(default_factory=dict)
    # By repository, then by login in lower case.
    permissions: dict[int, dict[str, str]] = field(default_factory=dict)
    # By commit, then by name: a check run's conclusion ("" until it has one), a status's state.
    check_runs: dict[str, dict[str, str]] = field(default_factory=dict)
    statuses: dict[str, dict[str, str]] = field(default_factory=dict)
    workflow_runs: dict[int, WorkflowRun] = field(default_factory=dict)
    merging: MergeWorld = field(default_factory=MergeWorld)
    # Git's objects by repository, and the jobs of workflow runs by run.
    git: dict[int, Objects] = field(default_factory=dict)
    jobs: dict[int, list[Job]] = field(default_factory=dict)

    def add_installation(self, installation: Installation) -> None:
        self.installations[installation.id] = installation

    def add_repository(self, repository: Repository) -> None:
        """Add a repository with its default branch."""
        self.repositories[repository.id] = repository
        self.old_names.pop(repository.full_name.lower(), None)
        self.things.setdefault(repository.id, {})
        self.branches.setdefault(repository.id, {repository.default_branch: sha(f"{repository.id} base")})

    def rename(self, repository: Repository) -> None:
        """Replace a repository by a later form of itself; another name of old redirects from now on."""
        old = self.repositories[repository.id]
        self.repositories[repository.id] = repository
        self.old_names.pop(repository.full_name.lower(), None)
        if old.full_name.lower() != repository.full_name.lower():
            self.old_names[old.full_name.lower()] = old.id

    def add_thing(self, thing: Thing) -> None:
        """Add or replace a pull request or an issue; an open pull request's branch exists."""
        self.things[thing.repository.id][thing.number] = thing
        if isinstance(thing, PullRequest) and thing.state == "open":
            self.branches[thing.repository.id][thing.head_ref] = thing.head_sha

    def repository(self, repository_id: int) -> Repository | None:
        """Return a repository with its installation as both are now."""
        found = self.repositories.get(repository_id)
        if found is None or found.installation is None:
            return found
        return replace(found, installation=self.installations.get(found.installation.id))

    def named(self, full_name: str) -> Repository | None:
        """Return the repository that has this name now, in any letter case."""
        wanted = full_name.lower()
        return next((repo for repo in self.repositories.values() if repo.full_name.lower() == wanted), None)

    def of_installation(self, installation_id: int) -> list[Repository]:
        """Return what an installation can reach, in the order of the ids."""
        return [
            repo
            for _, repo in sorted(self.repositories.items())
            if repo.installation and repo.installation.id == installation_id
        ]

    def thing(self, repository_id: int, number: int) -> Thing | None:
        found = self.things.get(repository_id, {}).get(number)
        repository = self.repository(repository_id)
        return replace(found, repository=repository) if found and repository else None

    def things_of(self, repository_id: int) -> Iterator[Thing]:
        """Yield the pull requests and issues of a repository by number."""
        repository = self.repository(repository_id)
        if repository:
            for _, found in sorted(self.things[repository_id].items()):
                yield replace(found, repository=repository)

    def pull_requests_of(self, repository_id: int) -> Iterable[PullRequest]:
        return (thing for thing in self.things_of(repository_id) if isinstance(thing, PullRequest))

    def standing(self, repository_id: int, number: int) -> Standing:
        """Return how a pull request stands to its base, to be changed in place."""
        return self.standings.setdefault(repository_id, {}).setdefault(number, Standing())

    def objects(self, repository_id: int) -> Objects:
        """Return Git's objects of a repository, to be changed in place."""
        return self.git.setdefault(repository_id, Objects())

    def next_number(self, repository_id: int) -> int:
        return max(self.things[repository_id], default=0) + 1

    def next_id(self) -> int:
        """Return an id above all that are in use."""
        things = (thing.id for found in self.things.values() for thing in found.values())
        return max((0, *self.installations, *self.repositories, *things)) + 1
