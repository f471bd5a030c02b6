"""The clock every rule goes by: the database's.

Several processes and machines share one database, so its clock is the only one they agree on. Read it once per unit of
work and pass the value down; Python's clock serves durations and logs.
"""

from __future__ import annotations

from datetime import UTC, datetime

from django.db import connection


def now() -> datetime:
    """Return the database's present as an aware UTC datetime of whole seconds."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT CURRENT_TIMESTAMP")
        return instant(cursor.fetchone()[0])


def instant(stored: datetime | str) -> datetime:
    """Return what a plain cursor gives for CURRENT_TIMESTAMP (SQLite: text) as now() does."""
    value = datetime.fromisoformat(stored) if isinstance(stored, str) else stored
    return value.replace(microsecond=0, tzinfo=UTC)
