"""One repository: what of it waits in which state, and its pull requests in the order of their Idle Retries."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from django.db.models import Count

from core.functions import ago
from monitor.selectors import idle_list
from monitor.tables import Order
from webhooks.models import Delivery, PullRequest, Repository
from webhooks.values import STATES, OpenState, ProcessingState

DAY = 86_400


def open_pulls(repository: Repository) -> list[tuple[ProcessingState, int]]:
    """Count the repository's open pull requests by ProcessingState."""
    rows = PullRequest.objects.filter(
        repository_owner=repository.owner_login, repository_name=repository.name, state=OpenState.OPEN
    )
    found = dict(rows.order_by().values_list("processing_state").annotate(rows=Count("*")))
    return [(state, found.get(state, 0)) for state in STATES]


def deliveries_last_day(repository: Repository) -> Counter[str]:
    """Count what came in for the repository within 24 hours, by status."""
    rows = Delivery.objects.filter(
        repository_owner=repository.owner_login,
        repository_name=repository.name,
        received_at__gte=ago(DAY),
    )
    return Counter(dict(rows.order_by().values_list("status").annotate(rows=Count("*"))))


def page(
    _: Mapping[str, Any], order: Order, cursor: str, size: int, *, repository: Repository
) -> idle_list.IdlePage:
    """Return a page of the repository's Idle Pull Requests, in the order of the whole line."""
    return idle_list.page({"repository": f"{repository.owner_login}/{repository.name}"}, order, cursor, size)
