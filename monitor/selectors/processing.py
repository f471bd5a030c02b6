"""The matrix of tables and states, and the rows behind each of its cells."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Count, Min, Model, QuerySet, Value

from monitor import paging
from monitor.links import github_url
from monitor.tables import Order
from webhooks import models
from webhooks.models import CLAIMED
from webhooks.models.base import RepositoryColumns
from webhooks.values import PENDING, STATES, ProcessingState, RefEvent

# As it stands in addresses: /processing/pull_requests/.
TABLES: dict[str, type[Model]] = {model._meta.db_table.removeprefix("github_"): model for model in CLAIMED}
# Large or secret columns that no list shows.
NEVER_LISTED = frozenset({"comment_body", "head_commit_message", "token"})


@dataclass(frozen=True)
class TableCounts:
    """One line of the matrix."""

    slug: str
    table: str
    has_idle: bool
    counts: dict[ProcessingState, int]
    unreadable: int
    oldest_pending: datetime | None

    @property
    def pending(self) -> int:
        return sum(self.counts[state] for state in PENDING)

    @property
    def cells(self) -> list[tuple[ProcessingState, int | None]]:
        """The states in their order, with None where the table's enum lacks one."""
        return [(state, self._cell(state)) for state in STATES]

    def _cell(self, state: ProcessingState) -> int | None:
        return None if state is ProcessingState.IDLE and not self.has_idle else self.counts[state]


def matrix() -> list[TableCounts]:
    """Count the eight tables, with one grouped query each that reads nothing but an index, and one for the oldest."""
    oldest = _oldest_pending(TABLES)
    return [_counted(slug, oldest.get(slug)) for slug in TABLES]


def count_table(slug: str) -> TableCounts:
    """Count one table; raises KeyError for an unknown name."""
    return _counted(slug, _oldest_pending([slug]).get(slug))


def _counted(slug: str, oldest_pending: datetime | None) -> TableCounts:
    model = TABLES[slug]
    groups = model._default_manager.order_by().values_list("processing_state").annotate(rows=Count("*"))
    found = dict(groups)
    return TableCounts(
        slug=slug,
        table=model._meta.db_table,
        has_idle=model is models.PullRequest,
        counts={state: found.get(state, 0) for state in STATES},
        unreadable=sum(rows for value, rows in found.items() if value not in STATES),
        oldest_pending=oldest_pending,
    )


def _oldest_pending(slugs: Iterable[str]) -> dict[str, datetime]:
    """Return when the oldest pending row of each table was written, of those that have any.

    Asked apart from the counts, and for all tables at once: an index's first entry of each state tells it, while a
    minimum beside a count is compared for every row.
    """
    first, *others = (_oldest_by_state(slug) for slug in slugs)
    oldest: dict[str, datetime] = {}
    for slug, _, at in first.union(*others, all=True):
        oldest[slug] = min(at, oldest.get(slug, at))
    return oldest


def _oldest_by_state(slug: str) -> QuerySet[Any, Any]:
    pending = TABLES[slug]._default_manager.filter(processing_state__in=PENDING).order_by()
    groups: QuerySet[Any, Any] = pending.values_list(Value(slug), "processing_state").annotate(
        oldest=Min("updated_at")
    )
    return groups


@dataclass(frozen=True)
class Totals:
    """The whole matrix in one line."""

    counts: list[tuple[ProcessingState, int]]
    pending: int
    oldest_pending: datetime | None
    oldest_table: str


def totals(tables: Iterable[TableCounts]) -> Totals:
    """Add up the matrix; the oldest pending row is the one last written longest ago."""
    tables = list(tables)
    waiting = [(table.oldest_pending, table.slug) for table in tables if table.oldest_pending]
    oldest, slug = min(waiting, default=(None, ""))
    return Totals(
        counts=[(state, sum(table.counts[state] for table in tables)) for state in STATES],
        pending=sum(table.pending for table in tables),
        oldest_pending=oldest,
        oldest_table=slug,
    )


@dataclass(frozen=True)
class Cell:
    """One cell of the matrix."""

    slug: str
    state: ProcessingState


def page(form: Mapping[str, Any], order: Order, cursor: str, size: int, *, cell: Cell) -> paging.Page[Any]:
    """Return a page of one cell, of those that fit the filled-in field `repository`.

    What is done comes newest first, all else in the order of claims, oldest first, unless a person wants another order.
    """
    columns = {field.name for field in TABLES[cell.slug]._meta.concrete_fields}
    found = in_state(cell.slug, cell.state, form.get("repository", "")).defer(*(columns & NEVER_LISTED))
    if order.column:
        return paging.by_order(found, order, cursor=cursor, size=size)
    newest_first = cell.state is ProcessingState.PROCESSED
    return paging.by_instant(found, "updated_at", cursor=cursor, newest_first=newest_first, size=size)


def in_state(slug: str, state: str, repository: str = "") -> QuerySet[Any]:
    """Return one cell's rows, of one repository ("owner/name") or ("") of all; raises KeyError for an unknown table.

    Tables without repositories have no row of one.
    """
    model = TABLES[slug]
    found: QuerySet[Any] = model._default_manager.filter(processing_state=state)
    if not repository:
        return found
    owner, _, name = repository.partition("/")
    if issubclass(model, RepositoryColumns):
        return found.filter(repository_owner=owner, repository_name=name)
    return found.filter(owner_login=owner, name=name) if model is models.Repository else found.none()


def address_of(row: Any) -> str:
    """Return where a row is on GitHub, "" when it has no page there."""
    return _ADDRESSES.get(type(row), lambda _: "")(row)


def _in_repository(row: Any, *parts: object, fragment: str = "") -> str:
    return github_url(row.repository_owner, row.repository_name, *parts, fragment=fragment)


def _comment(row: models.Comment) -> str:
    return _in_repository(row, "pull", row.pull_request_number, fragment=f"issuecomment-{row.comment_id}")


def _branch(row: models.Branch) -> str:
    # A slash divides folders in this address, so the name's own slashes stay.
    return _in_repository(row, "tree", *row.ref.split("/")) if row.event == RefEvent.CREATE else ""


_ADDRESSES: dict[type[Model], Callable[[Any], str]] = {
    models.PullRequest: lambda row: _in_repository(row, "pull", row.number),
    models.Issue: lambda row: _in_repository(row, "issues", row.number),
    models.Comment: _comment,
    models.Branch: _branch,
    models.Push: lambda row: _in_repository(row, "commit", row.head_commit_id),
    models.Repository: lambda row: github_url(row.owner_login, row.name),
    models.User: lambda row: github_url(row.login),
}


def title_of(row: Any) -> str:
    """Return what a person called the row, "" when nobody named it."""
    for column in ("title", "pull_request_title", "ref", "full_name"):
        if text := getattr(row, column, ""):
            return str(text)
    return ""
