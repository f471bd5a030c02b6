"""When passes with a condition of their own are due: in words, and as an instant."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Max

from core.registry import Effective
from monitor.models import BulkJob
from monitor.standing import TURN, month_opens
from sync.decisions import month_is_open
from sync.passes import SYNC_INSTALLATIONS, SYNC_REPOSITORIES
from sync.selectors import next_repository
from sync.setting_specs import LAST_RUN
from webhooks.models import Repository


@dataclass(frozen=True)
class Opening:
    """From when on the condition holds; None: nobody can tell, for the reason given."""

    at: datetime | None
    reason: str = ""


@dataclass(frozen=True)
class Rhythm:
    """How often a pass runs, for people, and its condition's opening by the Settings as seen from now."""

    words: str
    opening: Callable[[Effective, datetime], Opening]


def _month(values: Effective, now: datetime) -> Opening:
    last = values[LAST_RUN]
    return Opening(now if last is None or month_is_open(last, now) else month_opens(last))


def _line(_: Effective, now: datetime) -> Opening:
    if next_repository() is None:
        return Opening(None, "when a repository is in line")
    newest = Repository.objects.aggregate(newest=Max("last_sync_date"))["newest"]
    return Opening(newest + TURN if newest else now)


def _bulk(_: Effective, now: datetime) -> Opening:
    if BulkJob.objects.filter(state=BulkJob.State.RUNNING).exists():
        return Opening(now)
    return Opening(None, "when somebody starts an act on many rows")


RHYTHMS: Mapping[str, Rhythm] = {
    SYNC_INSTALLATIONS.name: Rhythm("once a month", _month),
    SYNC_REPOSITORIES.name: Rhythm("one repository an hour", _line),
    "bulk": Rhythm("every minute while there is something to do", _bulk),
}
