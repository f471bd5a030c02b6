"""What happened in the last 30 days, added up: who and what sent Events, and how much was written."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django.db import connection
from django.db.models import Count, Max, QuerySet

from core.functions import QuarterHour, ago
from webhooks.models import (
    CLAIMED,
    Delivery,
    Installation,
    PullRequest,
    PullRequestHistory,
    Push,
    WorkflowRun,
)
from webhooks.selectors.current import current_installations, current_repositories, removed
from webhooks.values import STATES, HistoryKind

DAYS = 30
WINDOW = DAYS * 86_400
MOST_NAMES = 20
MOST_REPOSITORIES = 1000
FEED = 50
LARGEST = 2**63 - 1
_TOP = """SELECT {columns}, COUNT(*) AS Hits FROM webhook_deliveries {hint}
WHERE Sequence >= %s AND {name} != '' GROUP BY {columns} ORDER BY Hits DESC, {columns} LIMIT {limit}"""

Hits = list[tuple[str, int]]
# How many rows in each quarter of an hour, by its number since 1970: days of any time zone are made of them.
Quarters = dict[int, int]


def quarters_of_deliveries() -> Quarters:
    """Count the Deliveries of the window by quarter of an hour."""
    return _quarters(Delivery.objects.filter(received_at__gte=ago(WINDOW)), "received_at")


def quarters_of_tables() -> dict[str, Quarters]:
    """Count the rows of each claimed table by the quarter of an hour in which they were last written."""
    return {
        model._meta.db_table: _quarters(
            # All states there are: what an index needs that begins with the state.
            model._default_manager.filter(processing_state__in=STATES, updated_at__gte=ago(WINDOW)),
            "updated_at",
        )
        for model in CLAIMED
    }


def _quarters(rows: QuerySet[Any], column: str) -> Quarters:
    groups = rows.order_by().annotate(quarter=QuarterHour(column)).values_list("quarter")
    return {int(quarter): hits for quarter, hits in groups.annotate(hits=Count("*"))}


def top_events() -> Hits:
    """Return the most frequent events."""
    return _top_of_deliveries("ix_deliveries_event", "Event")


def top_senders() -> Hits:
    """Return the logins that caused the most Deliveries."""
    return _top_of_deliveries("ix_deliveries_sender", "SenderLogin")


def top_repositories() -> Hits:
    """Return the repositories with the most Deliveries, as "owner/name"."""
    found = _top_of_deliveries("ix_deliveries_repo", "RepositoryOwner", "RepositoryName")
    return [(f"{owner}/{name}", hits) for owner, name, hits in found]


def _top_of_deliveries(index: str, *columns: str) -> list[Any]:
    """Count the Deliveries of the window by columns, "" left out, reading that index alone.

    Sequence, which every index ends in, stands for the date: Deliveries are numbered as they come in. MariaDB must be
    told, or it reads the rows with all their bodies.
    """
    begun = Delivery.objects.filter(received_at__gte=ago(WINDOW)).order_by("received_at")
    first = begun.values_list("pk", flat=True).first()
    named = ", ".join(columns)
    hint = f"FORCE INDEX ({index})" if connection.vendor == "mysql" else ""
    statement = _TOP.format(columns=named, hint=hint, name=columns[-1], limit=MOST_NAMES)
    with connection.cursor() as cursor:
        cursor.execute(statement, [LARGEST if first is None else first])
        return list(cursor.fetchall())


def top(rows: QuerySet[Any], *columns: str) -> list[Any]:
    """Return the most frequent values of some columns as (value, …, how often), the most frequent first."""
    groups = rows.order_by().values_list(*columns).annotate(hits=Count("*"))
    return list(groups.order_by("-hits", *columns)[:MOST_NAMES])


def top_branches() -> Hits:
    """Return the branches that were pushed to most often."""
    pushes = Push.objects.filter(processing_state__in=STATES, updated_at__gte=ago(WINDOW))
    found = top(pushes, "repository_owner", "repository_name", "ref")
    return [(f"{owner}/{name} {ref.removeprefix('refs/heads/')}", hits) for owner, name, ref, hits in found]


def top_pull_requests() -> Hits:
    """Return the pull requests with the most Events."""
    events = PullRequestHistory.objects.filter(kind=HistoryKind.EVENT, at__gte=ago(WINDOW))
    found = dict(top(events, "pull_request_sequence"))
    rows = PullRequest.objects.only("repository_owner", "repository_name", "number").in_bulk(found)
    return [(str(rows[pk]), hits) for pk, hits in found.items() if pk in rows]


def workflow_runs() -> QuerySet[WorkflowRun]:
    """Return the workflow runs that anything was told of in the window."""
    return WorkflowRun.objects.filter(updated_at__gte=ago(WINDOW))


def active_installations() -> int:
    """Count the installations that are neither gone nor suspended."""
    return current_installations().filter(status=Installation.ACTIVE).count()


def repositories() -> list[tuple[str, bool]]:
    """Return the repositories that are not gone, by name, each with whether it is private."""
    rows = current_repositories().exclude(removed()).order_by("full_name", "pk")
    return list(rows.values_list("full_name", "private")[:MOST_REPOSITORIES])


def count_repositories() -> int:
    """Count the repositories that are not gone."""
    return current_repositories().exclude(removed()).count()


def newest_delivery() -> datetime | None:
    """Return when the last Delivery came in."""
    found: datetime | None = Delivery.objects.aggregate(newest=Max("received_at"))["newest"]
    return found


def feed(*, sender: str | None) -> Sequence[Delivery]:
    """Return the last Deliveries, of one sender if a login is given; "" is nobody's."""
    if sender == "":
        return []
    rows = Delivery.objects.defer("body").order_by("-pk")
    return list((rows if sender is None else rows.filter(sender_login=sender))[:FEED])
