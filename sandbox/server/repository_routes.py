"""What an installation asks: its repositories, and what is in one of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeVar
from urllib.parse import unquote

from sandbox import pulls
from sandbox.server import answers
from sandbox.server.messages import NOT_FOUND, Answer, Request, error, ok, ok_list
from sandbox.server.paging import cut
from sandbox.server.routing import Asked, Routes, Who
from sandbox.world import Issue, PullRequest, Repository

routes = Routes()
ThingT = TypeVar("ThingT", PullRequest, Issue | PullRequest)

ISSUES_DISABLED = error(410, "Issues are disabled for this repo")
ISSUE_DELETED = error(410, "This issue was deleted")


@routes.on("GET", "/installation/repositories", Who.INSTALLATION)
def list_repositories(asked: Asked) -> Answer:
    repositories = asked.state.of_installation(asked.installation_id)
    page, headers = cut(repositories, asked.request, asked.base_url)
    selection = asked.state.installations[asked.installation_id].selection
    body = {
        "total_count": len(repositories),
        "repository_selection": selection,
        "repositories": [answers.repository(repository, asked.state) for repository in page],
    }
    return ok(body, headers=headers)


@routes.on_repository("GET", "")
def show_repository(asked: Asked, repository: Repository) -> Answer:
    return ok(answers.full_repository(repository, asked.state))


@routes.on_repository("GET", "/pulls")
def list_pull_requests(asked: Asked, repository: Repository) -> Answer:
    chosen = _chosen(asked.state.pull_requests_of(repository.id), asked.request)
    page, headers = cut(chosen, asked.request, asked.base_url)
    return ok_list(map(answers.listed_pull_request, page), headers)


@routes.on_repository("GET", r"/pulls/(?P<number>\d+)")
def show_pull_request(asked: Asked, repository: Repository) -> Answer:
    thing = asked.state.thing(repository.id, asked.part("number"))
    return ok(answers.pull_request(thing, asked.state)) if isinstance(thing, PullRequest) else NOT_FOUND


@routes.on_repository("GET", "/issues")
def list_issues(asked: Asked, repository: Repository) -> Answer:
    """Pull requests are issues, too, and are listed among them."""
    if repository.id in asked.state.issues_off:
        return ISSUES_DISABLED
    things = _chosen(asked.state.things_of(repository.id), asked.request)
    page, headers = cut(things, asked.request, asked.base_url)
    return ok_list(map(answers.listed_issue, page), headers)


@routes.on_repository("GET", r"/issues/(?P<number>\d+)")
def show_issue(asked: Asked, repository: Repository) -> Answer:
    number = asked.part("number")
    thing = asked.state.thing(repository.id, number)
    if (repository.id, number) in asked.state.deleted:
        return ISSUE_DELETED
    if thing is None:
        return NOT_FOUND
    if isinstance(thing, Issue) and repository.id in asked.state.issues_off:
        return ISSUES_DISABLED
    return ok(pulls.issue(thing))


@routes.on_repository("GET", "/branches")
def list_branches(asked: Asked, repository: Repository) -> Answer:
    branches = sorted(asked.state.branches[repository.id].items())
    page, headers = cut(branches, asked.request, asked.base_url)
    return ok([answers.listed_branch(repository, name, commit) for name, commit in page], headers=headers)


@routes.on_repository("GET", "/branches/(?P<branch>.+)")
def show_branch(asked: Asked, repository: Repository) -> Answer:
    name = unquote(asked.parts["branch"])
    commit = asked.state.branches[repository.id].get(name)
    if commit is None:
        return error(404, "Branch not found")
    is_default = name == repository.default_branch
    protected = asked.state.merging.of_branch(repository.id).protected if is_default else []
    return ok(answers.branch(repository, name, commit, protected))


def _chosen(things: Iterable[ThingT], request: Request) -> Sequence[ThingT]:
    """Keep those in the wanted state and bring them into the wanted order (usually the newest first)."""
    state = request.query.get("state", "open")
    by_update = request.query.get("sort") == "updated"
    return sorted(
        (thing for thing in things if state in {"all", thing.state} and _has_head(thing, request)),
        key=lambda thing: (thing.updated_at if by_update else thing.created_at, thing.number),
        reverse=request.query.get("direction", "desc") != "asc",
    )


def _has_head(thing: Issue | PullRequest, request: Request) -> bool:
    """Tell whether a thing passes the filter `head`, which is none unless it names owner and branch."""
    owner, named, branch = request.query.get("head", "").partition(":")
    if not named or not isinstance(thing, PullRequest):
        return True
    return thing.head_ref == branch and thing.repository.owner.login.lower() == owner.lower()
