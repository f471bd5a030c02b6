"""A program of somebody else on the same database: its own driver, its own session, plain SQL.

On MariaDB its statements are the contract's own shapes and its session lives in another time zone. On SQLite
they are the same statements as an SQLite program would write them: no row locks, no ON UPDATE, no INTERVAL.
"""

from __future__ import annotations

import sqlite3
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.db import connection

WITHOUT_IDLE = "'NEW', 'UPDATED', 'RE_REQUESTED'"
PENDING = f"{WITHOUT_IDLE}, 'IDLE'"
VERSION = "3.1.4"


@dataclass(frozen=True)
class Dialect:
    """The words in which two databases say the same."""

    now: str
    hour_ago: str
    skip_locked: str
    unhex: str
    touch: str


MARIADB = Dialect("NOW()", "NOW() - INTERVAL 1 HOUR", " FOR UPDATE SKIP LOCKED", "UNHEX(%s)", "")
SQLITE = Dialect(
    "CURRENT_TIMESTAMP",
    "datetime(CURRENT_TIMESTAMP, '-1 hour')",
    "",
    "CAST(%s AS BLOB)",
    ", UpdatedAt=CURRENT_TIMESTAMP",
)


class Outsider:
    """One session of that program. Statements outside begin() and commit() stand alone."""

    def __init__(self, time_zone: str) -> None:
        self.is_mariadb = connection.vendor == "mysql"
        self.dialect = MARIADB if self.is_mariadb else SQLITE
        self.link = _mariadb_link(time_zone) if self.is_mariadb else _sqlite_link()

    def close(self) -> None:
        self.link.close()

    def begin(self) -> None:
        self.run("START TRANSACTION" if self.is_mariadb else "BEGIN IMMEDIATE")

    def commit(self) -> None:
        self.run("COMMIT")

    def rows(self, statement: str, parameters: Sequence[Any] = ()) -> list[dict[str, Any]]:
        """Run a query and return its rows by column name."""
        cursor = self._execute(statement, parameters)
        names = [column[0] for column in cursor.description]
        return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]

    def run(self, statement: str, parameters: Sequence[Any] = ()) -> int:
        """Run a statement and return the number of rows it changed (MariaDB: found and different)."""
        return int(self._execute(statement, parameters).rowcount)

    def claim(self, table: str, pending: str = PENDING) -> list[int]:
        """Take up to ten rows; the caller's transaction holds them. Returns their Sequences.

        That program has one list of pending states for all tables, IDLE among them (B1.2).
        """
        words = self.dialect
        found = self.rows(
            f"SELECT * FROM {table} WHERE (ProcessingState IN ({pending}) OR"
            f" (ProcessingState='PROCESSING' AND ProcessingDate <= {words.hour_ago}))"
            f" ORDER BY UpdatedAt ASC LIMIT 10{words.skip_locked}"
        )
        sequences = [row["Sequence"] for row in found]
        if sequences:
            places = ", ".join(["%s"] * len(sequences))
            self.run(
                f"UPDATE {table} SET ProcessingState='PROCESSING', ProcessingDate={words.now},"
                f" GstracciniBotVersion=%s{words.touch} WHERE Sequence IN ({places})",
                [VERSION, *sequences],
            )
        return sequences

    def finalize(self, table: str, sequence: int) -> int:
        """Return 1, or 0 when somebody asked for the row again meanwhile."""
        words = self.dialect
        return self.run(
            f"UPDATE {table} SET ProcessingState='PROCESSED', ProcessedDate={words.now}{words.touch}"
            " WHERE Sequence=%s AND ProcessingState='PROCESSING' AND ProcessingDate IS NOT NULL",
            [sequence],
        )

    def insert(self, table: str, guid: uuid.UUID, **columns: Any) -> None:
        """Insert a row that names DeliveryId and these columns, and leaves every other one to its default."""
        names = ", ".join(["DeliveryId", *columns])
        places = ", ".join([self.dialect.unhex, *(["%s"] * len(columns))])
        binary = guid.hex if self.is_mariadb else guid.bytes
        self.run(f"INSERT INTO {table} ({names}) VALUES ({places})", [binary, *columns.values()])

    def plan(self, query: str, parameters: Sequence[Any] = ()) -> list[str]:
        """Return, for each table that the query reads, the index it uses ("" = none)."""
        if self.is_mariadb:
            steps = self.rows(f"EXPLAIN {query}", parameters)
            return [
                step["key"] or "" for step in steps if step["table"] and not step["table"].startswith("<")
            ]
        steps = self.rows(f"EXPLAIN QUERY PLAN {query}", parameters)
        reads = [step["detail"] for step in steps if step["detail"].startswith(("SCAN", "SEARCH"))]
        return [detail if "INDEX" in detail else "" for detail in reads]

    def _execute(self, statement: str, parameters: Sequence[Any]) -> Any:
        cursor = self.link.cursor()
        cursor.execute(statement if self.is_mariadb else statement.replace("%s", "?"), tuple(parameters))
        return cursor


def _mariadb_link(time_zone: str) -> Any:
    import MySQLdb

    target = connection.settings_dict
    link = MySQLdb.connect(
        host=target["HOST"],
        port=int(target["PORT"] or 3306),
        user=target["USER"],
        password=target["PASSWORD"],
        database=target["NAME"],
        charset="utf8mb4",
        autocommit=True,
    )
    link.cursor().execute("SET time_zone=%s", [time_zone])
    return link


def _sqlite_link() -> sqlite3.Connection:
    return sqlite3.connect(connection.settings_dict["NAME"], isolation_level=None, timeout=10)
