"""The shapes of the existing dashboard: it shows strings as HTML, and dates as it gets them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from typing import Any
from zoneinfo import ZoneInfo

from rest_framework.negotiation import BaseContentNegotiation
from rest_framework.parsers import BaseParser
from rest_framework.renderers import BaseRenderer, JSONRenderer
from rest_framework.request import Request

# The ampersand first: the others' escapes begin with it.
HTML_ESCAPES = ((b"&", b"&amp;"), (b"<", b"&lt;"), (b">", b"&gt;"), (b"'", b"&#x27;"))
OFFSET = re.compile(r"([+-])(\d{2}):?(\d{2})", re.ASCII)


class EscapedJson(JSONRenderer):
    """JSON whose every string is safe to be put into a page as it is; null stays null (field case F37)."""

    def render(
        self,
        data: Any,
        accepted_media_type: str | None = None,
        renderer_context: Mapping[str, Any] | None = None,
    ) -> bytes:
        return escaped(super().render(data, accepted_media_type, renderer_context))


class AnyAccept(BaseContentNegotiation):
    """Answers JSON whatever the Accept header asks for: that client reads nothing else and says so nowhere."""

    def select_parser(self, request: Request, parsers: Iterable[BaseParser]) -> BaseParser:
        return next(iter(parsers))

    def select_renderer(
        self, request: Request, renderers: Iterable[BaseRenderer], format_suffix: str | None = None
    ) -> tuple[BaseRenderer, str]:
        renderer = next(iter(renderers))
        return renderer, renderer.media_type


def escaped(text: bytes) -> bytes:
    """Return JSON with every string in it escaped for HTML, as html.escape() does it.

    Whole, not string by string, because a list has thousands of them: outside of strings JSON has none of these
    characters but the quote, and a quote within a string has a backslash before it. Keys are ours and have none.
    """
    for character, escape in HTML_ESCAPES:
        text = text.replace(character, escape)
    # A pair of backslashes is one of the string's own, and escapes nothing.
    return b"\\\\".join(part.replace(b'\\"', b"&quot;") for part in text.split(b"\\\\"))


def zone_of(request: Request) -> tzinfo:
    """Return the zone of X-Timezone, else of X-Timezone-Offset, else UTC; a senseless value counts as not given."""
    return _named(request.headers.get("X-Timezone", "")) or _offset(
        request.headers.get("X-Timezone-Offset", "")
    )


def _named(name: str) -> tzinfo | None:
    try:
        return ZoneInfo(name.strip()) if name.strip() else None
    except (ValueError, OSError, KeyError):  # not a name; a folder of the zone data; no such zone
        return None


def _offset(text: str) -> tzinfo:
    match = OFFSET.fullmatch(text.strip())
    if match is None:
        return UTC
    size = timedelta(hours=int(match[2]), minutes=int(match[3]))
    if int(match[3]) >= 60 or size > timedelta(hours=14):  # noqa: PLR2004 (minutes; the widest zone on Earth)
        return UTC
    return timezone(size if match[1] == "+" else -size)


def client_date(at: datetime | None, zone: tzinfo) -> str | None:
    """Return an instant as `YYYY-MM-DD HH:MM:SS` in a zone; None stays None."""
    return None if at is None else at.astimezone(zone).strftime("%Y-%m-%d %H:%M:%S")
