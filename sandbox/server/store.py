"""The state as JSON and back, so that a pretended GitHub outlives its process."""

from __future__ import annotations

import json
from dataclasses import fields, is_dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from sandbox import git
from sandbox.server import merge_world
from sandbox.server.state import Job, Remark, Standing, State, Thing, WorkflowRun
from sandbox.world import Installation, Issue, Person, PullRequest, Repository


def dump(value: Any) -> Any:
    """Return a value of the sandbox as plain JSON data; a set becomes a sorted list."""
    if is_dataclass(value) and not isinstance(value, type):
        return {part.name: dump(getattr(value, part.name)) for part in fields(value)}
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, dict):
        return {str(key): dump(item) for key, item in value.items()}
    if isinstance(value, set):
        return sorted(dump(item) for item in value)
    if isinstance(value, list | tuple):
        return [dump(item) for item in value]
    return value


def plain(state: State) -> Any:
    """Return a state as JSON data in which repositories and installations are named by id."""
    data = dump(state)
    data["things"] = {
        str(repository): {str(number): _thing_data(thing) for number, thing in found.items()}
        for repository, found in state.things.items()
    }
    for repository in data["repositories"].values():
        installation = repository["installation"]
        repository["installation"] = installation and installation["id"]
    return data


def save(state: State, path: Path) -> None:
    """Write the state to a file, whole or not at all."""
    new = path.with_suffix(".new")
    new.write_text(json.dumps(plain(state)), encoding="utf-8")
    new.replace(path)


def load(path: Path) -> State:
    """Read a state that `save` has written."""
    return read(json.loads(path.read_text(encoding="utf-8")))


def read(data: Any) -> State:
    """Return the state that `plain` made into JSON data."""
    state = State(app_id=data["app_id"], app_slug=data["app_slug"], old_names=data["old_names"])
    for part in data["installations"].values():
        state.add_installation(_installation(part))
    for part in data["repositories"].values():
        state.add_repository(_repository(part, state))
    for found in data["things"].values():
        for part in found.values():
            state.add_thing(_thing(part, state))
    state.branches = {int(number): found for number, found in data["branches"].items()}
    state.issues_off = set(data["issues_off"])
    state.deleted = {(repository, number) for repository, number in data["deleted"]}
    _add_talk_and_checks(state, data)
    return state


def _add_talk_and_checks(state: State, data: dict[str, Any]) -> None:
    state.standings = {
        int(repository): {int(number): Standing(**part) for number, part in found.items()}
        for repository, found in data["standings"].items()
    }
    state.comments = {int(number): Remark(**part) for number, part in data["comments"].items()}
    state.permissions = {int(repository): found for repository, found in data["permissions"].items()}
    state.check_runs, state.statuses = data["check_runs"], data["statuses"]
    state.workflow_runs = {int(number): WorkflowRun(**part) for number, part in data["workflow_runs"].items()}
    state.merging = merge_world.read(data["merging"])
    state.git = {int(repository): git.read(part) for repository, part in data["git"].items()}
    state.jobs = {int(run): [Job(**part) for part in parts] for run, parts in data["jobs"].items()}


def _thing_data(thing: Thing) -> Any:
    names = (part.name for part in fields(thing) if part.name != "repository")
    kind = type(thing).__name__
    return {name: dump(getattr(thing, name)) for name in names} | {
        "repository": thing.repository.id,
        "kind": kind,
    }


def _dated(data: dict[str, Any]) -> dict[str, Any]:
    """Turn the members that are instants back into such."""
    return {
        name: datetime.fromisoformat(value) if name.endswith("_at") and value else value
        for name, value in data.items()
    }


def _installation(data: dict[str, Any]) -> Installation:
    return Installation(**_dated(data) | {"account": Person(**data["account"])})


def _repository(data: dict[str, Any], state: State) -> Repository:
    installation = state.installations.get(data["installation"])
    return Repository(**_dated(data) | {"owner": Person(**data["owner"]), "installation": installation})


def _thing(data: dict[str, Any], state: State) -> Thing:
    kind = {"PullRequest": PullRequest, "Issue": Issue}[data.pop("kind")]
    author = Person(**data["author"]) if data["author"] else None
    more = {
        "author": author,
        "labels": tuple(data["labels"]),
        "repository": state.repositories[data["repository"]],
    }
    thing: Thing = kind(**_dated(data) | more)
    return thing
