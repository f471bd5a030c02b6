"""What goes in and out of the pretended GitHub, without HTTP: requests and answers as values."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

DOCUMENTATION = "https://docs.github.com/rest"


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """One request: path unquoted where a route takes it apart, query with single values, header names in
    lower case.
    """

    verb: str
    path: str
    query: Mapping[str, str] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""

    @property
    def page(self) -> int:
        return self.number("page", 1)

    def number(self, name: str, default: int) -> int:
        """Return a number of the query, the default if it is missing or none."""
        text = self.query.get(name, "")
        return int(text) if text.isdecimal() else default

    def json(self) -> dict[str, Any]:
        """Return the body's object; raises ValueError if it holds none."""
        data = json.loads(self.body or b"{}")
        if not isinstance(data, dict):
            raise ValueError("an object is expected")  # noqa: TRY004 -- bad input, not a wrong call
        return data


@dataclass(frozen=True, slots=True)
class Answer:
    """Status, JSON text ("" for none) and the headers beyond those that every answer has."""

    status: int
    text: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)


def ok(data: Any, status: int = 200, headers: Mapping[str, str] | None = None) -> Answer:
    return Answer(status, json.dumps(data, ensure_ascii=False), headers or {})


def ok_list(texts: Iterable[str], headers: Mapping[str, str] | None = None) -> Answer:
    """Return a list of objects that are JSON text already."""
    return Answer(200, f"[{','.join(texts)}]", headers or {})


def error(status: int, message: str, **more: Any) -> Answer:
    """Return a refusal in GitHub's form."""
    body = {"message": message, **more, "documentation_url": DOCUMENTATION, "status": str(status)}
    return Answer(status, json.dumps(body))


NOT_FOUND = error(404, "Not Found")
