"""Spans of time and amounts in words. Pure."""

from __future__ import annotations

from datetime import datetime, timedelta

# The largest unit that fits is named, so that one glance is enough; the exact instant is in the tooltip.
UNITS = ((86_400, "d"), (3_600, "h"), (60, "min"), (1, "s"))
NOW_WITHIN = 2


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


def exact(instant: datetime) -> str:
    """Return an instant in UTC to the second, for tooltips and logs."""
    return f"{instant:%Y-%m-%d %H:%M:%S} UTC"


def amount(number: int, noun: str, plural: str = "") -> str:
    """Return "1 row", "2,000 rows"."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"
