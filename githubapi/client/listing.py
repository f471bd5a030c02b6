"""Complete or nothing: a listing is read to its proven end, in memory, before any of it is handed on.

A page that is lost on the way looks like an ordinary end: an empty page, a Link header cut off. So the end of
a listing is believed only where nothing speaks against it; whatever does is an error, never a shorter list.
What no reader can tell from the truth is an empty first page: hence `confirm_empty`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

from githubapi.client.answers import Call, Reply
from githubapi.client.channel import Channel
from githubapi.client.limits import Deadline
from githubapi.client.reading import Json, item
from githubapi.errors import Transient

T = TypeVar("T")

# Things may move between the pages while they are read: then once more from the start.
READINGS = 2
_WORTH_ANOTHER_READING = frozenset({"incomplete_listing", "unstable_listing"})


@dataclass(frozen=True, kw_only=True)
class Listing:
    """What to list.

    `member` names the list inside an object that also states its `total_count`; None for a bare list. `key`
    is the member by which an item is one and the same on two pages. `confirm_empty`: nothing at all is so
    unlikely that GitHub must say it twice.
    """

    path: str
    query: Mapping[str, str] = field(default_factory=dict)
    member: str | None = None
    key: str = "id"
    confirm_empty: bool = False


def read_all(channel: Channel, listing: Listing, read: Callable[[Json], T]) -> list[T]:
    """Return every item of a listing in GitHub's order, or raise GithubError.

    Raises Transient ("incomplete_listing" or "unstable_listing" if a second reading was no better,
    "deadline") and whatever a single page raises.
    """
    deadline = Deadline(channel.limits.listing)
    items = _read_twice_if_needed(channel, listing, deadline)
    if not items and listing.confirm_empty:
        items = _read_twice_if_needed(channel, listing, deadline)
    return [item(read, data) for data in items]


def _read_twice_if_needed(channel: Channel, listing: Listing, deadline: Deadline) -> list[Json]:
    for _ in range(READINGS - 1):
        try:
            return Reading(channel, listing, deadline).items()
        except Transient as error:
            if error.reason not in _WORTH_ANOTHER_READING:
                raise
    return Reading(channel, listing, deadline).items()


class Reading:
    """One reading of a listing, from its first page on. Where the next page is, only GitHub's Link header
    says.
    """

    def __init__(self, channel: Channel, listing: Listing, deadline: Deadline) -> None:
        self._channel = channel
        self._listing = listing
        self._deadline = deadline
        self._found: dict[Any, Json] = {}
        self._pages = 0
        self._announced_pages = 1
        self._guessed = False

    def items(self) -> list[Json]:
        """Return all items, or raise GithubError."""
        query: Mapping[str, str] | None = {
            **self._listing.query,
            "per_page": str(self._channel.limits.page_size),
            "page": "1",
        }
        while query is not None:
            reply, items = self.page(query)
            query = self._next(reply, len(items), query)
        return list(self._found.values())

    def page(self, query: Mapping[str, str]) -> tuple[Reply, list[Json]]:
        """Return one page and its items; raises Transient ("unstable_listing") if one of them came before."""
        shape: type[object] = dict if self._listing.member else list
        path = self._listing.path
        call = Call(verb="GET", path=path, query=query, shape=shape, repeatable=True, listing=True)
        reply = self._channel.ask(call, self._deadline)
        items = reply.data.get(self._listing.member) if self._listing.member else reply.data
        if not isinstance(items, list):
            raise Transient("malformed_answer", f"{path} holds no list.")
        self._take(items)
        self._pages += 1
        return reply, items

    def _take(self, items: list[Json]) -> None:
        for data in items:
            key = item(self._key, data)
            if key in self._found:
                name = self._listing.key
                raise Transient("unstable_listing", f"{self._listing.path} names the {name} {key} twice.")
            self._found[key] = data

    def _key(self, data: Json) -> Any:
        return data[self._listing.key]

    def _next(self, reply: Reply, count: int, query: Mapping[str, str]) -> Mapping[str, str] | None:
        """Return the query of the next page, None at the proven end."""
        announced = reply.query_of("next")
        self._note_announced_pages(reply)
        if not count and (announced is not None or (self._pages > 1 and not self._guessed)):
            raise self._incomplete("is empty, though it was announced")
        if announced is not None:
            if announced.get("page", str(self._pages + 1)) != str(self._pages + 1):
                raise self._incomplete(f"leads to page {announced['page']}")
            return announced
        if self._pages < self._announced_pages:
            raise self._incomplete(f"is called the last of {self._announced_pages}")
        # A full page without any Link header: it may be the only one, or a proxy may have taken the header
        # away.
        self._guessed = count >= self._channel.limits.page_size and not reply.links
        if self._guessed:
            return {**query, "page": str(self._pages + 1)}
        self._compare_total(reply)
        return None

    def _note_announced_pages(self, reply: Reply) -> None:
        last = (reply.query_of("last") or {}).get("page", "")
        if last.isdecimal():
            self._announced_pages = max(self._announced_pages, int(last))

    def _compare_total(self, reply: Reply) -> None:
        if self._listing.member and reply.data.get("total_count") != len(self._found):
            raise self._incomplete(f"ends after {len(self._found)} of {reply.data.get('total_count')}")

    def _incomplete(self, how: str) -> Transient:
        return Transient(
            "incomplete_listing", f"{self._listing.path} is incomplete: page {self._pages} {how}."
        )
