"""A clock that tests drive: Python, MariaDB and SQLite move together.

Production SQL says CURRENT_TIMESTAMP only. MariaDB lets a session set it (`SET timestamp`), SQLite lets a connection
replace the keyword by a function. Other processes see nothing of this: tests over several processes age the data
instead (tests/ageing.py).
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any, Self

import time_machine
from django.db import connections

DEFAULT_START = datetime(2026, 3, 4, 9, 0, tzinfo=UTC)


def python_clock() -> str:
    return datetime.now(UTC).strftime("%Y-%m-%d %H:%M:%S")


def install_sqlite_keyword(connection: Any, **_: Any) -> None:
    """Receiver of connection_created: from now on the keyword asks Python. deterministic = once a statement."""
    if connection.vendor == "sqlite":
        connection.connection.create_function("CURRENT_TIMESTAMP", 0, python_clock, deterministic=True)


class DrivenClock:
    """Stands still until a test moves it."""

    def __init__(self, start: datetime = DEFAULT_START) -> None:
        self.travel = time_machine.travel(start, tick=False)
        self.traveller: Any = None

    def __enter__(self) -> Self:
        self.traveller = self.travel.start()
        self._tell_databases()
        return self

    def __exit__(self, *_: object) -> None:
        self.travel.stop()
        self._each_mariadb("SET timestamp=DEFAULT")

    @property
    def now(self) -> datetime:
        return datetime.now(UTC).replace(microsecond=0)

    def shift(self, **step: float) -> datetime:
        """Move by a timedelta's arguments and return the new present."""
        return self.move_to(self.now + timedelta(**step))

    def move_to(self, instant: datetime) -> datetime:
        self.traveller.move_to(instant, tick=False)
        self._tell_databases()
        return self.now

    def tell(self, connection: Any) -> None:
        """Set one open connection's clock (a thread's or a second one's, which its creation missed)."""
        if connection.vendor == "mysql":
            with connection.cursor() as cursor:
                cursor.execute("SET timestamp=%s", [int(self.now.timestamp())])

    def _tell_databases(self) -> None:
        self._each_mariadb(f"SET timestamp={int(self.now.timestamp())}")

    def _each_mariadb(self, statement: str) -> None:
        for connection in connections.all(initialized_only=True):
            if connection.vendor == "mysql" and connection.connection is not None:
                with connection.cursor() as cursor:
                    cursor.execute(statement)
