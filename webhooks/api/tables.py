"""The 2-D arrays of the `github` bundle: a header row and what follows, or nothing at all. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import date, datetime, timedelta, tzinfo
from typing import Any

QUARTER = 900

Table = list[list[Any]]


def table(header: Sequence[str], rows: Iterable[Sequence[Any]]) -> Table:
    """Return the header and the rows; [] without any row."""
    found = [list(row) for row in rows]
    return [list(header), *found] if found else []


def days(today: date, number: int) -> list[date]:
    """Return so many days in order, today the last."""
    return [today - timedelta(days=back) for back in reversed(range(number))]


def per_day(series: Mapping[str, Mapping[int, int]], shown: Sequence[date], zone: tzinfo) -> Table:
    """Return the table of days with a column for each series of quarters of an hour; [] when nothing happened."""
    sums = {name: _by_day(quarters, zone) for name, quarters in series.items()}
    if not any(by_day[day] for by_day in sums.values() for day in shown):
        return []
    rows = ([f"{day:%d/%m}", *(by_day[day] for by_day in sums.values())] for day in shown)
    return table(["Date", *series], rows)


def _by_day(quarters: Mapping[int, int], zone: tzinfo) -> Counter[date]:
    by_day: Counter[date] = Counter()
    for quarter, hits in quarters.items():
        by_day[datetime.fromtimestamp(quarter * QUARTER, zone).date()] += hits
    return by_day
