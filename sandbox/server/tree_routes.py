"""The trees of commits, folder by folder: what tells a file from a link, and from a submodule."""

from __future__ import annotations

from sandbox import resources
from sandbox.resources import Json
from sandbox.server import git_answers
from sandbox.server.merge_world import REGULAR, SUBMODULE, tree_sha
from sandbox.server.messages import NOT_FOUND, Answer, ok
from sandbox.server.routing import Asked, Routes
from sandbox.world import Repository

routes = Routes()

FOLDER = "040000"


@routes.on_repository("GET", "/git/trees/(?P<tree>[0-9a-f]{40})")
def show_tree(asked: Asked, repository: Repository) -> Answer:
    """Show the tree of a pull request's head, of its base, of a folder that one has named, or one of Git's own."""
    tree, objects = asked.parts["tree"], asked.state.objects(repository.id)
    if tree in objects.trees:
        return ok(git_answers.tree(repository, tree, objects))
    commit, folder = asked.state.merging.trees.get(tree, [tree, ""])
    files = _files_at(asked, repository, commit)
    if files is None:
        return NOT_FOUND
    entries = [
        _entry(repository, name, mode, tree_sha(commit, f"{folder}{name}/"))
        for name, mode in sorted(_in_folder(files, folder).items())
    ]
    asked.state.merging.trees |= {
        entry["sha"]: [commit, f"{folder}{entry['path']}/"] for entry in entries if entry["mode"] == FOLDER
    }
    return ok({"sha": tree, "url": _url(repository, tree), "truncated": False, "tree": entries})


def _files_at(asked: Asked, repository: Repository, commit: str) -> dict[str, str] | None:
    """Return path and mode of all changed files as they are in a commit, None for an unknown commit."""
    pulls = list(asked.state.pull_requests_of(repository.id))
    if all(commit not in {pull.head_sha, pull.base_sha} for pull in pulls):
        return None
    found: dict[str, str] = {}
    for pull in pulls:
        for changed in asked.state.merging.changed_files(repository.id, pull.number, pull.changed_files):
            if pull.head_sha == commit and changed.status != "removed":
                found[changed.filename] = changed.mode
            if pull.base_sha == commit and changed.status != "added":
                found[changed.previous_filename or changed.filename] = changed.mode
    return found


def _in_folder(files: dict[str, str], folder: str) -> dict[str, str]:
    """Return the names in a folder ("docs/", "" for the root) with their modes."""
    inside = {path.removeprefix(folder): mode for path, mode in files.items() if path.startswith(folder)}
    return {path.partition("/")[0]: FOLDER if "/" in path else mode for path, mode in inside.items()}


def _entry(repository: Repository, name: str, mode: str, number: str) -> Json:
    kind = {FOLDER: "tree", SUBMODULE: "commit"}.get(mode, "blob")
    entry: Json = {"path": name, "mode": mode, "type": kind, "sha": number, "url": _url(repository, number)}
    return entry | ({"size": 1} if mode == REGULAR else {})


def _url(repository: Repository, tree: str) -> str:
    return f"{resources.repository_url(repository)}/git/trees/{tree}"
