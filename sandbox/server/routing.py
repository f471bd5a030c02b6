"""Which handler answers which path, and what it is given."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import Enum
from typing import Any
from urllib.parse import urlencode

from sandbox.server.hook import Hook
from sandbox.server.identity import Identities
from sandbox.server.messages import NOT_FOUND, Answer, Request, error
from sandbox.server.state import State
from sandbox.world import Repository


class Who(Enum):
    """Who may ask a route."""

    APP = "app"
    INSTALLATION = "installation"
    ANYBODY = "anybody"


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A request on its way to a handler: `installation_id` is 0 unless an installation asks."""

    request: Request
    parts: Mapping[str, str]
    installation_id: int
    state: State
    identities: Identities
    hook: Hook
    now: datetime
    base_url: str

    def part(self, name: str) -> int:
        return int(self.parts[name])


Handler = Callable[[Asked], Answer]
RepositoryHandler = Callable[[Asked, Repository], Answer]


@dataclass(frozen=True, slots=True)
class Route:
    verb: str
    pattern: re.Pattern[str]
    who: Who
    handler: Handler


class Routes:
    """A table that handlers enter themselves into."""

    def __init__(self) -> None:
        self.table: list[Route] = []

    def on(self, verb: str, pattern: str, who: Who) -> Callable[[Handler], Handler]:
        """Enter a handler for a verb and a path; its named groups become the parts."""

        def enter(handler: Handler) -> Handler:
            self.table.append(Route(verb, re.compile(pattern), who, handler))
            return handler

        return enter

    def on_repository(self, verb: str, rest: str) -> Callable[[RepositoryHandler], RepositoryHandler]:
        """Enter a handler for a part of a repository, whether it is named by id or by name."""

        def enter(handler: RepositoryHandler) -> RepositoryHandler:
            pattern = rf"(?:/repositories/(?P<id>\d+)|/repos/(?P<owner>[^/]+)/(?P<name>[^/]+)){rest}"
            self.on(verb, pattern, Who.INSTALLATION)(lambda asked: _of_repository(asked, handler))
            return handler

        return enter

    def find(self, request: Request) -> tuple[Route, dict[str, Any]] | None:
        for route in self.table:
            match = route.pattern.fullmatch(request.path)
            if match and route.verb == request.verb:
                return route, match.groupdict()
        return None


def _of_repository(asked: Asked, handler: RepositoryHandler) -> Answer:
    """Find the repository and see that the installation may read it; an old name redirects to the id."""
    state, parts = asked.state, asked.parts
    if parts["id"]:
        found = state.repository(int(parts["id"]))
    else:
        full_name = f"{parts['owner']}/{parts['name']}"
        if full_name.lower() in state.old_names and not state.named(full_name):
            return _moved(asked, state.old_names[full_name.lower()])
        named = state.named(full_name)
        found = named and state.repository(named.id)
    if found is None or not _may_read(found, asked.installation_id):
        return NOT_FOUND
    return handler(asked, found)


def _may_read(repository: Repository, installation_id: int) -> bool:
    """Tell whether an installation sees a repository: its own ones and, as all do, the public ones."""
    own = repository.installation is not None and repository.installation.id == installation_id
    return own or not repository.private


def _moved(asked: Asked, repository_id: int) -> Answer:
    rest = asked.request.path.split("/", 4)[4:]
    query = f"?{urlencode(asked.request.query)}" if asked.request.query else ""
    url = "/".join([f"{asked.base_url}/repositories/{repository_id}", *rest]) + query
    refusal = error(301, "Moved Permanently", url=url)
    return Answer(301, refusal.text, {"Location": url})
