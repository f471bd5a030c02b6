"""Every endpoint of the API, found in the URL conf, so that a new one cannot be forgotten."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.urls import URLPattern, get_resolver
from django.urls.converters import IntConverter
from rest_framework.views import APIView

PREFIX = "api/v1/"
METHODS = ("get", "post", "put", "patch", "delete")
# Not endpoints: what answers paths that do not exist, and a page for people (tests/api/test_schema.py).
OTHERS = {"unknown_path", "Documentation"}
PROCESS = {"claim", "processed", "failed", "re-request"}


@dataclass(frozen=True)
class Call:
    """One method of one endpoint. `path` has example values in the places of its arguments."""

    route: str
    path: str
    method: str
    view: type[APIView]

    def __str__(self) -> str:
        return f"{self.method.upper()} {self.route}"


def patterns(found: Any = None, route: str = "") -> Iterator[tuple[str, URLPattern]]:
    """Yield every pattern under the prefix with its whole route."""
    for pattern in get_resolver().url_patterns if found is None else found:
        whole = route + str(pattern.pattern)
        if isinstance(pattern, URLPattern):
            if whole.startswith(PREFIX):
                yield whole, pattern
        elif whole.startswith(PREFIX) or PREFIX.startswith(whole):
            yield from patterns(pattern.url_patterns, whole)


def name_of(pattern: URLPattern) -> str:
    return getattr(getattr(pattern.callback, "cls", None), "__name__", pattern.callback.__name__)


def calls() -> list[Call]:
    """Return every method of every endpoint."""
    found = []
    for route, pattern in patterns():
        if name_of(pattern) in OTHERS:
            continue
        view = pattern.callback.cls
        path = "/" + route
        for argument, converter in pattern.pattern.converters.items():
            example = "999999" if isinstance(converter, IntConverter) else "some"
            path = path.replace(f"<{_kind(route, argument)}:{argument}>", example)
        assert "<" not in path, path
        found += [Call(route, path, method, view) for method in METHODS if hasattr(view, method)]
    return found


def _kind(route: str, argument: str) -> str:
    return route.partition(f":{argument}>")[0].rpartition("<")[2]


def needed(call: Call) -> str:
    """Return the permission that a call must ask for, by the API's own rule and not by what the view says."""
    parts = call.route.removeprefix(PREFIX).rstrip("/").split("/")
    if parts[0] == "tokens":
        return "admin"
    if call.method == "get":
        return "read"
    return "process" if parts[-1] in PROCESS else "operate"
