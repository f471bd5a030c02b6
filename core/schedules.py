"""The declarative schedule table (settings.SCHEDULES), applied to django-q2."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from django.conf import settings
from django.utils import timezone
from django.utils.module_loading import import_string
from django_q.models import Schedule

# Schedules of ours carry this prefix; rows that people add by hand in the admin are left alone.
PREFIX = "pass:"


@dataclass(frozen=True, kw_only=True)
class Every:
    """Run a dotted function without arguments every so many minutes."""

    minutes: int
    run: str


def apply_schedules() -> dict[str, int]:
    """Make django-q2's rows say what the table says; returns how many were added, changed and removed.

    Idempotent: the time of the next run of an unchanged schedule is not touched, so that applying the table at every
    start cannot put a schedule off for ever.
    """
    table: dict[str, Every] = import_string(settings.SCHEDULES)
    rows = list(Schedule.objects.filter(name__startswith=PREFIX).order_by("-pk"))
    # The oldest row of a name stays. There may be a second one: two first starts at the same moment, no unique key.
    found = {row.name: row for row in rows}
    wanted = {PREFIX + name: every for name, every in table.items()}
    changes = Counter[str]()
    for name, every in wanted.items():
        changes[_apply(name, every, found.get(name))] += 1
    gone = [row.pk for row in rows if row.name not in wanted or row is not found[row.name]]
    Schedule.objects.filter(pk__in=gone).delete()
    return {"added": changes["added"], "changed": changes["changed"], "removed": len(gone)}


def _apply(name: str, every: Every, row: Schedule | None) -> str:
    if row is None:
        Schedule.objects.create(name=name, next_run=timezone.now(), **_columns(every))
        return "added"
    if all(getattr(row, column) == value for column, value in _columns(every).items()):
        return "unchanged"
    Schedule.objects.filter(pk=row.pk).update(**_columns(every))
    return "changed"


def _columns(every: Every) -> dict[str, object]:
    return {"func": every.run, "schedule_type": Schedule.MINUTES, "minutes": every.minutes, "repeats": -1}
