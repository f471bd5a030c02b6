"""What all changes have in common: finding what they are about, and who does it."""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar

from sandbox import cast
from sandbox.server.clock import Clock
from sandbox.server.hook import Hook
from sandbox.server.state import State, Thing
from sandbox.world import Installation, Issue, Person, PullRequest, Repository, sha

P = ParamSpec("P")
R = TypeVar("R")
C = TypeVar("C", bound="Changer")

SOMEBODY = cast.MIRA


class UnknownThingError(Exception):
    """A change names something that does not exist."""


CHANGES: set[str] = set()


def change(method: Callable[Concatenate[C, P], R]) -> Callable[Concatenate[C, P], R]:
    """Make a method a change: it takes its turn among the requests, and is delivered before it returns."""
    CHANGES.add(method.__name__)

    @wraps(method)
    def made(self: C, /, *arguments: P.args, **named: P.kwargs) -> R:
        with self._lock:
            result = method(self, *arguments, **named)
        self._hook.flush_unless_held()
        return result

    return made


class Changer:
    """Writes the state and emits the Events that GitHub would send. `by` is the login of whoever does it."""

    def __init__(self, state: State, clock: Clock, hook: Hook, lock: threading.RLock) -> None:
        self._state = state
        self._clock = clock
        self._hook = hook
        self._lock = lock

    def by_name(self, name: str, arguments: dict[str, Any]) -> Any:
        """Make the change of that name; raises UnknownThingError, TypeError for arguments that do not fit."""
        if name not in CHANGES:
            raise UnknownThingError(f"There is no change {name!r}.")
        return getattr(self, name)(**arguments)

    def _installation(self, installation_id: int) -> Installation:
        installation = self._state.installations.get(installation_id)
        if installation is None:
            raise UnknownThingError(f"There is no installation {installation_id}.")
        return installation

    def _repository(self, repository_id: int) -> Repository:
        repository = self._state.repository(repository_id)
        if repository is None:
            raise UnknownThingError(f"There is no repository {repository_id}.")
        return repository

    def _thing(self, repository_id: int, number: int) -> Thing:
        thing = self._state.thing(repository_id, number)
        if thing is None:
            raise UnknownThingError(f"Repository {repository_id} has no number {number}.")
        return thing

    def _pull(self, repository_id: int, number: int) -> PullRequest:
        thing = self._thing(repository_id, number)
        if not isinstance(thing, PullRequest):
            raise UnknownThingError(f"Number {number} is an issue.")
        return thing

    def _issue(self, repository_id: int, number: int) -> Issue:
        thing = self._thing(repository_id, number)
        if not isinstance(thing, Issue):
            raise UnknownThingError(f"Number {number} is a pull request.")
        return thing


def person(login: str) -> Person:
    """Return the account of a login; the same login is always the same account."""
    if not login:
        return SOMEBODY
    return Person(id=int(sha(login)[:7], 16), login=login, type="Bot" if login.endswith("[bot]") else "User")
