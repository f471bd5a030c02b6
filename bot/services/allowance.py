"""A repository's branch updates of a day, taken before GitHub is asked: so workers together never pass the limit."""

from __future__ import annotations

from datetime import date
from functools import partial

from django.db.models import F

from bot.models import BranchUpdateDay
from core import clock
from core.transactions import patiently


def take(repository_id: int, limit: int) -> date | None:
    """Take one of today's (UTC) updates and return the day it counts for; None when all are used up.

    A limit of 0 is none; its updates count all the same, so that a limit which is set at noon knows of the morning's.
    """
    today = clock.now().date()
    return today if patiently(partial(_take, repository_id, limit, today)) else None


def give_back(repository_id: int, day: date) -> None:
    """GitHub has refused the update: it counts no more."""
    taken = BranchUpdateDay.objects.filter(repository_id=repository_id, day=day, used__gt=0)
    patiently(partial(taken.update, used=F("used") - 1))


def _take(repository_id: int, limit: int, today: date) -> bool:
    BranchUpdateDay.objects.get_or_create(repository_id=repository_id, defaults={"day": today})
    rows = BranchUpdateDay.objects.filter(repository_id=repository_id)
    if rows.filter(day__lt=today).update(used=1, day=today):
        return True
    # A later day is one that another worker has begun between our reading of the clock and now.
    free = rows.filter(day__gte=today, used__lt=limit) if limit else rows.filter(day__gte=today)
    return bool(free.update(used=F("used") + 1))
