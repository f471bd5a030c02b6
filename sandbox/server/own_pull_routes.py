"""Pull requests that the App opens, keeps as they should be, and closes."""

from __future__ import annotations

from dataclasses import replace

from sandbox import payloads, pulls
from sandbox.server import answers
from sandbox.server.changer import person
from sandbox.server.head_routes import refusal_to_write
from sandbox.server.messages import NOT_FOUND, Answer, error, ok
from sandbox.server.routing import Asked, Routes
from sandbox.world import Person, PullRequest, Repository

routes = Routes()


def _invalid(**particulars: str) -> Answer:
    """Refuse as GitHub does what it cannot make a pull request of."""
    return error(422, "Validation Failed", errors=[{"resource": "PullRequest", **particulars}])


INVALID_BASE = _invalid(field="base", code="invalid")
INVALID_HEAD = _invalid(field="head", code="invalid")


@routes.on_repository("POST", "/pulls")
def open_pull_request(asked: Asked, repository: Repository) -> Answer:
    """Open a pull request from one branch of the repository to another."""
    given = asked.request.json()
    refused = refusal_to_write(asked, repository) or _refusal_to_open(asked, repository)
    if refused:
        return refused
    pull = PullRequest(
        id=asked.state.next_id(),
        number=asked.state.next_number(repository.id),
        repository=repository,
        title=given["title"],
        body=given.get("body"),
        author=_bot(asked),
        head_ref=given["head"],
        head_sha=asked.state.branches[repository.id][given["head"]],
        base_ref=given["base"],
        draft=given.get("draft", False),
        created_at=asked.now,
        updated_at=asked.now,
    )
    asked.state.add_thing(pull)
    asked.hook.emit("pull_request", payloads.pull_request("opened", pull, _bot(asked)))
    return ok(answers.pull_request(pull, asked.state), 201)


@routes.on_repository("POST", r"/issues/(?P<number>\d+)/labels")
def add_labels(asked: Asked, repository: Repository) -> Answer:
    thing = asked.state.thing(repository.id, asked.part("number"))
    if thing is None:
        return NOT_FOUND
    if refused := refusal_to_write(asked, repository):
        return refused
    labels = tuple(dict.fromkeys((*thing.labels, *asked.request.json()["labels"])))
    changed = replace(thing, labels=labels, updated_at=asked.now)
    asked.state.add_thing(changed)
    if isinstance(changed, PullRequest):
        asked.hook.emit("pull_request", payloads.pull_request("labeled", changed, _bot(asked)))
    return ok([pulls.label(name, repository) for name in labels])


def _refusal_to_open(asked: Asked, repository: Repository) -> Answer | None:
    given, branches = asked.request.json(), asked.state.branches[repository.id]
    head, base = given["head"], given["base"]
    if base not in branches:
        return INVALID_BASE
    if head not in branches:
        return INVALID_HEAD
    others = asked.state.pull_requests_of(repository.id)
    if any(pull.head_ref == head and pull.state == "open" for pull in others):
        there = f"A pull request already exists for {repository.owner.login}:{head}."
        return _invalid(code="custom", message=there)
    objects = asked.state.objects(repository.id)
    if branches[head] in objects.history(branches[base]):
        return _invalid(code="custom", message=f"No commits between {base} and {head}")
    return None


def _bot(asked: Asked) -> Person:
    return person(f"{asked.state.app_slug}[bot]")
