"""How a bot talks: comments, reactions, labels, titles; and who may tell it what to do."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from typing import Any
from urllib.parse import unquote

from sandbox import payloads, pulls, resources
from sandbox.resources import Json, instant
from sandbox.server import answers
from sandbox.server.changer import person
from sandbox.server.head_routes import refusal_to_write
from sandbox.server.messages import NOT_FOUND, Answer, error, ok
from sandbox.server.routing import Asked, Routes
from sandbox.server.state import Remark, Thing
from sandbox.world import PullRequest, Repository, node_id, sha

routes = Routes()

LABEL_UNKNOWN = error(404, "Label does not exist")
NO_COLLABORATOR = error(404, "Not Found")
LONGEST_TITLE = 256
TOO_LONG = error(422, "Validation Failed")

ThingHandler = Callable[[Asked, Thing], Answer]


def writes_to_thing(verb: str, rest: str) -> Callable[[ThingHandler], ThingHandler]:
    """Enter a handler that writes to a pull request or issue, which the installation must own."""

    def enter(handler: ThingHandler) -> ThingHandler:
        def checked(asked: Asked, repository: Repository) -> Answer:
            thing = asked.state.thing(repository.id, asked.part("number"))
            if thing is None:
                return NOT_FOUND
            return refusal_to_write(asked, repository) or handler(asked, thing)

        routes.on_repository(verb, rest)(checked)
        return handler

    return enter


@routes.on_repository("GET", r"/collaborators/(?P<login>[^/]+)/permission")
def show_permission(asked: Asked, repository: Repository) -> Answer:
    """An account that nobody has heard of is not found; anybody else may read what is public."""
    login = unquote(asked.parts["login"])
    permission = asked.state.permissions.get(repository.id, {}).get(login.lower())
    if permission is None:
        return NO_COLLABORATOR
    user = resources.user(person(login)) | {"role_name": permission}
    return ok({"permission": permission, "user": user, "role_name": permission})


@writes_to_thing("PATCH", r"/pulls/(?P<number>\d+)")
def edit_pull_request(asked: Asked, thing: Thing) -> Answer:
    given = asked.request.json()
    if not isinstance(thing, PullRequest):
        return NOT_FOUND
    if len(given.get("title", "")) > LONGEST_TITLE:
        return TOO_LONG
    names = {"title": "title", "body": "body", "base": "base_ref", "state": "state"}
    members = {names[name]: value for name, value in given.items() if name in names}
    closes = given.get("state", thing.state) != thing.state
    closed_at = asked.now if closes and given["state"] == "closed" else thing.closed_at
    changed = replace(thing, **members, updated_at=asked.now, closed_at=closed_at)
    asked.state.add_thing(changed)
    action = {True: "reopened" if changed.state == "open" else "closed", False: "edited"}[closes]
    asked.hook.emit("pull_request", payloads.pull_request(action, changed, _bot(asked)))
    return ok(answers.pull_request(changed, asked.state))


@writes_to_thing("DELETE", r"/issues/(?P<number>\d+)/labels/(?P<label>[^/]+)")
def remove_label(asked: Asked, thing: Thing) -> Answer:
    label = unquote(asked.parts["label"])
    if label not in thing.labels:
        return LABEL_UNKNOWN
    left = tuple(name for name in thing.labels if name != label)
    changed = replace(thing, labels=left, updated_at=asked.now)
    asked.state.add_thing(changed)
    if isinstance(changed, PullRequest):
        asked.hook.emit("pull_request", payloads.pull_request("unlabeled", changed, _bot(asked)))
    return ok([pulls.label(name, changed.repository) for name in left])


@writes_to_thing("POST", r"/issues/(?P<number>\d+)/comments")
def add_comment(asked: Asked, thing: Thing) -> Answer:
    bot, text = _bot(asked), str(asked.request.json()["body"])
    body = payloads.issue_comment("created", thing, bot, text)
    comment_id = body["comment"]["id"]
    asked.state.comments[comment_id] = Remark(
        repository_id=thing.repository.id, number=thing.number, login=bot.login, text=text
    )
    asked.hook.emit("issue_comment", body)
    return ok(body["comment"], 201)


@routes.on_repository("POST", r"/issues/comments/(?P<comment>\d+)/reactions")
def react(asked: Asked, repository: Repository) -> Answer:
    """A second reaction of the same kind is answered 200 with the first one."""
    remark = asked.state.comments.get(asked.part("comment"))
    if remark is None or remark.repository_id != repository.id:
        return NOT_FOUND
    if refused := refusal_to_write(asked, repository):
        return refused
    content, login = str(asked.request.json()["content"]), _bot(asked).login
    logins = remark.reactions.setdefault(content, [])
    known = login in logins
    if not known:
        logins.append(login)
    return ok(_reaction(asked.part("comment"), content, login, asked.now), 200 if known else 201)


def _reaction(comment_id: int, content: str, login: str, at: datetime) -> Json:
    number = int(sha(f"{comment_id} {content} {login}")[:7], 16)
    return {
        "id": number,
        "node_id": node_id("REA", comment_id, number),
        "user": resources.user(person(login)),
        "content": content,
        "created_at": instant(at),
    }


def _bot(asked: Asked) -> Any:
    return person(f"{asked.state.app_slug}[bot]")
