"""Whose turn it is: what a run had no time for comes first in the next one (field case F32).

A turn is written down before its work, so that what kills its process goes to the end of the line like any other (F08).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from functools import partial
from typing import TypeVar

from core.functions import CurrentTimestamp, ago
from core.transactions import patiently
from merge.models import Turn
from merge.selectors import CHUNK

# Whatever is still there has had its turn since; the rest is closed or gone.
FORGOTTEN_AFTER = 30 * 24 * 60 * 60
NEVER = datetime.min.replace(tzinfo=UTC)

Thing = TypeVar("Thing")


def account_key(installation_id: int) -> str:
    """Return how an account is named in the line."""
    return f"account:{installation_id}"


def repository_key(github_id: int) -> str:
    return f"repository:{github_id}"


def take(key: str) -> None:
    """Send to the end of the line."""
    patiently(partial(_take, key))


def _take(key: str) -> None:
    if not Turn.objects.filter(pk=key).update(taken_at=CurrentTimestamp()):
        Turn.objects.bulk_create([Turn(key=key)], ignore_conflicts=True)


def in_line(things: Iterable[Thing], key: Callable[[Thing], str]) -> list[Thing]:
    """Return the things in line: those that never had a turn first, then those whose last one is the oldest."""
    waiting = list(things)
    had = taken_at(map(key, waiting))
    return sorted(waiting, key=lambda thing: had.get(key(thing), NEVER))


def taken_at(keys: Iterable[str]) -> dict[str, datetime]:
    """Return when each had its last turn, as far as they had any."""
    wanted = list(keys)
    found: dict[str, datetime] = {}
    for start in range(0, len(wanted), CHUNK):
        rows = Turn.objects.filter(pk__in=wanted[start : start + CHUNK])
        found.update(rows.values_list("key", "taken_at"))
    return found


def forget_old() -> None:
    """Delete the turns of what is no longer there."""
    Turn.objects.filter(taken_at__lt=ago(FORGOTTEN_AFTER)).delete()
