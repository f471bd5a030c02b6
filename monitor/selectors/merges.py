"""Merges, the verdicts on what is not merged, and what the last ticks of the poller counted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, OuterRef, QuerySet, Subquery

from core.models import PassRun
from merge import selectors as merging
from merge.models import MergeVerdict
from merge.services.considering import Ending
from merge.values import Standing, Status
from monitor import paging
from monitor.tables import Order
from webhooks.models import PullRequest, Repository

TICKS = 6
# The counters that a tick is read by, in the order of the guards, with their words.
COUNTERS = {
    "seen": "seen",
    **{str(ending): ending.replace("_", " ") for ending in Ending},
    str(Ending.DRAFT): "drafts",
    "accounts_failed": "accounts failed",
}
REASON = ": "


def page(conditions: Mapping[str, Any], order: Order, cursor: str, size: int) -> paging.Page[Any]:
    """Return a page of merges that fit, the newest first, each with its pull request's title."""
    rows = merging.chosen(status=conditions.get("status"), repository=conditions.get("repository"))
    titles = PullRequest.objects.filter(pk=OuterRef("pull_request_sequence")).values("title")
    found = paging.by_order(rows.annotate(title=Subquery(titles)), order, cursor=cursor, size=size)
    for merge in found.rows:
        merge.status = merging.status(merge)
    return found


def counts() -> list[tuple[Status, int]]:
    """Count the merges by status, in the order of their life."""
    found = merging.merges().aggregate(
        **{
            status.value: Count("pk", filter=condition)
            for status, condition in merging.STATUS_CONDITIONS.items()
        }
    )
    return [(status, found[status.value]) for status in Status]


def to_be_approved() -> int:
    """Count the merges that wait for a person."""
    return merging.merges().filter(merging.STATUS_CONDITIONS[Status.PENDING]).count()


@dataclass(frozen=True)
class Tick:
    """One run of the poller: its record, its counters in order, and the reasons of what it refused or let wait."""

    run: PassRun
    counters: Sequence[int]
    reasons: Sequence[tuple[str, int]]


def ticks() -> list[Tick]:
    """Return the last runs of the pass merge, the newest first."""
    runs = PassRun.objects.filter(name="merge").order_by("-pk")[:TICKS]
    return [
        Tick(
            run,
            [run.counters.get(name, 0) for name in COUNTERS],
            sorted(
                (name.partition(REASON)[2].replace("_", " "), amount)
                for name, amount in run.counters.items()
                if REASON in name
            ),
        )
        for run in runs
    ]


def verdicts(conditions: Mapping[str, Any], order: Order, cursor: str, size: int) -> paging.Page[Any]:
    """Return a page of the newest verdicts, with the names that their repositories have now."""
    equal = {name: conditions[name] for name in ("standing", "code") if conditions.get(name)}
    rows = _named(MergeVerdict.objects.filter(**equal))
    if repository := conditions.get("repository"):
        owner, _, name = repository.partition("/")
        rows = rows.filter(repository_owner=owner, repository_name=name)
    return paging.by_order(rows, order, cursor=cursor, size=size)


def _named(rows: QuerySet[Any]) -> QuerySet[Any]:
    current = Repository.objects.filter(github_id=OuterRef("repository_id")).order_by("-pk")
    owner, name = (Subquery(current.values(column)[:1]) for column in ("owner_login", "name"))
    named: QuerySet[Any] = rows.annotate(repository_owner=owner, repository_name=name)
    return named


def verdict_counts() -> list[tuple[Standing, int]]:
    """Count the newest verdicts by standing."""
    groups = MergeVerdict.objects.order_by().values_list("standing").annotate(rows=Count("pk"))
    found = dict(groups)
    return [(standing, found.get(standing.value, 0)) for standing in Standing]
