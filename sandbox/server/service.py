"""The pretended GitHub without HTTP: a request in, an answer out, everything logged."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from email.utils import format_datetime
from typing import Any

from sandbox.resources import API
from sandbox.server import (
    app_routes,
    faults,
    git_routes,
    head_routes,
    jobs_routes,
    merge_routes,
    own_pull_routes,
    repository_routes,
    runs_routes,
    search_routes,
    talk_routes,
    tree_routes,
)
from sandbox.server.changes import Changes
from sandbox.server.clock import Clock
from sandbox.server.faults import Fault
from sandbox.server.hook import Hook
from sandbox.server.identity import Identities
from sandbox.server.messages import NOT_FOUND, Answer, Request, ok
from sandbox.server.quotas import Quotas
from sandbox.server.routing import Asked, Route, Routes, Who
from sandbox.server.state import State

TABLES: tuple[Routes, ...] = (
    app_routes.routes,
    repository_routes.routes,
    head_routes.routes,
    talk_routes.routes,
    runs_routes.routes,
    merge_routes.routes,
    search_routes.routes,
    tree_routes.routes,
    git_routes.routes,
    own_pull_routes.routes,
    jobs_routes.routes,
)


@dataclass(slots=True, kw_only=True)
class Logged:
    """One request, entered when it comes in; `asker` is "app", "installation <id>" or "", `sent` a write's body.

    `status` is 0 and `ms` None until it is answered.
    """

    at: datetime
    verb: str
    path: str
    query: Mapping[str, str]
    asker: str
    fault: str
    sent: str = ""
    status: int = 0
    ms: int | None = None


class Service:
    """State, clock, hook, faults and log of one pretended GitHub. Requests of several threads take turns."""

    def __init__(self, state: State, *, secret: str = "") -> None:
        self.lock = threading.RLock()
        self.state = state
        self.clock = Clock()
        self.hook = Hook(self.clock, secret, state.app_id)
        self.hook.reword = self._with_own_addresses
        self.changes = Changes(state, self.clock, self.hook, self.lock)
        self.identities = Identities(state)
        self.quotas = Quotas()
        self.faults: list[Fault] = []
        self.log: list[Logged] = []
        self.base_url = API
        # Called after each change that came over HTTP, so that a file may hold it before the process ends.
        self.keep: Callable[[], None] = lambda: None

    def answer(self, request: Request) -> Answer:
        """Answer a request, spoilt if a fault strikes it; then deliver what it caused."""
        begun = time.perf_counter()
        with self.lock:
            fault = next((fault for fault in self.faults if fault.strikes(request)), None)
            logged = self._note(request, fault)
        answer = self._spoilt(fault, request) if fault else self._proper(request)
        answer = self._finished(answer, logged.asker)
        logged.status, logged.ms = answer.status, round((time.perf_counter() - begun) * 1000)
        self.hook.flush_unless_held()
        return answer

    def _spoilt(self, fault: Fault, request: Request) -> Answer:
        return faults.spoil(fault, request, self._proper, self.clock.now())

    def _proper(self, request: Request) -> Answer:
        with self.lock:
            asker, now = self.identities.name(request), self.clock.now()
            if request.path == "/rate_limit":
                return ok(self.quotas.overview(asker, now))
            found = next((found for table in TABLES if (found := table.find(request))), None)
            refusal = self.quotas.take(asker, now)
            if refusal or found is None:
                return refusal or NOT_FOUND
            return self._handled(*found, request, now)

    def _handled(self, route: Route, parts: Mapping[str, Any], request: Request, now: datetime) -> Answer:
        allowed = self._allowed(route.who, request, now)
        if isinstance(allowed, Answer):
            return allowed
        asked = Asked(
            request=request,
            parts=parts,
            installation_id=allowed,
            state=self.state,
            identities=self.identities,
            hook=self.hook,
            now=now,
            base_url=self.base_url,
        )
        return route.handler(asked)

    def _allowed(self, who: Who, request: Request, now: datetime) -> int | Answer:
        match who:
            case Who.APP:
                return self.identities.app_refusal(request) or 0
            case Who.INSTALLATION:
                return self.identities.installation(request, now)
            case Who.ANYBODY:
                return 0

    def _finished(self, answer: Answer, asker: str) -> Answer:
        """Add the headers that every answer has; those that a fault has set stay."""
        now = self.clock.now()
        headers = {
            "Content-Type": "application/json; charset=utf-8",
            "Date": format_datetime(now, usegmt=True),
            "X-GitHub-Media-Type": "github.v3; format=json",
            **self.quotas.headers(asker, now),
        }
        return replace(
            answer, text=self._with_own_addresses(answer.text), headers=headers | dict(answer.headers)
        )

    def _with_own_addresses(self, text: str) -> str:
        return text.replace(API, self.base_url)

    def _note(self, request: Request, fault: Fault | None) -> Logged:
        logged = Logged(
            at=self.clock.now(),
            verb=request.verb,
            path=request.path,
            query=request.query,
            asker=self.identities.name(request),
            fault=fault.kind if fault else "",
            sent=request.body.decode(errors="replace"),
        )
        self.log.append(logged)
        return logged
