"""The pretended GitHub, driven from another process over its control API."""

from __future__ import annotations

import http.client
import json
from collections.abc import Mapping
from datetime import datetime
from typing import Any, Self
from urllib.parse import urlsplit

from sandbox.resources import Json
from sandbox.scenario import Step
from sandbox.sender import TIMEOUT_SECONDS, Answer
from sandbox.server import store
from sandbox.server.hook import FORM, JSON
from sandbox.server.state import State


class RefusedError(Exception):
    """The pretended GitHub did not do what it was told; the message is its answer."""


class Driver:
    """One connection to `python -m sandbox.server`. Every method raises RefusedError, OSError or HTTPException."""

    def __init__(self, url: str) -> None:
        parts = urlsplit(url)
        if parts.scheme != "http" or not parts.hostname:
            raise ValueError(f"{url!r} is not the http address of a pretended GitHub.")
        # A delivery is answered when the receiver has answered, and that one has all of its time.
        self._connection = http.client.HTTPConnection(parts.hostname, parts.port, timeout=2 * TIMEOUT_SECONDS)

    def knows_anything(self) -> bool:
        return bool(self._ask("GET", "state")["installations"])

    def know(self, state: State) -> None:
        """Have it know this state and nothing else."""
        self._ask("POST", "state", store.plain(state))

    def move_clock(self, at: datetime) -> None:
        """Have it be that instant at GitHub; its clock runs on from there."""
        self._ask("POST", "clock", {"at": at.isoformat()})

    def send_to(self, receiver: str | None) -> None:
        """Have deliveries go to that address from now on; None: there is no hook."""
        self._ask("POST", "hook", {"receiver": receiver})

    def deliver(self, step: Step) -> Answer:
        """Have the hook deliver a Step; return the receiver's status, and how GitHub words it."""
        content_type = FORM if step.form else JSON
        told = {
            "event": step.event,
            "payload": step.payload,
            "guid": str(step.guid),
            "content_type": content_type,
        }
        attempt = self._ask("POST", "deliveries", told)
        if attempt is None:
            raise RefusedError("There is no hook at GitHub: the delivery is lost.")
        return Answer(attempt["status_code"], attempt["status"])

    def change(self, name: str, **arguments: Any) -> Json:
        """Have somebody do something there; return the thing as it is afterwards."""
        made: Json = self._ask("POST", "changes", {"change": name, **arguments})
        return made

    def close(self) -> None:
        self._connection.close()

    def _ask(self, verb: str, name: str, body: Mapping[str, Any] | None = None) -> Any:
        self._connection.request(verb, f"/_sandbox/{name}", None if body is None else json.dumps(body))
        response = self._connection.getresponse()
        text = response.read().decode()
        if response.status != http.HTTPStatus.OK:
            raise RefusedError(f"GitHub answered {name} with {response.status}: {text[:300]}")
        return json.loads(text)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
