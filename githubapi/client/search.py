"""GitHub's search for pull requests: quick, behind the times, and never more than a thousand hits.

https://docs.github.com/en/rest/search/search#about-search
"""

from __future__ import annotations

from githubapi.client import merge_reading, reading
from githubapi.client.answers import Call
from githubapi.client.channel import Channel
from githubapi.errors import Transient
from githubapi.merging_values import SearchHit, SearchResult

MOST_HITS = 1000


def search_pull_requests(channel: Channel, query: str) -> SearchResult:
    """Return the hits of a search; incomplete when GitHub says so, when there are too many, or when pages shifted."""
    hits: dict[int, SearchHit] = {}
    size = channel.limits.page_size
    for page in range(1, MOST_HITS // size + 1):
        data = _page(channel, query, page, size)
        items = data.get("items")
        total = data.get("total_count")
        if not isinstance(items, list) or not isinstance(total, int):
            raise Transient("malformed_answer", "GitHub's search holds no list.")
        hits |= {item["id"]: reading.item(merge_reading.search_hit, item) for item in items}
        if data.get("incomplete_results") is not False or total > MOST_HITS:
            return SearchResult((), complete=False)
        if len(items) < size:
            return SearchResult(tuple(hits.values()), complete=len(hits) == total)
    return SearchResult(tuple(hits.values()), complete=len(hits) == total)


def _page(channel: Channel, query: str, page: int, size: int) -> reading.Json:
    parameters = {"q": query, "sort": "created", "order": "asc", "per_page": str(size), "page": str(page)}
    call = Call(verb="GET", path="/search/issues", query=parameters, shape=dict, repeatable=True)
    data: reading.Json = channel.ask(call).data
    return data
