"""The deliveries of the App's hook: paged by a cursor, newest first, back to a given instant.

https://docs.github.com/en/rest/apps/webhooks#list-deliveries-for-an-app-webhook
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from githubapi.client import reading
from githubapi.client.channel import Channel
from githubapi.client.limits import Deadline
from githubapi.client.listing import Listing, Reading
from githubapi.errors import Transient
from githubapi.values import HookDelivery

PATH = "/app/hook/deliveries"


def deliveries_since(channel: Channel, since: datetime) -> list[HookDelivery]:
    """Return the attempts delivered at or after `since`, newest first.

    Raises GithubError, and ValueError for an instant without a time zone. A cursor cannot be guessed as a
    page number can: where the list ends with a full page, or before its first item, it is read a second time.
    """
    if since.tzinfo is None:
        raise ValueError("since must have a time zone")
    deadline = Deadline(channel.limits.listing)
    found, proven = _read(channel, since, deadline)
    if not proven:
        found, _ = _read(channel, since, deadline)
    return [delivery for delivery in found if delivery.delivered_at >= since]


def _read(channel: Channel, since: datetime, deadline: Deadline) -> tuple[list[HookDelivery], bool]:
    """Return the attempts of all pages down to `since`, and whether the end is beyond doubt."""
    pages = Reading(channel, Listing(path=PATH), deadline)
    query: Mapping[str, str] = {"per_page": str(channel.limits.page_size)}
    found: list[HookDelivery] = []
    while True:
        reply, items = pages.page(query)
        if not items and found:
            raise Transient("incomplete_listing", f"{PATH} is incomplete: an announced page is empty.")
        found += (reading.item(reading.hook_delivery, data) for data in items)
        following = reply.query_of("next")
        if any(delivery.delivered_at < since for delivery in found[-len(items) :]):
            return found, True
        if following is None:
            return found, 0 < len(items) < channel.limits.page_size
        query = following
