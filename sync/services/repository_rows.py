"""Rows of repositories, written as the Events that were missed would have written them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from core.functions import CurrentTimestamp
from core.passes import Run
from sync.decisions import repository_action
from sync.services.writing import MOVED, Counts, as_event, as_read, cause, count, facts_only, write_in_batches
from sync.values import Add, Refresh, Remove, RepositoryChange, RepositoryMetadata, Revive, Stored
from webhooks.models import Repository
from webhooks.services import renames
from webhooks.services.rows import backfilled_columns
from webhooks.values import RepositoryRef


def write_repositories(run: Run, changes: Sequence[RepositoryChange]) -> None:
    """Write changes of repositories' current rows and count them."""
    write_in_batches(run, changes, lambda batch: _write(run, batch))


def _write(run: Run, batch: Sequence[RepositoryChange]) -> Counts:
    adds = [change for change in batch if isinstance(change, Add)]
    counts = count("added", _add(adds), adds)
    for change in batch:
        match change:
            case Refresh():
                counts["updated" if _refresh(run, change) else MOVED] += 1
            case Revive():
                counts["added" if _revive(run, change) else MOVED] += 1
            case Remove():
                counts["removed" if _remove(change) else MOVED] += 1
    return counts


def _add(adds: Sequence[Add[RepositoryMetadata]]) -> list[Repository]:
    """Append the rows of repositories that are still unknown: no unique key would refuse a second one."""
    ids = [change.item.facts.github_id for change in adds]
    known = (
        set(Repository.objects.filter(github_id__in=ids).values_list("github_id", flat=True))
        if ids
        else set()
    )
    rows = [_added(change) for change in adds if change.item.facts.github_id not in known]
    return list(Repository.objects.bulk_create(rows))


def _added(change: Add[RepositoryMetadata] | Revive[RepositoryMetadata]) -> Repository:
    """Return the row that says "the installation can see it now", as `installation_repositories` added does."""
    return Repository(
        **backfilled_columns(),
        **vars(change.item.facts),
        installation_action="added",
        installation_action_date=CurrentTimestamp(),
        github_updated_at=change.item.updated_at,
    )


def _refresh(run: Run, change: Refresh[RepositoryMetadata]) -> bool:
    """Take over metadata; a new name or owner is written as `renamed` and `transferred` write it, in every table."""
    row, item = change.row, change.item
    columns: dict[str, Any] = vars(item.facts) | {"github_updated_at": item.updated_at}
    if action := repository_action(row.facts, item.facts):
        columns |= as_event(row) | {"last_action": action, "last_action_date": CurrentTimestamp()}
    else:
        columns |= facts_only()
    if not (_is_untouched(row) and as_read(Repository, row).update(**columns)):
        return False
    _carry_over(run, row.facts, item.facts)
    return True


def _revive(run: Run, change: Revive[RepositoryMetadata]) -> bool:
    if not _is_untouched(change.row):
        return False
    _added(change).save(force_insert=True)
    _carry_over(run, change.row.facts, change.item.facts)
    return True


def _remove(change: Remove[RepositoryMetadata]) -> bool:
    """Append the row that says "gone", as `installation_repositories` removed does; all else stays as history."""
    if not _is_untouched(change.row):
        return False
    Repository.objects.create(
        **backfilled_columns(),
        **vars(change.row.facts),
        last_action="deleted",
        last_action_date=CurrentTimestamp(),
        installation_action="removed",
        installation_action_date=CurrentTimestamp(),
    )
    return True


def _is_untouched(row: Stored[RepositoryMetadata]) -> bool:
    """Lock the row and tell whether it is as it was read, and still the repository's current one."""
    newer = Repository.objects.filter(github_id=row.facts.github_id, pk__gt=row.pk)
    return as_read(Repository, row).select_for_update().exists() and not newer.exists()


def _carry_over(run: Run, before: RepositoryMetadata, after: RepositoryMetadata) -> None:
    """Give all rows of the repository, in every table, its new name and the installation that sees it now."""
    if (before.full_name, before.installation_id) == (after.full_name, after.installation_id):
        return
    renames.carry_over(
        renames.Rename(
            repository=RepositoryRef(after.github_id, after.owner_login, after.name),
            old=(before.owner_login, before.name),
            cause=cause(run),
            installation_id=after.installation_id,
        )
    )
