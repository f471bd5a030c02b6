"""Installations, what they see, and whether the monthly pass lists them next."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Count

from monitor import paging
from monitor.selectors.repositories import facts_of
from monitor.standing import InstallationFacts, installation_status
from monitor.tables import Order
from monitor.values import InstallationStatus
from sync import selectors as sync
from sync.decisions import months_before
from sync.models import InstallationQuota
from sync.services.installations import MONTHS_BETWEEN_LISTINGS
from webhooks.models import Installation


@dataclass(frozen=True, kw_only=True)
class Row:
    """An installation as the page shows it; `due`: the next monthly pass lists its repositories."""

    installation: Installation
    status: InstallationStatus
    throttled_until: datetime | None
    repositories: int
    due: bool
    quota: InstallationQuota | None

    @property
    def pk(self) -> int:
        return int(self.installation.pk)


@dataclass(frozen=True)
class InstallationPage:
    """The rows of one page, and the cursor of the next one ("" on the last)."""

    rows: list[Row]
    next: str


def throttled(*, now: datetime) -> dict[str, datetime]:
    """Return the accounts whose rate limit is used up, and until when."""
    rows = sync.current_installations().filter(throttled_until__gt=now).order_by("throttled_until")
    found = rows.values_list("account_login", "installation_id", "throttled_until")
    return {login or f"installation {number}": until for login, number, until in found if until}


def page(_: Mapping[str, Any], order: Order, cursor: str, size: int, *, now: datetime) -> InstallationPage:
    """Return a page of the current rows, by account unless a person wants another order.

    Raises BadRequest for a cursor that is none. Every order sorts all of them: a few thousand are many.
    """
    column = order.column.order if order.column else "account_login"
    found = paging.by_columns(
        sync.current_installations(), (column,), cursor=cursor, descending=order.descending, size=size
    )
    seen = _repositories_seen(found.rows)
    limit = months_before(now, MONTHS_BETWEEN_LISTINGS)
    due = {row.pk for row in sync.due_installations(older_than=limit)}
    quotas = InstallationQuota.objects.in_bulk([row.installation_id for row in found.rows])
    around = Around(seen, due, quotas, now)
    return InstallationPage([_row(row, around) for row in found.rows], found.next)


@dataclass(frozen=True)
class Around:
    """What a page's rows are shown with, read once for all of them."""

    repositories: dict[int, int]
    due: set[int]
    quotas: dict[int, InstallationQuota]
    now: datetime


def _row(row: Installation, around: Around) -> Row:
    throttled = row.throttled_until if row.throttled_until and row.throttled_until > around.now else None
    return Row(
        installation=row,
        status=installation_status(facts_of(InstallationFacts, row)),
        throttled_until=throttled,
        repositories=around.repositories.get(row.installation_id, 0),
        due=row.pk in around.due,
        quota=around.quotas.get(row.installation_id),
    )


def _repositories_seen(installations: Iterable[Installation]) -> dict[int, int]:
    ids = [row.installation_id for row in installations]
    rows = sync.current_repositories().exclude(sync.removed()).filter(installation_id__in=ids)
    return dict(rows.order_by().values_list("installation_id").annotate(rows=Count("pk")))
