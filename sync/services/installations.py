"""The monthly pass: all installations of the App, and the repositories of those not listed for three months."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import structlog
from django.db import transaction
from django.db.models import F, Q

from core import clock, registry
from core.functions import CurrentTimestamp
from core.passes import Run
from core.registry import Effective
from githubapi.client import AppClient
from githubapi.errors import GithubError, Suspended, Throttled
from githubapi.values import InstallationFacts, RepositoryFacts
from sync import selectors
from sync.decisions import diff_installations, diff_repositories
from sync.services.github import app_client, record_usage
from sync.services.metadata import (
    append_installation,
    append_repository,
    installation_columns,
    remove_installation,
    remove_repository,
    suspend_installation,
    update_repository,
)
from sync.services.writing import refresh
from sync.setting_specs import LAST_RUN
from sync.values import Add, Change, Listing, Refresh, Remove
from webhooks.models import Installation, Repository

log = structlog.get_logger(__name__)

MONTHS_BETWEEN_LISTINGS = 3
COUNTERS = ("listed", "added", "updated", "removed", "failed")


def is_due(values: Effective, now: datetime) -> bool:
    """Tell whether the pass has not been completed since the first of this month, UTC (B3.6, B3.7)."""
    last = values[LAST_RUN]
    return last is None or last < now.replace(day=1, hour=0, minute=0, second=0)


def sync_installations(run: Run) -> None:
    """List the App's installations whole, write what differs, list the repositories that are due.

    Raises GithubError when the installations cannot be listed whole: nothing is decided then. An installation that
    fails is counted and due again next month; the pass goes on. Only a complete pass is remembered.
    """
    for name in COUNTERS:
        run.count(name, 0)
    with app_client() as app:
        try:
            _write_installations(run, app)
            complete = _list_due_repositories(run, app)
        finally:
            record_usage(run, app.usage)
    if complete:
        registry.write(LAST_RUN, run.now.isoformat())


def _write_installations(run: Run, app: AppClient) -> None:
    began = clock.now()
    listing = Listing.of(app.installations(), began)
    run.count("listed", len(listing.items))
    for change in diff_installations(selectors.stored_installations(), listing):
        with transaction.atomic():
            run.hold_lock()
            _write_installation(run, change)


def _write_installation(run: Run, change: Change[InstallationFacts]) -> None:
    match change:
        case Add(facts):
            append_installation(facts)
            run.count("added")
        case Refresh(seen, facts):
            run.count("updated", int(refresh(Installation, seen, **installation_columns(facts))))
        case Remove(seen):
            remove_installation(seen.installation_id)
            run.count("removed")
        case _:
            raise AssertionError(f"No installation is changed by {change}.")


def _list_due_repositories(run: Run, app: AppClient) -> bool:
    """List the repositories of every installation that is due; False when the pass has to go on another time."""
    for installation in due_installations(run.now):
        if run.out_of_time():
            return False
        try:
            _list_repositories(run, app, installation)
        except Throttled as error:
            _log_failure(run, installation, error)
            return False
        except Suspended as error:
            suspend_installation(installation.installation_id, since=None)
            _log_failure(run, installation, error)
        except GithubError as error:
            _log_failure(run, installation, error)
    return True


def due_installations(now: datetime) -> list[Installation]:
    """Return the active installations whose repositories were never listed, or not for three months."""
    due = Q(last_sync_date=None) | Q(last_sync_date__lt=months_before(now, MONTHS_BETWEEN_LISTINGS))
    active = selectors.current_installations().filter(due, status=Installation.ACTIVE)
    return list(active.order_by(F("last_sync_date").asc(nulls_first=True), "pk"))


def months_before(now: datetime, months: int) -> datetime:
    """Return the same day so many months earlier, the last day of a shorter month."""
    year, month = divmod(now.year * 12 + now.month - 1 - months, 12)
    for day in range(now.day, now.day - 4, -1):
        try:
            return now.replace(year=year, month=month + 1, day=day)
        except ValueError:
            continue
    raise AssertionError("No month is shorter than 28 days.")


def _list_repositories(run: Run, app: AppClient, installation: Installation) -> None:
    began = clock.now()
    listed = app.for_installation(installation.installation_id).repositories()
    run.count("listed", len(listed))
    rows = selectors.stored_repositories(installation.installation_id, [facts.id for facts in listed])
    listing = Listing.of(listed, began)
    for change in diff_repositories(rows, listing, installation_id=installation.installation_id):
        _write_repository(run, change, installation.installation_id, began)
    Installation.objects.filter(pk=installation.pk).update(
        last_sync_date=CurrentTimestamp(), updated_at=F("updated_at")
    )


def _write_repository(
    run: Run, change: Change[RepositoryFacts], installation_id: int, began: datetime
) -> None:
    with transaction.atomic():
        run.hold_lock()
        match change:
            case Add(facts):
                append_repository(facts, installation_id)
                run.count("added")
            case Refresh(seen, facts):
                run.count("updated", int(update_repository(_row(seen), facts, began=began)))
            case Remove(seen):
                run.count("removed", int(remove_repository(_row(seen), began=began)))
            case _:
                raise AssertionError(f"No repository is changed by {change}.")


def _row(seen: Any) -> Repository:
    row: Repository = Repository.objects.get(pk=seen.pk)
    return row


def _log_failure(run: Run, installation: Installation, error: GithubError) -> None:
    run.count("failed")
    run.count(f"failed_{error.reason}")
    log.warning(
        "installation not listed",
        installation=installation.installation_id,
        account=installation.account_login,
        reason=error.reason,
        detail=str(error),
    )
