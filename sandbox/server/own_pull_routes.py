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

INVALID_BASE = error(422, "Validation Failed: base is invalid")
INVALID_HEAD = error(422, "Validation Failed: head is invalid")


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
    if any(
        pull.head_ref == head and pull.state == "open" for pull in asked.state.pull_requests_of(repository.id)
    ):
        return error(
            422, f"Validation Failed: A pull request already exists for {repository.owner.login}:{head}."
        )
    objects = asked.state.objects(repository.id)
    if branches[head] in objects.history(branches[base]):
        return error(422, f"Validation Failed: No commits between {base} and {head}")
    return None


def _bot(asked: Asked) -> Person:
    return person(f"{asked.state.app_slug}[bot]")
