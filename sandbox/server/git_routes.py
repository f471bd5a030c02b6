"""Git's own objects over REST: blobs, trees, commits and branches, which move forward only."""

from __future__ import annotations

import base64
from collections.abc import Callable
from dataclasses import replace
from urllib.parse import unquote

from sandbox import payloads, resources
from sandbox.server import git_answers
from sandbox.server.changer import person
from sandbox.server.head_routes import refusal_to_write
from sandbox.server.messages import NOT_FOUND, Answer, error, ok
from sandbox.server.routing import Asked, RepositoryHandler, Routes
from sandbox.world import NO_COMMIT, Commit, Person, Repository

routes = Routes()

EXISTS = error(422, "Reference already exists")
MISSING = error(422, "Reference does not exist")
NOT_FORWARD = error(422, "Update is not a fast forward")
NO_OBJECT = error(422, "Object does not exist")
NOTHING_TO_REMOVE = error(422, "GitRPC::BadObjectState")


def writes(verb: str, rest: str) -> Callable[[RepositoryHandler], RepositoryHandler]:
    """Enter a handler for repositories that the asking installation may write to."""

    def enter(handler: RepositoryHandler) -> RepositoryHandler:
        def checked(asked: Asked, repository: Repository) -> Answer:
            return refusal_to_write(asked, repository) or handler(asked, repository)

        return routes.on_repository(verb, rest)(checked)

    return enter


@routes.on_repository("GET", "/git/ref/heads/(?P<branch>.+)")
def show_ref(asked: Asked, repository: Repository) -> Answer:
    branch = unquote(asked.parts["branch"])
    sha = asked.state.branches[repository.id].get(branch)
    return ok(git_answers.ref(repository, branch, sha)) if sha else NOT_FOUND


@routes.on_repository("GET", r"/git/commits/(?P<sha>[0-9a-f]{40})")
def show_commit(asked: Asked, repository: Repository) -> Answer:
    sha = asked.parts["sha"]
    return ok(git_answers.commit(repository, sha, asked.state.objects(repository.id).commit(sha)))


@writes("POST", "/git/blobs")
def add_blob(asked: Asked, repository: Repository) -> Answer:
    given = asked.request.json()
    binary = given.get("encoding") == "base64"
    content = base64.b64decode(given["content"]) if binary else given["content"].encode()
    sha = asked.state.objects(repository.id).add_blob(content)
    return ok({"sha": sha, "url": f"{resources.repository_url(repository)}/git/blobs/{sha}"}, 201)


@writes("POST", "/git/trees")
def add_tree(asked: Asked, repository: Repository) -> Answer:
    objects, given = asked.state.objects(repository.id), asked.request.json()
    files = objects.files(given["base_tree"])
    for entry in given["tree"]:
        content = entry.get("content")
        held = entry["sha"] if content is None else objects.add_blob(content.encode())
        if held is None and entry["path"] not in files:
            return NOTHING_TO_REMOVE
        files.pop(entry["path"], None)
        if held is not None:
            files[entry["path"]] = (entry["mode"], held)
    return ok(git_answers.tree(repository, objects.add_tree(files), objects), 201)


@writes("POST", "/git/commits")
def add_commit(asked: Asked, repository: Repository) -> Answer:
    objects, given = asked.state.objects(repository.id), asked.request.json()
    if given["tree"] not in objects.trees:
        return NO_OBJECT
    sha = objects.add_commit(given["tree"], given["parents"], given["message"])
    return ok(git_answers.commit(repository, sha, objects.commits[sha]), 201)


@writes("POST", "/git/refs")
def add_ref(asked: Asked, repository: Repository) -> Answer:
    given = asked.request.json()
    branch, sha = given["ref"].removeprefix("refs/heads/"), given["sha"]
    if branch in asked.state.branches[repository.id]:
        return EXISTS
    if sha not in asked.state.objects(repository.id).commits:
        return NO_OBJECT
    asked.hook.emit("create", payloads.create(repository, branch, _bot(asked)))
    _point(asked, repository, branch, sha)
    return ok(git_answers.ref(repository, branch, sha), 201)


@writes("PATCH", "/git/refs/heads/(?P<branch>.+)")
def move_ref(asked: Asked, repository: Repository) -> Answer:
    given, branch = asked.request.json(), unquote(asked.parts["branch"])
    before = asked.state.branches[repository.id].get(branch)
    objects = asked.state.objects(repository.id)
    if before is None:
        return MISSING
    if before not in objects.history(given["sha"]) and not given.get("force"):
        return NOT_FORWARD
    _point(asked, repository, branch, given["sha"])
    return ok(git_answers.ref(repository, branch, given["sha"]))


def _point(asked: Asked, repository: Repository, branch: str, sha: str) -> None:
    """Let a branch point to a commit, its open pull requests with it, and tell everybody."""
    before = asked.state.branches[repository.id].get(branch, NO_COMMIT)
    asked.state.branches[repository.id][branch] = sha
    for pull in list(asked.state.pull_requests_of(repository.id)):
        if pull.state == "open" and pull.head_ref == branch and pull.head_sha != sha:
            moved = replace(pull, head_sha=sha, updated_at=asked.now)
            asked.state.add_thing(moved)
            asked.hook.emit("pull_request", payloads.pull_request("synchronize", moved, _bot(asked)))
    message = asked.state.objects(repository.id).commit(sha).message
    commit = Commit(sha=sha, message=message, author=_bot(asked), at=asked.now)
    body = payloads.push(repository, f"refs/heads/{branch}", [commit], _bot(asked), before=before)
    asked.hook.emit("push", body)


def _bot(asked: Asked) -> Person:
    return person(f"{asked.state.app_slug}[bot]")
