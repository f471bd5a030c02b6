"""The App's webhook: signed deliveries to one receiver, each recorded, each repeatable under its GUID."""

from __future__ import annotations

import http.client
import json
import time
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any
from urllib.parse import urlencode

from sandbox.resources import Json, instant
from sandbox.sender import HOOK_ID, Sender, delivery_headers
from sandbox.server.clock import Clock

# Takes headers and body, returns the HTTP status; raises OSError or http.client.HTTPException if no answer
# came.
Receiver = Callable[[Mapping[str, str], bytes], int]

JSON, FORM = "application/json", "application/x-www-form-urlencoded"
FIRST_ID = 70_000_000_001
UNREACHABLE = ("failed to connect to host", 502)
TIMED_OUT = ("timed out", 504)


def http_receiver(url: str) -> Receiver:
    """Return a receiver that is reached over HTTP, by a new connection each time."""

    def post(headers: Mapping[str, str], body: bytes) -> int:
        with Sender(url, secret="") as sender:
            return sender.post(headers, body).status

    return post


@dataclass(frozen=True, slots=True, kw_only=True)
class Delivery:
    """One attempt: what was sent, when, and what was answered (status code 0 until it was tried)."""

    id: int
    guid: uuid.UUID
    event: str
    body: bytes
    action: str | None
    installation_id: int | None
    repository_id: int | None
    content_type: str = JSON
    redelivery: bool = False
    delivered_at: datetime | None = None
    status: str = "pending"
    status_code: int = 0
    duration: float = 0.0

    def item(self) -> Json:
        """Return the attempt as GitHub lists it."""
        names = ("id", "redelivery", "duration", "status", "status_code", "event", "action")
        return {
            **{name: getattr(self, name) for name in names},
            "guid": str(self.guid),
            "delivered_at": instant(self.delivered_at),
            "installation_id": self.installation_id,
            "repository_id": self.repository_id,
            "throttled_at": None,
        }


class Hook:
    """Keeps every attempt, the newest last. Without a receiver an Event is lost, as if it had never been.

    While `held`, deliveries wait for `flush`; otherwise whoever caused one flushes at once.
    """

    def __init__(self, clock: Clock, secret: str, app_id: int) -> None:
        self._clock = clock
        self._app_id = app_id
        self._next_id = FIRST_ID
        self._waiting: list[Delivery] = []
        self.secret = secret
        self.receiver: Receiver | None = None
        self.held = False
        self.attempts: dict[int, Delivery] = {}
        # Rewrites the text of a payload before it is signed, such as the addresses in it.
        self.reword: Callable[[str], str] = str

    def emit(
        self,
        event: str,
        payload: Mapping[str, Any],
        *,
        guid: uuid.UUID | None = None,
        content_type: str = JSON,
    ) -> int:
        """Have an Event delivered, under a new GUID unless one is given; return the attempt's id, 0 if lost."""
        if self.receiver is None:
            return 0
        text = self.reword(json.dumps(payload, ensure_ascii=False, separators=(",", ":")))
        delivery = Delivery(
            id=self._new_id(),
            guid=guid or uuid.uuid4(),
            event=event,
            body=urlencode({"payload": text}).encode() if content_type == FORM else text.encode(),
            content_type=content_type,
            action=payload.get("action"),
            installation_id=payload.get("installation", {}).get("id"),
            repository_id=payload.get("repository", {}).get("id"),
            redelivery=guid is not None and self._knows(guid),
        )
        self._waiting.append(delivery)
        return delivery.id

    def repeat(self, delivery_id: int) -> bool:
        """Have an attempt repeated under the same GUID; return False if there was none of that id."""
        first = self.attempts.get(delivery_id)
        if first is not None:
            self._waiting.append(replace(first, id=self._new_id(), redelivery=True))
        return first is not None

    def flush(self) -> None:
        """Deliver what waits, in order."""
        waiting, self._waiting = self._waiting, []
        for delivery in waiting:
            self.attempts[delivery.id] = self._attempt(delivery)

    def flush_unless_held(self) -> None:
        if not self.held:
            self.flush()

    def _knows(self, guid: uuid.UUID) -> bool:
        # A copy: other threads are delivering meanwhile.
        return any(attempt.guid == guid for attempt in list(self.attempts.values()))

    def _new_id(self) -> int:
        self._next_id += 1
        return self._next_id

    def _attempt(self, delivery: Delivery) -> Delivery:
        begun = time.perf_counter()
        status, code = self._post(delivery)
        return replace(
            delivery,
            delivered_at=self._clock.now(),
            status=status,
            status_code=code,
            duration=round(time.perf_counter() - begun, 2),
        )

    def _post(self, delivery: Delivery) -> tuple[str, int]:
        signed = delivery_headers(
            delivery.event, delivery.body, self.secret, content_type=delivery.content_type
        )
        headers = signed | {
            "X-GitHub-Delivery": str(delivery.guid),
            "X-GitHub-Hook-ID": str(HOOK_ID),
            "X-GitHub-Hook-Installation-Target-ID": str(self._app_id),
        }
        if self.receiver is None:
            return UNREACHABLE
        try:
            code = self.receiver(headers, delivery.body)
        except TimeoutError:
            return TIMED_OUT
        except (OSError, http.client.HTTPException):
            return UNREACHABLE
        return ("OK" if code < 300 else f"Invalid HTTP Response: {code}"), code  # noqa: PLR2004
