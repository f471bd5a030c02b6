"""The shapes of the existing dashboard: it shows strings as HTML, and dates as it gets them."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from typing import Any
from zoneinfo import ZoneInfo

from rest_framework.negotiation import BaseContentNegotiation
from rest_framework.parsers import BaseParser
from rest_framework.renderers import BaseRenderer, JSONRenderer
from rest_framework.request import Request

OFFSET = re.compile(r"([+-])(\d{2}):?(\d{2})", re.ASCII)


class EscapedJson(JSONRenderer):
    """JSON whose every string is safe to be put into a page as it is; null stays null (field case F37)."""

    def render(
        self,
        data: Any,
        accepted_media_type: str | None = None,
        renderer_context: Mapping[str, Any] | None = None,
    ) -> bytes:
        return super().render(escaped(data), accepted_media_type, renderer_context)


class AnyAccept(BaseContentNegotiation):
    """Answers JSON whatever the Accept header asks for: that client reads nothing else and says so nowhere."""

    def select_parser(self, request: Request, parsers: Iterable[BaseParser]) -> BaseParser:
        return next(iter(parsers))

    def select_renderer(
        self, request: Request, renderers: Iterable[BaseRenderer], format_suffix: str | None = None
    ) -> tuple[BaseRenderer, str]:
        renderer = next(iter(renderers))
        return renderer, renderer.media_type


def escaped(data: Any) -> Any:
    """Return the data with every string in it escaped; keys are ours and stay."""
    if isinstance(data, str):
        # Django's escape() says the same and takes five times as long: a list has thousands of strings.
        return html.escape(data)
    if isinstance(data, dict):
        return {key: escaped(value) for key, value in data.items()}
    if isinstance(data, (list, tuple)):
        return [escaped(value) for value in data]
    return data


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
