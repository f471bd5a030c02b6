"""The words in which the databases differ when rows are made of numbers."""

from __future__ import annotations

from abc import ABC, abstractmethod


class Dialect(ABC):
    """SQL fragments of one database, and how a statement is run there."""

    div: str
    sixteen_bytes: str

    @abstractmethod
    def joined(self, *parts: str) -> str: ...

    @abstractmethod
    def padded(self, number: str, width: int) -> str:
        """Return a number filled up with zeros from the left."""

    @abstractmethod
    def ago(self, seconds: str) -> str: ...

    @abstractmethod
    def numbered(self, values: str, rows: int) -> str:
        """Return a query of values for each `n` from 1 on."""

    @abstractmethod
    def analyze(self, *tables: str) -> None: ...

    @abstractmethod
    def plain_indexes(self, table: str) -> dict[str, str]:
        """Return the indexes that may be away for a while, by name, with their columns."""

    def run(self, statement: str) -> None:
        from django.db import connection

        with connection.cursor() as cursor:
            cursor.execute(statement)


class MariaDb(Dialect):
    div = "DIV"
    sixteen_bytes = "UNHEX(MD5(n))"

    def joined(self, *parts: str) -> str:
        return f"CONCAT({', '.join(parts)})"

    def padded(self, number: str, width: int) -> str:
        return f"LPAD({number}, {width}, '0')"

    def ago(self, seconds: str) -> str:
        return f"CURRENT_TIMESTAMP - INTERVAL ({seconds}) SECOND"

    def numbered(self, values: str, rows: int) -> str:
        return f"SELECT {values} FROM (SELECT seq AS n FROM seq_1_to_{rows}) numbers"  # noqa: S608 (ours)

    def analyze(self, *tables: str) -> None:
        self.run(f"ANALYZE TABLE {', '.join(tables)}")

    def plain_indexes(self, table: str) -> dict[str, str]:
        from django.db import connection

        with connection.cursor() as cursor:
            cursor.execute(
                """SELECT INDEX_NAME, GROUP_CONCAT(COLUMN_NAME ORDER BY SEQ_IN_INDEX)
                FROM information_schema.STATISTICS
                WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME = %s AND NON_UNIQUE = 1 GROUP BY INDEX_NAME""",
                [table],
            )
            return dict(cursor.fetchall())


class Sqlite(Dialect):
    div = "/"
    sixteen_bytes = "randomblob(16)"

    def joined(self, *parts: str) -> str:
        return f"({' || '.join(parts)})"

    def padded(self, number: str, width: int) -> str:
        return f"printf('%0{width}d', {number})"

    def ago(self, seconds: str) -> str:
        return f"datetime(CURRENT_TIMESTAMP, '-' || ({seconds}) || ' seconds')"

    def numbered(self, values: str, rows: int) -> str:
        counted = f"SELECT 1 UNION ALL SELECT n + 1 FROM numbers LIMIT {rows}"  # noqa: S608 (ours)
        return f"WITH RECURSIVE numbers(n) AS ({counted}) SELECT {values} FROM numbers"  # noqa: S608 (ours)

    def analyze(self, *_: str) -> None:
        self.run("ANALYZE")

    def plain_indexes(self, _: str) -> dict[str, str]:
        # An embedded installation is small: its rows are in place soon enough.
        return {}


def dialect() -> Dialect:
    """Return that of the database Django is bound to."""
    from django.db import connection

    return MariaDb() if connection.vendor == "mysql" else Sqlite()
