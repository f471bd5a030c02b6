"""Reading one HTTP answer of GitHub: is it good, and if not, which error is it? Pure functions."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from http import HTTPStatus
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from githubapi.client.redaction import redacted
from githubapi.errors import (
    Disabled,
    Forbidden,
    GithubError,
    Gone,
    Permanent,
    Suspended,
    Throttled,
    Transient,
)
from githubapi.values import Quota

REDIRECTS = frozenset({301, 302, 307, 308})

# "If you are rate limited without being told how long, wait at least a minute."
# https://docs.github.com/en/rest/using-the-rest-api/best-practices-for-using-the-rest-api#handle-rate-limit-errors-appropriately
UNSAID_WAIT = timedelta(minutes=1)
LONGEST_WAIT = timedelta(days=1)

_MEANINGS: dict[int, tuple[type[GithubError], str]] = {
    202: (Transient, "not_ready"),
    401: (Permanent, "bad_credentials"),
    404: (Gone, "not_found"),
    408: (Transient, "timeout"),
    409: (Permanent, "conflict"),
    410: (Gone, "gone"),
    422: (Permanent, "unprocessable"),
    451: (Forbidden, "blocked"),
}

_LINK = re.compile(r'<([^>]*)>\s*;[^,<]*\brel="(\w+)"')
_SECONDARY = re.compile(r"secondary rate limit|abuse detection", re.IGNORECASE)
_RATE_LIMIT = re.compile(r"rate limit", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One request as we mean it. `shape` is the JSON type that a good answer has; None if the body does not
    matter.

    `repeatable`: sending it twice does no harm. `listing`: it asks for a page of a listing.
    """

    verb: str
    path: str
    query: Mapping[str, str] = field(default_factory=dict)
    body: Mapping[str, Any] | None = None
    shape: type[object] | None = None
    repeatable: bool = False
    listing: bool = False

    def __str__(self) -> str:
        page = f" page {self.query['page']}" if "page" in self.query else ""
        return redacted(f"{self.verb} {self.path}{page}")


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back: status, headers under lower-case names, raw body (not shown in its representation)."""

    status: int
    headers: Mapping[str, str]
    body: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class Reply:
    """A good answer's JSON, the addresses of its Link header by relation, its date by GitHub's clock, its status."""

    data: Any = field(repr=False)
    links: Mapping[str, str]
    dated: datetime | None
    status: int = HTTPStatus.OK

    def query_of(self, relation: str) -> dict[str, str] | None:
        """Return the query of a linked page, None where there is no such link."""
        url = self.links.get(relation)
        return None if url is None else dict(parse_qsl(urlsplit(url).query))


def read_reply(call: Call, answer: Answer, now: datetime) -> Reply:
    """Return the answer's content, or raise the GithubError that it means. `now` dates a throttle."""
    error = _failure(call, answer, now)
    if error:
        raise error
    return Reply(_content(call, answer), links(answer.headers.get("link", "")), _dated(answer), answer.status)


def links(header: str) -> dict[str, str]:
    """Return the addresses of a Link header by relation ("next", "last", ...)."""
    return {relation: url for url, relation in _LINK.findall(header)}


def quota(headers: Mapping[str, str]) -> Quota | None:
    """Return the primary rate limit that the headers state, None if they state none that can be read."""
    try:
        return Quota(
            limit=int(headers["x-ratelimit-limit"]),
            remaining=int(headers["x-ratelimit-remaining"]),
            resets_at=datetime.fromtimestamp(int(headers["x-ratelimit-reset"]), UTC),
        )
    except (KeyError, ValueError, OverflowError, OSError):
        return None


def _content(call: Call, answer: Answer) -> Any:
    if call.shape is None:
        return None
    try:
        data = json.loads(answer.body)
    except (ValueError, RecursionError):
        data = None
    if not isinstance(data, call.shape):
        raise Transient(
            "malformed_answer", f"{call} was answered {answer.status}, but not with the JSON expected."
        )
    return data


