"""Where a redirect may lead a read: pure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import parse_qsl, urljoin, urlsplit

from githubapi.errors import Moved

MOST_HOPS = 3

_BY_ID = re.compile(r"/repositories/(\d+)(/.*)?")


@dataclass(frozen=True, slots=True)
class Target:
    """A path below the API's base address, and its query."""

    path: str
    query: Mapping[str, str]


def target_of(path: str, query: Mapping[str, str], location: str, base_url: str) -> Target:
    """Return where a read of `path` and `query` goes on at `location`; its own query is kept if that names
    none.

    Raises Moved ("moved_elsewhere" for another server, "moved" for a part of another repository: its rows
    would be taken for the first one's). A repository itself is followed: what comes back names its own id.
    """
    base = base_url.rstrip("/")
    url = urljoin(f"{base}{path}", location)
    if not url.startswith(f"{base}/"):
        raise Moved("moved_elsewhere", f"{path} was redirected to another server.", location, None)
    parts = urlsplit(url)
    new_path = parts.path.removeprefix(urlsplit(base).path)
    before, after = _BY_ID.fullmatch(path), _BY_ID.fullmatch(new_path)
    if before and after and before[2] and before[1] != after[1]:
        raise Moved("moved", f"{path} has moved to repository {after[1]}.", location, int(after[1]))
    return Target(new_path, dict(parse_qsl(parts.query)) or query)


def refusal(path: str, location: str) -> Moved:
    """Return the error for a redirected write, which is never sent on."""
    match = _BY_ID.match(urlsplit(location).path)
    repository_id = int(match[1]) if match else None
    return Moved("moved", f"{path} has moved; a write does not follow.", location, repository_id)
