"""Spans of time and amounts in words. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from math import ceil
from typing import Any

# The largest unit that fits is named, so that one glance is enough; the exact instant is in the tooltip.
UNITS = ((86_400, "d"), (3_600, "h"), (60, "min"), (1, "s"))
NOW_WITHIN = 2
# Counters of which the words alone would not read well.
READ_AS = {"re_requested": "re-requested"}


def span(length: timedelta) -> str:
    """Return a span in its largest whole unit: "3 d", "5 h", "12 min", "8 s", "0 s"."""
    seconds = int(abs(length).total_seconds())
    for size, unit in UNITS:
        if seconds >= size:
            return f"{seconds // size} {unit}"
    return "0 s"


def age(now: datetime, instant: datetime) -> str:
    """Return an instant as seen from now: "3 h ago", "in 2 d", "now"."""
    away = instant - now
    if abs(away.total_seconds()) < NOW_WITHIN:
        return "now"
    return f"in {span(away)}" if away > timedelta() else f"{span(away)} ago"


def about_hours(now: datetime, instant: datetime) -> str:
    """Return how many hours away an instant is, begun ones counted ("in about 3 h"), "at the next tick" when over."""
    if instant <= now:
        return "at the next tick"
    return f"in about {ceil((instant - now) / timedelta(hours=1)):,} h"


def counters(found: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return a run's counters as people read them: ("remaining quota", "4,990")."""
    return [
        (READ_AS.get(name, name.replace("_", " ")), f"{n:,}" if isinstance(n, int) else str(n))
        for name, n in found.items()
    ]


def exact(instant: datetime) -> str:
    """Return an instant in UTC to the second, for tooltips and logs."""
    return f"{instant:%Y-%m-%d %H:%M:%S} UTC"


def amount(number: int, noun: str, plural: str = "") -> str:
    """Return "1 row", "2,000 rows"."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def last_line(text: str | None) -> str:
    """Return the line of a traceback that says what went wrong."""
    lines = (text or "").strip().splitlines()
    return lines[-1] if lines else ""
