"""Ready-made states: the demo's cast, and as many repositories as a proof wants."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta

from sandbox import cast, scenario
from sandbox.server.state import State
from sandbox.world import BEGINNING, Installation, Issue, Person, PullRequest, Repository, sha

FIRST_INSTALLATION = 700_001
FIRST_REPOSITORY = 800_001


def of_the_demo(now: datetime) -> State:
    """Return what GitHub has when the demo's story is over, each thing as old as its row is made."""
    state = State()
    for installation in cast.INSTALLATIONS:
        state.add_installation(installation)
    for repository in cast.REPOSITORIES:
        state.add_repository(repository)
    for step, at in scenario.dated(now):
        _leave(state, step.leaves, at)
    for step in scenario.today(now, app_slug=state.app_slug):
        _leave(state, step.leaves, now)
    return state


def _leave(state: State, left: scenario.Left | None, at: datetime) -> None:
    match left:
        case PullRequest() | Issue():
            _leave_thing(state, left, at)
        case Installation():
            state.add_installation(replace(left, suspended_at=left.suspended_at and at))
        case Repository():
            state.rename(left)


def _leave_thing(state: State, left: PullRequest | Issue, at: datetime) -> None:
    before = state.thing(left.repository.id, left.number)
    state.add_thing(replace(left, created_at=before.created_at if before else at, updated_at=at))
    if isinstance(left, PullRequest) and left.state == "closed":
        state.branches[left.repository.id].pop(left.head_ref, None)


def regular(
    *,
    installations: int = 1,
    repositories: int = 1,
    pull_requests: int = 0,
    issues: int = 0,
    branches: int = 0,
) -> State:
    """Return a state of equal parts: so many repositories in each installation, so many things in each of
    those.

    Numbers count pull requests first; branches come on top of the default branch and the pull requests' own.
    """
    state = State()
    for index in range(installations):
        installation = _installation(index)
        state.add_installation(installation)
        for position in range(repositories):
            repository = _repository(index * repositories + position, installation)
            state.add_repository(repository)
            fill(state, repository, pull_requests=pull_requests, issues=issues, branches=branches)
    return state


def fill(
    state: State, repository: Repository, *, pull_requests: int = 0, issues: int = 0, branches: int = 0
) -> None:
    """Put open things into a repository, numbered from 1, a minute apart from the beginning."""
    for number in range(1, pull_requests + 1):
        state.add_thing(_pull_request(repository, number))
    for number in range(pull_requests + 1, pull_requests + issues + 1):
        state.add_thing(_issue(repository, number))
    for number in range(1, branches + 1):
        state.branches[repository.id][f"branch/{number:04}"] = sha(f"{repository.id} branch {number}")


def _installation(index: int) -> Installation:
    account = Person(id=600_001 + index, login=f"account-{index + 1}", type="Organization")
    return Installation(id=FIRST_INSTALLATION + index, account=account)


def _repository(index: int, installation: Installation) -> Repository:
    return Repository(
        id=FIRST_REPOSITORY + index,
        name=f"repository-{index + 1}",
        owner=installation.account,
        installation=installation,
        private=index % 2 == 1,
    )


def _pull_request(repository: Repository, number: int) -> PullRequest:
    at = BEGINNING + timedelta(minutes=number)
    return PullRequest(
        id=repository.id * 10_000 + number,
        number=number,
        repository=repository,
        title=f"Pull request {number} of {repository.name}",
        author=cast.AUTHORS[number % len(cast.AUTHORS)],
        head_ref=f"topic/{number}",
        head_sha=sha(f"{repository.id} {number}"),
        created_at=at,
        updated_at=at,
        draft=number % 7 == 0,
        auto_merge=number % 5 == 0,
        fork_deleted=number % 11 == 0,
    )


def _issue(repository: Repository, number: int) -> Issue:
    at = BEGINNING + timedelta(minutes=number)
    return Issue(
        id=repository.id * 10_000 + number,
        number=number,
        repository=repository,
        title=f"Issue {number} of {repository.name}",
        author=cast.AUTHORS[number % len(cast.AUTHORS)],
        created_at=at,
        updated_at=at,
    )
