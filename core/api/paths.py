"""Paths that work with and without a final slash, so that no write is ever redirected."""

from __future__ import annotations

from typing import Any

from django.urls import URLPattern, path, register_converter
from django.urls.converters import IntConverter

LARGEST = 2**63 - 1


class SequenceConverter(IntConverter):
    """A Sequence in a path; a number that no row can have is no path of ours (404)."""

    def to_python(self, value: str) -> int:
        number = super().to_python(value)
        if number > LARGEST:
            raise ValueError("larger than any Sequence")
        return number


class WordConverter:
    """A name of ours in a path, such as a type of work items: never a number, which would be a Sequence."""

    regex = "[a-z][a-z_]*"

    def to_python(self, value: str) -> str:
        return value

    def to_url(self, value: str) -> str:
        return value


register_converter(SequenceConverter, "sequence")
register_converter(WordConverter, "word")


def endpoint(route: str, view: type[Any], *, name: str, **kwargs: Any) -> list[URLPattern]:
    """Return the two patterns of one endpoint; `route` has no final slash. Only that form is documented."""
    handler = view.as_view()
    return [path(route, handler, kwargs, name=name), path(f"{route}/", handler, kwargs)]
