"""What can be made to go wrong: for the next so many requests that match, the answer is spoilt in one way.

A spoiler takes the request, a function that answers it properly, and the fault's details, and returns what is
sent instead.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from sandbox.server.messages import Answer, Request, error, ok

Proceed = Callable[[Request], Answer]

# Headers for the listener only: they say how the bytes go out, and are never sent.
CONNECTION = "X-Sandbox-Connection"
CLOSE_BEFORE, CLOSE_WITHIN, CLOSE_AFTER = "close before", "close within", "close after"
DRIP, COMPRESS = "drip", "compress"


@dataclass(kw_only=True)
class Fault:
    """One way to spoil answers.

    `pattern` is a regular expression for the whole path, `page` 0 means any page, `times` None means until
    cleared, `after` lets so many matching requests through first. `details` depend on the kind.
    """

    pattern: str
    kind: str
    verb: str = ""
    page: int = 0
    times: int | None = 1
    after: int = 0
    details: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.kind not in SPOILERS:
            raise ValueError(f"{self.kind!r} is none of the faults {', '.join(sorted(SPOILERS))}.")

    def strikes(self, request: Request) -> bool:
        """Tell whether this request is to be spoilt, and count it."""
        if self.times == 0 or not self._matches(request):
            return False
        if self.after:
            self.after -= 1
            return False
        if self.times is not None:
            self.times -= 1
        return True

    def _matches(self, request: Request) -> bool:
        return (
            (not self.verb or self.verb == request.verb)
            and (not self.page or self.page == request.page)
            and re.fullmatch(self.pattern, request.path) is not None
        )


@dataclass(frozen=True, slots=True)
class Spoiling:
    """One fault at work on one request."""

    request: Request
    proceed: Proceed
    details: Mapping[str, Any]
    now: datetime

    def detail(self, name: str, default: Any) -> Any:
        return self.details.get(name, default)


def spoil(fault: Fault, request: Request, proceed: Proceed, now: datetime) -> Answer:
    return SPOILERS[fault.kind](Spoiling(request, proceed, fault.details, now))


def _status(at: Spoiling) -> Answer:
    """Refuse with `status` (500), `message` and `headers`."""
    refusal = error(at.detail("status", 500), at.detail("message", "Server Error"))
    return replace(refusal, headers=at.detail("headers", {}))


def _primary_limit(at: Spoiling) -> Answer:
    """Refuse as the primary limit does, its window ending in `seconds`."""
    reset = int(at.now.timestamp()) + int(at.detail("seconds", 60))
    headers = {"X-RateLimit-Limit": "5000", "X-RateLimit-Remaining": "0", "X-RateLimit-Reset": str(reset)}
    return replace(error(403, "API rate limit exceeded for installation ID 1."), headers=headers)


def _secondary_limit(at: Spoiling) -> Answer:
    """Refuse as a secondary limit does, by `status` (403), with Retry-After `seconds` if given."""
    refusal = error(
        at.detail("status", 403), "You have exceeded a secondary rate limit. Please wait a few minutes."
    )
    return replace(
        refusal, headers={"Retry-After": str(at.details["seconds"])} if "seconds" in at.details else {}
    )


def _redirect(at: Spoiling) -> Answer:
    """Redirect by `status` (301) to `location`."""
    headers = {"Location": at.details["location"]}
    return replace(error(at.detail("status", 301), "Moved Permanently"), headers=headers)


def _delay(at: Spoiling) -> Answer:
    """Answer properly, after `seconds`."""
    time.sleep(at.detail("seconds", 1.0))
    return at.proceed(at.request)


def _empty(at: Spoiling) -> Answer:
    """Answer a listing without any item, as if the list had ended before."""
    data = json.loads(at.proceed(at.request).text)
    if isinstance(data, dict):
        return ok({key: [] if isinstance(value, list) else value for key, value in data.items()})
    return ok([])


def _empty_announced(at: Spoiling) -> Answer:
    """Answer a listing's page without any item, its Link header in place."""
    return replace(_empty(at), headers=at.proceed(at.request).headers)


def _drop(at: Spoiling) -> Answer:
    """Leave a page out: the one after it is sent in its place."""
    query = {**at.request.query, "page": str(at.request.page + 1)}
    return at.proceed(replace(at.request, query=query))


def _lose(at: Spoiling) -> Answer:
    """Answer a listing's page without its last item."""
    answer = at.proceed(at.request)
    data = json.loads(answer.text)
    (
        next(value for value in data.values() if isinstance(value, list)) if isinstance(data, dict) else data
    ).pop()
    return replace(answer, text=json.dumps(data))


def _no_link(at: Spoiling) -> Answer:
    """Answer properly, but for the Link header."""
    return replace(at.proceed(at.request), headers={})


def _skip(at: Spoiling) -> Answer:
    """Answer properly, but let the Link header lead past the next page."""
    answer, page = at.proceed(at.request), at.request.page
    link = answer.headers.get("Link", "")
    return replace(answer, headers={"Link": link.replace(f"page={page + 1}&", f"page={page + 2}&", 1)})


def _repeat(at: Spoiling) -> Answer:
    """Answer a page with the items of the one before: the list has shifted."""
    before = {**at.request.query, "page": str(max(at.request.page - 1, 1))}
    text = at.proceed(replace(at.request, query=before)).text
    return replace(at.proceed(at.request), text=text)


def _truncate(at: Spoiling) -> Answer:
    """Send half of the JSON, as if that were all."""
    answer = at.proceed(at.request)
    return replace(answer, text=answer.text[: len(answer.text) // 2])


def _body(at: Spoiling) -> Answer:
    """Answer `status` (200) with `text` ("") of `type` (JSON)."""
    kind = at.detail("type", "application/json; charset=utf-8")
    return Answer(at.detail("status", 200), at.detail("text", ""), {"Content-Type": kind})


def _html(_: Spoiling) -> Answer:
    """Answer 200 with a page for people."""
    return Answer(200, "<!DOCTYPE html><title>Unicorn!</title>", {"Content-Type": "text/html; charset=utf-8"})


def _by_connection(how: str) -> Callable[[Spoiling], Answer]:
    def spoiler(at: Spoiling) -> Answer:
        answer = at.proceed(at.request)
        return replace(answer, headers={**answer.headers, CONNECTION: how})

    return spoiler


SPOILERS: dict[str, Callable[[Spoiling], Answer]] = {
    "status": _status,
    "primary_limit": _primary_limit,
    "secondary_limit": _secondary_limit,
    "redirect": _redirect,
    "delay": _delay,
    "empty": _empty,
    "empty_announced": _empty_announced,
    "drop": _drop,
    "lose": _lose,
    "no_link": _no_link,
    "skip": _skip,
    "repeat": _repeat,
    "truncate": _truncate,
    "body": _body,
    "html": _html,
    "disconnect": _by_connection(CLOSE_BEFORE),
    "cut": _by_connection(CLOSE_WITHIN),
    "close_after": _by_connection(CLOSE_AFTER),
    "compress": _by_connection(COMPRESS),
    "drip": _by_connection(DRIP),
}
