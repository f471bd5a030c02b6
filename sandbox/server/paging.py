"""GitHub's two ways of cutting a listing into pages, and the Link header that leads through them.

https://docs.github.com/en/rest/using-the-rest-api/using-pagination-in-the-rest-api
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar
from urllib.parse import urlencode

from sandbox.server.messages import Request

T = TypeVar("T")

USUAL_PAGE = 30
LARGEST_PAGE = 100


def per_page(request: Request) -> int:
    return max(1, min(request.number("per_page", USUAL_PAGE), LARGEST_PAGE))


def cut(items: Sequence[T], request: Request, base_url: str) -> tuple[Sequence[T], dict[str, str]]:
    """Return one page by its number, and its Link header (none where everything is on one page)."""
    size, page = per_page(request), max(request.page, 1)
    last = max(1, -(-len(items) // size))
    links: dict[str, int] = {}
    if page > 1:
        links |= {"prev": page - 1}
    if page < last:
        links |= {"next": page + 1, "last": last}
    if page > 1:
        links |= {"first": 1}
    parts = [_link(request, base_url, relation, page=str(number)) for relation, number in links.items()]
    headers = {"Link": ", ".join(parts)} if parts else {}
    return items[(page - 1) * size : page * size], headers


def cut_by_cursor(
    ids: Sequence[int], request: Request, base_url: str
) -> tuple[Sequence[int], dict[str, str]]:
    """Return a page of falling ids from the query's cursor on, and a Link header with the next cursor."""
    size = per_page(request)
    cursor = request.query.get("cursor", "").removeprefix("v1_")
    following = [number for number in ids if not cursor or number < int(cursor)]
    page = following[:size]
    if len(following) <= size:
        return page, {}
    return page, {"Link": _link(request, base_url, "next", cursor=f"v1_{page[-1]}")}


def _link(request: Request, base_url: str, relation: str, **changed: str) -> str:
    query = urlencode({**request.query, **changed})
    return f'<{base_url}{request.path}?{query}>; rel="{relation}"'
