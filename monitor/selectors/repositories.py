"""The line of the hourly sync, and the repositories that are not in it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, replace
from datetime import UTC, datetime
from typing import Any, TypeVar

from django.db.models import Count, QuerySet

from monitor import paging
from monitor.selectors.passes import PassHealth
from monitor.standing import (
    TURN,
    InstallationFacts,
    RepositoryFacts,
    Standing,
    freshness,
    standing,
    turn_at,
)
from monitor.tables import Order
from monitor.values import Freshness, RepositoryStatus
from sync import selectors as sync
from webhooks.models import Installation, Repository

T = TypeVar("T")

# Sorts before every date, as NULL does in both databases.
NEVER = datetime.min.replace(tzinfo=UTC)


@dataclass(frozen=True, kw_only=True)
class Row:
    """A repository as the page shows it; `place` (1 = next) and `freshness` are for those in line only.

    `turn` is None too while the pass cannot run: then nobody knows when.
    """

    repository: Repository
    installation: Installation | None
    standing: Standing
    place: int | None = None
    freshness: Freshness | None = None
    turn: datetime | None = None

    @property
    def pk(self) -> int:
        return int(self.repository.pk)


@dataclass(frozen=True)
class RepositoryPage:
    """The rows of one page, and the cursor of the next one ("" on the last)."""

    rows: list[Row]
    next: str


@dataclass(frozen=True)
class Line:
    """The line of the hourly sync: its length, when its first is synced (None: nobody knows), as seen from now."""

    length: int
    next_run: datetime | None
    now: datetime


def counts() -> dict[RepositoryStatus, int]:
    """Count the current rows by status; two queries."""
    current = sync.current_repositories().aggregate(
        all=Count("pk"), removed=Count("pk", filter=sync.removed())
    )
    in_line = sync.active_repositories().count()
    return {
        RepositoryStatus.IN_LINE: in_line,
        RepositoryStatus.OUT_OF_REACH: current["all"] - current["removed"] - in_line,
        RepositoryStatus.REMOVED: current["removed"],
    }


def line_of(job: PassHealth, *, in_line: int, now: datetime) -> Line:
    """Return the line of so many, paced by the pass."""
    return Line(in_line, next_sync(job, now=now), now)


def next_sync(job: PassHealth, *, now: datetime) -> datetime | None:
    """Return when the first in line is synced: while the pass runs, an hour later; None: nobody knows."""
    return now + TURN if job.running else job.next_due


def page(form: Mapping[str, Any], order: Order, cursor: str, size: int, *, line: Line) -> RepositoryPage:
    """Return a page by next turn (those without one last) or by name, of those that fit the filled-in fields.

    Raises BadRequest for a cursor that is none.
    """
    lists = [rows.filter(**_conditions(form)) for rows in _lists(form.get("status"), order)]
    if order.column:
        (rows,) = lists
        found = paging.by_columns(
            rows, ("owner_login", "name"), cursor=cursor, descending=order.descending, size=size
        )
    else:
        found = paging.by_last_sync(lists, cursor=cursor, size=size)
    return RepositoryPage(_rows(found.rows, line), found.next)


def _lists(status: str | None, order: Order) -> list[QuerySet[Repository]]:
    """Return the lists that follow each other: by turn, those without one come after those in line."""
    current, active = sync.current_repositories(), sync.active_repositories()
    without_turn = current.exclude(pk__in=active.values("pk"))
    match status:
        case RepositoryStatus.IN_LINE:
            return [active]
        case RepositoryStatus.OUT_OF_REACH:
            return [without_turn.exclude(sync.removed())]
        case RepositoryStatus.REMOVED:
            return [current.filter(sync.removed())]
    return [current] if order.column else [active, without_turn]


def _conditions(form: Mapping[str, Any]) -> dict[str, Any]:
    columns = {"owner": "owner_login", "name": "name__icontains", "installation": "installation_id"}
    return {column: form[field] for field, column in columns.items() if form.get(field)}


def _rows(repositories: list[Repository], line: Line) -> list[Row]:
    installations = _installations(repositories)
    found = [(row, installations.get(row.installation_id or 0)) for row in repositories]
    standings = {row.pk: _standing(row, installation, now=line.now) for row, installation in found}
    in_turn = [row for row in repositories if standings[row.pk].status is RepositoryStatus.IN_LINE]
    places = _places(in_turn)

    def row_of(row: Repository, installation: Installation | None) -> Row:
        bare = Row(repository=row, installation=installation, standing=standings[row.pk])
        place = places.get(row.pk)
        if place is None:
            return bare
        return replace(
            bare,
            place=place,
            freshness=freshness(row.last_sync_date, in_line=line.length, now=line.now),
            turn=turn_at(place, line.next_run, now=line.now) if line.next_run else None,
        )

    return [row_of(*pair) for pair in found]


def _installations(repositories: Iterable[Repository]) -> dict[int, Installation]:
    ids = {row.installation_id for row in repositories if row.installation_id}
    rows = sync.current_installations().filter(installation_id__in=ids)
    return {row.installation_id: row for row in rows}


def _standing(row: Repository, installation: Installation | None, *, now: datetime) -> Standing:
    reach = facts_of(InstallationFacts, installation) if installation else None
    return standing(facts_of(RepositoryFacts, row), reach, now=now)


def facts_of(facts: type[T], row: Any) -> T:
    """Return those columns of a row that a decision asks for."""
    return facts(**{column.name: getattr(row, column.name) for column in fields(facts)})  # type: ignore[arg-type]


def _places(rows: list[Repository]) -> dict[int, int]:
    """Return the places in line (1 = next) of those rows, from the line read as far as the last of them."""
    if not rows:
        return {}
    last = max(rows, key=lambda row: (row.last_sync_date or NEVER, row.pk))
    line = sync.active_repositories().filter(paging.synced_up_to(last.last_sync_date, last.pk))
    ahead = line.order_by("last_sync_date", "pk").values_list("pk", flat=True)
    return {pk: place for place, pk in enumerate(ahead, start=1)}


def one(github_id: int, line: Line) -> Row | None:
    """Return the current row of a repository as the page shows it, None when nothing is known of it."""
    found = sync.current_repositories().filter(github_id=github_id).first()
    return _rows([found], line)[0] if found else None
