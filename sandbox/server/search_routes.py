"""GitHub's search for pull requests: an index that lags behind, never more than a thousand hits."""

from __future__ import annotations

from collections.abc import Iterable

from sandbox import pulls
from sandbox.server.messages import Answer, Request, error, ok
from sandbox.server.paging import cut, per_page
from sandbox.server.routing import Asked, Routes, Who
from sandbox.server.state import State
from sandbox.world import PullRequest

routes = Routes()

MOST_HITS = 1000
TOO_FAR = error(422, "Only the first 1000 search results are available")


@routes.on("GET", "/search/issues", Who.INSTALLATION)
def search_issues(asked: Asked) -> Answer:
    """Find pull requests by the qualifiers is:, state:, draft: and user:, which is all that a bot of ours asks."""
    if (max(asked.request.page, 1) - 1) * per_page(asked.request) >= MOST_HITS:
        return TOO_FAR
    wanted = _qualifiers(asked.request)
    found = [pull for pull in _pulls_of(asked, wanted.get("user", "")) if _matches(pull, wanted, asked.state)]
    page, headers = cut(found[:MOST_HITS], asked.request, asked.base_url)
    body = {
        "total_count": len(found),
        "incomplete_results": asked.state.merging.search_incomplete,
        "items": [pulls.issue(pull) | {"draft": pull.draft, "score": 1.0} for pull in page],
    }
    return ok(body, headers=headers)


def _qualifiers(request: Request) -> dict[str, str]:
    parts = (part.partition(":") for part in request.query.get("q", "").split())
    return {name: value.lower() for name, _, value in parts}


def _pulls_of(asked: Asked, owner: str) -> Iterable[PullRequest]:
    for repository in asked.state.of_installation(asked.installation_id):
        if repository.owner.login.lower() == owner:
            yield from asked.state.pull_requests_of(repository.id)


def _matches(pull: PullRequest, wanted: dict[str, str], state: State) -> bool:
    place = [pull.repository.id, pull.number]
    if place in state.merging.lagging:
        return True
    listed = place not in state.merging.unlisted
    draft = wanted.get("draft", str(pull.draft).lower()) == str(pull.draft).lower()
    return listed and draft and wanted.get("state", pull.state) == pull.state
