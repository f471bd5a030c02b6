"""Rows of installations, written as the Events that were missed would have written them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from django.db.models import F

from core import clock
from core.functions import CurrentTimestamp
from core.passes import Run
from githubapi.errors import Throttled
from sync import selectors
from sync.services.writing import (
    MOVED,
    Counts,
    as_event,
    as_read,
    count,
    facts_only,
    within_lock,
    write_in_batches,
)
from sync.values import (
    INACTIVE,
    Add,
    InstallationChange,
    InstallationMetadata,
    Listed,
    Refresh,
    Remove,
)
from webhooks.models import Installation
from webhooks.services.limits import note_limit
from webhooks.services.rows import backfilled_columns


def write_installations(run: Run, changes: Sequence[InstallationChange]) -> None:
    """Write changes of installations' current rows and count them."""
    write_in_batches(run, changes, _write)


def _write(batch: Sequence[InstallationChange]) -> Counts:
    adds = [change for change in batch if isinstance(change, Add)]
    counts = count("added", _add(adds), adds)
    for change in batch:
        match change:
            case Refresh():
                counts["updated" if _refresh(change) else MOVED] += 1
            case Remove():
                counts["removed" if _remove(change) else MOVED] += 1
    return counts


def _add(adds: Sequence[Add[InstallationMetadata]]) -> list[Installation]:
    """Append the rows of installations that are still unknown: no unique key would refuse a second one."""
    ids = [change.item.facts.installation_id for change in adds]
    known = (
        set(Installation.objects.filter(installation_id__in=ids).values_list("installation_id", flat=True))
        if ids
        else set()
    )
    facts = [change.item.facts for change in adds if change.item.facts.installation_id not in known]
    return list(
        Installation.objects.bulk_create(Installation(**backfilled_columns(), **vars(f)) for f in facts)
    )


def _refresh(change: Refresh[InstallationMetadata]) -> bool:
    """Take over metadata; a suspension, or its end, is written as its Event writes it."""
    row, facts = change.row, change.item.facts
    turned = (row.facts.status, row.facts.suspended_date) != (facts.status, facts.suspended_date)
    columns = vars(facts) | (as_event(row) if turned else facts_only())
    return bool(as_read(Installation, row).update(**columns))


def _remove(change: Remove[InstallationMetadata]) -> bool:
    """Write what the `deleted` Event writes to the current row (B3.10)."""
    columns = as_event(change.row) | {"status": INACTIVE, "suspended_date": None}
    return bool(as_read(Installation, change.row).update(**columns))


def suspend(run: Run, installation_id: int) -> None:
    """Write what the `suspend` Event writes, unless an Event wrote the row since this run began."""
    row = selectors.installation(installation_id)
    if row is None or row.updated_at >= run.now or row.facts.status == INACTIVE:
        return
    facts = replace(row.facts, status=INACTIVE, suspended_date=clock.now())
    write_installations(run, [Refresh(row, Listed(facts))])


def throttle(run: Run, installation_id: int, error: Throttled) -> None:
    """Keep everybody away from the installation until GitHub takes requests again."""
    within_lock(run, partial(note_limit, installation_id, error))
    run.count("throttled")


def set_listed(run: Run, installation: Installation) -> None:
    """Move the date of an installation whose repositories were listed whole (B3.15)."""
    rows = Installation.objects.filter(pk=installation.pk)
    within_lock(run, lambda: rows.update(last_sync_date=CurrentTimestamp(), updated_at=F("updated_at")))
