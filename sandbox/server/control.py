"""The control API under /_sandbox: whoever drives the sandbox from another process does it here, in JSON.

GET    /_sandbox/state                                   everything it knows
POST   /_sandbox/state     {...}                         know this instead
POST   /_sandbox/changes   {"change": "push", ...}        a change by its name, with its arguments
POST   /_sandbox/faults    {"pattern": ..., "kind": ...}  spoil coming answers
DELETE /_sandbox/faults                                  no more of that
GET    /_sandbox/log                                     the requests so far
DELETE /_sandbox/log
GET    /_sandbox/clock
POST   /_sandbox/clock     {"shift": seconds} or {"at": instant}
GET    /_sandbox/deliveries                              the hook's attempts
POST   /_sandbox/deliveries {"event": ..., "payload": ..., "guid": ..., "content_type": ...}  send this, change nothing
POST   /_sandbox/hook      {"receiver": url or null, "secret": ..., "held": false, "flush": true}
"""

from __future__ import annotations

import uuid
from collections.abc import Callable
from dataclasses import asdict
from datetime import datetime

from sandbox.resources import Json
from sandbox.server import store
from sandbox.server.changer import UnknownThingError
from sandbox.server.faults import Fault
from sandbox.server.hook import http_receiver
from sandbox.server.messages import NOT_FOUND, Answer, Request, error, ok
from sandbox.server.service import Service

PREFIX = "/_sandbox/"


def is_for(request: Request) -> bool:
    return request.path.startswith(PREFIX)


def answer(service: Service, request: Request) -> Answer:
    """Answer a request to the control API; 422 with a sentence for what makes no sense."""
    handler = _HANDLERS.get((request.verb, request.path.removeprefix(PREFIX)))
    if handler is None:
        return NOT_FOUND
    try:
        return ok(handler(service, request.json()))
    except (UnknownThingError, KeyError, TypeError, ValueError) as refusal:
        return error(422, f"{type(refusal).__name__}: {refusal}")


def _state(service: Service, _: Json) -> object:
    with service.lock:
        return store.plain(service.state)


def _replace_state(service: Service, given: Json) -> object:
    with service.lock:
        vars(service.state).update(vars(store.read(given)))
    service.keep()
    return len(service.state.repositories)


def _change(service: Service, given: Json) -> object:
    made = store.dump(service.changes.by_name(given.pop("change"), given))
    service.keep()
    return made


def _add_fault(service: Service, given: Json) -> object:
    service.faults.append(Fault(**given))
    return len(service.faults)


def _clear_faults(service: Service, _: Json) -> object:
    service.faults.clear()
    return 0


def _log(service: Service, _: Json) -> object:
    return [asdict(logged) | {"at": logged.at.isoformat()} for logged in list(service.log)]


def _clear_log(service: Service, _: Json) -> object:
    service.log.clear()
    return 0


def _clock(service: Service, given: Json) -> object:
    if "shift" in given:
        service.clock.shift(given["shift"])
    if "at" in given:
        service.clock.move_to(datetime.fromisoformat(given["at"]))
    return service.clock.now().isoformat()


def _deliveries(service: Service, _: Json) -> object:
    return [delivery.item() for delivery in list(service.hook.attempts.values())]


def _deliver(service: Service, given: Json) -> object:
    """Answer with the attempt as GitHub lists it, null when it is lost or waits."""
    guid = uuid.UUID(given.pop("guid")) if "guid" in given else None
    with service.lock:
        attempt = service.hook.emit(given.pop("event"), dict(given.pop("payload")), guid=guid, **given)
    service.hook.flush_unless_held()
    made = service.hook.attempts.get(attempt)
    return made and made.item()


def _hook(service: Service, given: Json) -> object:
    hook = service.hook
    if "receiver" in given:
        hook.receiver = http_receiver(given["receiver"]) if given["receiver"] else None
    hook.secret = given.get("secret", hook.secret)
    hook.held = given.get("held", hook.held)
    if given.get("flush"):
        hook.flush()
    return len(hook.attempts)


_HANDLERS: dict[tuple[str, str], Callable[[Service, Json], object]] = {
    ("GET", "state"): _state,
    ("POST", "state"): _replace_state,
    ("POST", "changes"): _change,
    ("POST", "faults"): _add_fault,
    ("DELETE", "faults"): _clear_faults,
    ("GET", "log"): _log,
    ("DELETE", "log"): _clear_log,
    ("GET", "clock"): _clock,
    ("POST", "clock"): _clock,
    ("GET", "deliveries"): _deliveries,
    ("POST", "deliveries"): _deliver,
    ("POST", "hook"): _hook,
}
