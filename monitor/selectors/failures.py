"""What was given up on, in all tables that are claimed, and the looks that are parked."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import QuerySet

from idle.values import next_retry_at
from monitor import paging
from monitor.selectors.processing import NEVER_LISTED, TABLES
from monitor.tables import Order
from webhooks.models import PullRequest, PullRequestLook
from webhooks.selectors import failed_rows, parked_looks
from webhooks.values import OpenState

# Beside the tables, as it stands in addresses.
LOOKS = "looks"
# Nobody needs a larger number to know that something is wrong, and no page waits for it.
MOST_COUNTED = 10_000


@dataclass(frozen=True)
class FailureCount:
    """How many of one table are given up on; `more`: only so many were counted."""

    slug: str
    rows: int
    more: bool


@dataclass(frozen=True)
class Failures:
    """The counts of all tables and of the looks."""

    counts: list[FailureCount]

    @property
    def total(self) -> int:
        return sum(count.rows for count in self.counts)

    @property
    def words(self) -> str:
        """The total as people read it: "12", "10,000+"."""
        return f"{self.total:,}{'+' if self.more else ''}"

    @property
    def more(self) -> bool:
        return any(count.more for count in self.counts)

    @property
    def first(self) -> str:
        """The first list that holds anything, to be opened when none was chosen."""
        return next((count.slug for count in self.counts if count.rows), self.counts[0].slug)


@dataclass(frozen=True)
class Failure:
    """One row or look that was given up on; `retry_at` = its next Idle Retry, None when none is to come."""

    row: Any
    error: str
    attempts: int
    since: datetime | None
    chance: str
    retry_at: datetime | None = None

    @property
    def pk(self) -> int:
        return int(self.row.pk)


def failures() -> Failures:
    """Count what is given up on, with one query a table that reads no more than is given up on."""
    return Failures(
        [*(_count(slug, failed_rows(TABLES[slug])) for slug in TABLES), _count(LOOKS, parked_looks())]
    )


@dataclass(frozen=True)
class FailurePage:
    """The failures of one page, and the cursor of the next one ("" on the last)."""

    rows: list[Failure]
    next: str


def page(_: Mapping[str, Any], __: Order, cursor: str, size: int, *, slug: str) -> FailurePage:
    """Return a page of one table's failed rows or (`looks`) of parked looks, the newest failure first.

    Raises KeyError for an unknown name and BadRequest for a cursor that is none.
    """
    found = parked_looks() if slug == LOOKS else _failed_of(slug)
    read: paging.Page[Any] = paging.by_instant(
        found, "failed_date", cursor=cursor, newest_first=True, size=size
    )
    return FailurePage(shown(slug, read.rows), read.next)


def _failed_of(slug: str) -> QuerySet[Any]:
    model = TABLES[slug]
    columns = {field.name for field in model._meta.concrete_fields}
    return failed_rows(model).defer(*(columns & NEVER_LISTED))


def errors_since(failures: Failures, since: datetime, *, most: int) -> Iterator[str]:
    """Yield what rows say that were given up on since then, the newest of each table that has any."""
    for count in failures.counts:
        if count.rows and count.slug != LOOKS:
            found = failed_rows(TABLES[count.slug]).filter(failed_date__gte=since).order_by("-failed_date")
            yield from found.values_list("processing_error", flat=True)[:most]


def shown(slug: str, rows: list[Any]) -> list[Failure]:
    """Return a page's rows with what a person wants to know of each."""
    return (
        [_failed_look(*each) for each in _with_rows(rows)]
        if slug == LOOKS
        else [_failed_row(row) for row in rows]
    )


def _count(slug: str, rows: QuerySet[Any]) -> FailureCount:
    found = rows.order_by()[: MOST_COUNTED + 1].count()
    return FailureCount(slug, min(found, MOST_COUNTED), more=found > MOST_COUNTED)


def _failed_row(row: Any) -> Failure:
    retry_at = None
    if isinstance(row, PullRequest) and row.state == OpenState.OPEN:
        retry_at = next_retry_at(row.updated_at, row.idle_retry_count)
    return Failure(
        row=row,
        error=row.processing_error,
        attempts=row.processing_attempts,
        since=row.failed_date,
        chance="an Event, or its Idle Retry" if retry_at else "an Event",
        retry_at=retry_at,
    )


def _with_rows(looks: list[PullRequestLook]) -> list[tuple[PullRequestLook, PullRequest | None]]:
    pulls = PullRequest.objects.in_bulk([look.pull_request_sequence for look in looks])
    return [(look, pulls.get(look.pull_request_sequence)) for look in looks]


def _failed_look(look: PullRequestLook, row: PullRequest | None) -> Failure:
    return Failure(
        row=row or look,
        error=look.error or "",
        attempts=look.attempts,
        since=look.failed_date,
        chance="the end of its next check",
    )