def _failure(call: Call, answer: Answer, now: datetime) -> GithubError | None:
    status = answer.status
    if status == HTTPStatus.OK or (
        call.verb != "GET" and HTTPStatus.OK <= status < HTTPStatus.MULTIPLE_CHOICES
    ):
        return None
    message = _message(answer)
    sentence = f"{call} was answered {status}" + (f": {message}" if message else ".")
    if status in {HTTPStatus.FORBIDDEN, HTTPStatus.TOO_MANY_REQUESTS}:
        return _refusal(answer, message, sentence, now)
    if status == HTTPStatus.GONE and (call.listing or "disabled" in message.lower()):
        return Disabled("disabled", sentence)
    return _by_status(status, sentence)


def _by_status(status: int, sentence: str) -> GithubError:
    if status in _MEANINGS:
        kind, reason = _MEANINGS[status]
        return kind(reason, sentence)
    if status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        return Transient("server_error", sentence)
    if status >= HTTPStatus.BAD_REQUEST:
        return Permanent(f"http_{status}", sentence)
    return Transient("unexpected_answer", sentence)


def _refusal(answer: Answer, message: str, sentence: str, now: datetime) -> GithubError:
    """Tell a throttle from a refusal: both come as 403, and the sign may be in the headers or in the words
    alone.
    """
    if "suspended" in message.lower():
        return Suspended("suspended", sentence)
    if _SECONDARY.search(message):
        return _throttled("secondary_rate_limit", sentence, now, _stated_wait(answer, now))
    if answer.headers.get("x-ratelimit-remaining") == "0" or _RATE_LIMIT.search(message):
        wait = _stated_wait(answer, now) or _until_reset(answer, now)
        return _throttled("primary_rate_limit", sentence, now, wait)
    if answer.status == HTTPStatus.TOO_MANY_REQUESTS or "retry-after" in answer.headers:
        return _throttled("secondary_rate_limit", sentence, now, _stated_wait(answer, now))
    return Forbidden("blocked" if "blocked" in message.lower() else "forbidden", sentence)


def _throttled(reason: str, sentence: str, now: datetime, stated: timedelta | None) -> Throttled:
    wait = UNSAID_WAIT if stated is None else min(stated, LONGEST_WAIT)
    return Throttled(reason, sentence, now + wait, wait)


def _stated_wait(answer: Answer, now: datetime) -> timedelta | None:
    """Return the wait of Retry-After (seconds or a date), None if it states none that can be read."""
    text = answer.headers.get("retry-after", "").strip()
    if text.isdecimal():
        return timedelta(seconds=min(int(text), LONGEST_WAIT.total_seconds()))
    instant = _http_date(text)
    return _wait_until(instant, answer, now) if instant else None


def _until_reset(answer: Answer, now: datetime) -> timedelta | None:
    stated = quota({"x-ratelimit-limit": "0", "x-ratelimit-remaining": "0", **answer.headers})
    # One second more, because both instants are cut to whole seconds.
    return _wait_until(stated.resets_at, answer, now) + timedelta(seconds=1) if stated else None


def _wait_until(instant: datetime, answer: Answer, now: datetime) -> timedelta:
    """Measure by GitHub's own clock (the Date header), so that a wrong clock here does not matter."""
    return max(instant - (_dated(answer) or now), timedelta(0))


def _dated(answer: Answer) -> datetime | None:
    return _http_date(answer.headers.get("date", ""))


def _http_date(text: str) -> datetime | None:
    try:
        instant = parsedate_to_datetime(text)
    except ValueError:
        return None
    return instant if instant.tzinfo else instant.replace(tzinfo=UTC)


def _message(answer: Answer) -> str:
    """Return GitHub's own words, "" if the body holds none: pages of HTML are a proxy's and say nothing."""
    try:
        data = json.loads(answer.body)
    except (ValueError, RecursionError):
        return ""
    message = data.get("message") if isinstance(data, dict) else None
    if not isinstance(message, str):
        return ""
    return redacted("; ".join([message, *_particulars(data.get("errors"))]))


def _particulars(errors: Any) -> list[str]:
    """Return what a "Validation Failed" adds: a sentence, or which field is wrong and how."""
    found = [error for error in errors if isinstance(error, dict)] if isinstance(errors, list) else []
    words = (error.get("message") or f"{error.get('field')} is {error.get('code')}" for error in found)
    return [word for word in words if isinstance(word, str)]
