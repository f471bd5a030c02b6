"""Bodies: JSON of bounded size for everybody, and anything at all from the existing client."""

from __future__ import annotations

import json
from collections.abc import Mapping
from http import HTTPStatus
from typing import IO, Any

from django.http import QueryDict
from rest_framework.exceptions import ParseError
from rest_framework.parsers import BaseParser

from core.api.problems import ApiProblem

MOST_BYTES = 1_000_000
# For work that brings files along: JSON and base64 write them larger than they are.
MOST_BYTES_WITH_FILES = 25_000_000


def read_bounded(stream: IO[bytes], most: int = MOST_BYTES) -> bytes:
    """Return the body; raises ApiProblem (413) for a larger one."""
    body = stream.read(most + 1)
    if len(body) > most:
        raise ApiProblem(
            HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "too_large", f"The body is larger than {most} bytes."
        )
    return body


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is no JSON")


def load_json(body: bytes) -> Any:
    """Return what the JSON says; raises ValueError for what is none (NaN and nesting without end included)."""
    try:
        return json.loads(body, parse_constant=_refuse_constant)
    except RecursionError:
        raise ValueError("nested too deeply") from None


class JsonBody(BaseParser):
    """The body of this product's own endpoints."""

    media_type = "application/json"
    most_bytes = MOST_BYTES

    def parse(
        self,
        stream: IO[bytes],
        media_type: str | None = None,
        parser_context: Mapping[str, Any] | None = None,
    ) -> Any:
        body = read_bounded(stream, self.most_bytes)
        try:
            return load_json(body) if body.strip() else {}
        except ValueError as error:
            raise ParseError(f"The body is not JSON: {error}.") from None


class JsonBodyWithFiles(JsonBody):
    """The same, of the endpoints that take files."""

    most_bytes = MOST_BYTES_WITH_FILES


class AnyBody(BaseParser):
    """The body of the existing client: form-encoded, empty, `null`, or JSON under any name; nothing is refused."""

    media_type = "*/*"

    def parse(
        self,
        stream: IO[bytes],
        media_type: str | None = None,
        parser_context: Mapping[str, Any] | None = None,
    ) -> Any:
        body = read_bounded(stream)
        try:
            value = load_json(body)
        except ValueError:
            value = QueryDict(body, encoding="utf-8").dict()
        return value if isinstance(value, dict) else {}
