"""The pretended GitHub in a thread, for tests: `with SandboxGithub(worlds.regular()) as github: ...`."""

from __future__ import annotations

import re
import threading
from typing import Any, Self

from sandbox.server.changes import Changes
from sandbox.server.clock import Clock
from sandbox.server.faults import Fault
from sandbox.server.hook import Hook, Receiver, http_receiver
from sandbox.server.listener import Listener
from sandbox.server.service import Logged, Service
from sandbox.server.state import State


class SandboxGithub:
    """Serves a state on a port of its own from `with` to its end.

    `receiver` is where deliveries go: an address, or a function of headers and body that returns an HTTP
    status and is called in the thread that makes the change; None loses them all.
    """

    def __init__(self, state: State, *, secret: str = "", receiver: str | Receiver | None = None) -> None:
        self.service = Service(state, secret=secret)
        self.deliver_to(receiver)

    @property
    def url(self) -> str:
        """The address that stands for https://api.github.com."""
        return self.service.base_url

    @property
    def state(self) -> State:
        return self.service.state

    @property
    def clock(self) -> Clock:
        return self.service.clock

    @property
    def hook(self) -> Hook:
        return self.service.hook

    @property
    def changes(self) -> Changes:
        """What people do there; each change is delivered before it returns, unless the hook is held."""
        return self.service.changes

    @property
    def log(self) -> list[Logged]:
        return self.service.log

    @property
    def connections(self) -> int:
        """How many connections were opened so far."""
        return self._listener.connections

    def requests(self, pattern: str = ".*", *, verb: str = "") -> list[Logged]:
        """Return the logged requests whose whole path matches, in order."""
        return [
            logged
            for logged in list(self.service.log)
            if re.fullmatch(pattern, logged.path) and (not verb or logged.verb == verb)
        ]

    def inject(self, pattern: str, kind: str, *, verb: str = "", page: int = 0, **more: Any) -> Fault:
        """Spoil coming answers: `times` (1; None for all) and `after` as in Fault, then its details."""
        counts = {name: more.pop(name) for name in ("times", "after") if name in more}
        fault = Fault(pattern=pattern, kind=kind, verb=verb, page=page, details=more, **counts)
        with self.service.lock:
            self.service.faults.append(fault)
        return fault

    def heal(self) -> None:
        """Let no fault strike any more."""
        with self.service.lock:
            self.service.faults.clear()

    def deliver_to(self, receiver: str | Receiver | None) -> None:
        self.hook.receiver = http_receiver(receiver) if isinstance(receiver, str) else receiver

    def __enter__(self) -> Self:
        self._listener = Listener(self.service)
        self._thread = threading.Thread(
            target=self._listener.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True
        )
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._listener.shutdown()
        self._listener.server_close()
        self._thread.join()
