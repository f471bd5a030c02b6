"""Make the demo's rows old: what was sent a moment ago happened over the past weeks.

Each Delivery gets an age, the first sent the greatest, and every row moves back by the age of the Delivery
that wrote it. A pull request was last touched later than that: by the Idle Retries that it is said to have
had since, each of which waited one day longer than the one before. All of it is drawn from one seed.
"""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sandbox.demo_database import columns, transaction

DAY = 86_400

OLDEST_DELIVERY_DAYS = 88.0
NEWEST_DELIVERY_DAYS = 0.1
LONGEST_QUIET_DAYS = 60.0
RETRY_CAP = 10

# Clear of the boundaries, so that a row does not change sides while a person looks at the page.
_MARGIN_DAYS = 0.05
_KINDS = ("first", "gave_up", "due", "waiting", "first", "due", "gave_up", "waiting", "first", "due")

_EVENT_DATES = (
    "Date",
    "CreatedAt",
    "GithubUpdatedAt",
    "AutoMergeEnabledAt",
    "LastActionDate",
    "InstallationActionDate",
    "SuspendedDate",
    "ReleaseCreatedAt",
    "HeadCommitTimestamp",
)
_TOUCH_DATES = ("UpdatedAt", "ProcessingDate", "ProcessedDate")

_PULL_REQUESTS = "github_pull_requests"


@dataclass(frozen=True, slots=True)
class Quiet:
    """How long ago a pull request was last touched, and after how many Idle Retries."""

    days: float
    retries: int


def age_database(connection: sqlite3.Connection, *, seed: int = 7) -> int:
    """Move every row of the demo back in time; return how many pull requests were aged.

    One transaction a table, so that the web server never waits long.
    """
    guids = connection.execute("SELECT Guid FROM webhook_deliveries ORDER BY Sequence").fetchall()
    ages = delivery_ages([guid for (guid,) in guids])
    for table in _event_tables(connection):
        with transaction(connection):
            _age_rows(connection, table, ages)
    with transaction(connection):
        _move_back(connection, "pull_request_history", ["At"], "DeliveryGuid", ages)
        _move_back(connection, "webhook_deliveries", ["ReceivedAt"], "Guid", ages)
    with transaction(connection):
        return _quieten_pull_requests(connection, ages, random.Random(seed))


def delivery_ages(guids: Sequence[str]) -> dict[str, float]:
    """Return each Delivery's age in days, evenly falling in the order they came in."""
    step = (OLDEST_DELIVERY_DAYS - NEWEST_DELIVERY_DAYS) / max(len(guids) - 1, 1)
    return {guid: OLDEST_DELIVERY_DAYS - index * step for index, guid in enumerate(guids)}


def waited(retries: int) -> int:
    """Return the days that so many Idle Retries took: 1 before the first, 2 before the second, ..."""
    return retries * (retries + 1) // 2


def quiet(age: float, kind: str, draw: random.Random) -> Quiet:
    """Decide a pull request's Idle Retries and quiet time, given its last Event's age in days.

    "first" was never retried, "due" is DUE again, "waiting" and "gave_up" say it themselves. A kind that so
    young a pull request cannot have reached falls back to "first", which is DUE after a day.
    """
    match kind:
        case "gave_up" if age > waited(RETRY_CAP) + 1 + 2 * _MARGIN_DAYS:
            return Quiet(_between(draw, 1, age - waited(RETRY_CAP)), RETRY_CAP)
        case "waiting" if most := _most_retries(age, one_day_more=False):
            retries = draw.randint(1, most)
            return Quiet(_between(draw, 1, min(retries + 1, age - waited(retries))), retries)
        case "due" if most := _most_retries(age, one_day_more=True):
            retries = draw.randint(1, most)
            return Quiet(_between(draw, retries + 1, age - waited(retries)), retries)
    return Quiet(draw.uniform(min(age, LONGEST_QUIET_DAYS) * 0.6, min(age, LONGEST_QUIET_DAYS)), 0)


def _most_retries(age: float, *, one_day_more: bool) -> int:
    """Return the most retries below the cap that fit into an age, the next one due already or a day away."""
    fits = (
        retries
        for retries in range(RETRY_CAP)
        if waited(retries) + (retries + 1 if one_day_more else 1) + 2 * _MARGIN_DAYS < age
    )
    return max(fits, default=0)


def _between(draw: random.Random, low: float, high: float) -> float:
    return draw.uniform(low + _MARGIN_DAYS, min(high, LONGEST_QUIET_DAYS) - _MARGIN_DAYS)


def _event_tables(connection: sqlite3.Connection) -> list[str]:
    tables = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")
    return [name for (name,) in tables.fetchall() if "DeliveryIdText" in columns(connection, name)]


def _age_rows(connection: sqlite3.Connection, table: str, ages: Mapping[str, float]) -> None:
    """Move a table's rows back by the age of their Delivery; a pull request's touch is decided apart."""
    dates = _EVENT_DATES if table == _PULL_REQUESTS else _EVENT_DATES + _TOUCH_DATES
    present = columns(connection, table)
    _move_back(connection, table, [date for date in dates if date in present], "DeliveryIdText", ages)


def _move_back(
    connection: sqlite3.Connection, table: str, dates: Sequence[str], guid: str, ages: Mapping[str, float]
) -> None:
    connection.executemany(
        f"UPDATE {table} SET {_shifted(dates)} WHERE {guid} = :guid",
        [{"guid": name, "shift": _modifier(days)} for name, days in ages.items()],
    )


def _quieten_pull_requests(
    connection: sqlite3.Connection, ages: Mapping[str, float], draw: random.Random
) -> int:
    rows = connection.execute(
        f"SELECT Sequence, DeliveryIdText, State FROM {_PULL_REQUESTS} "
        "WHERE ProcessingState = 'PROCESSED' ORDER BY NodeId"
    ).fetchall()
    for index, (sequence, guid, state) in enumerate(rows):
        age = ages[guid]
        rest = quiet(age, _KINDS[index % len(_KINDS)], draw) if state == "OPEN" else Quiet(age, 0)
        connection.execute(
            f"UPDATE {_PULL_REQUESTS} SET IdleRetryCount = :retries, {_shifted(_TOUCH_DATES)} "
            "WHERE Sequence = :sequence",
            {"sequence": sequence, "retries": rest.retries, "shift": _modifier(rest.days)},
        )
    return len(rows)


def _shifted(dates: Sequence[str]) -> str:
    return ", ".join(f"{date} = datetime({date}, :shift)" for date in dates)


def _modifier(days: float) -> str:
    return f"-{round(days * DAY)} seconds"
