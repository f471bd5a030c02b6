"""Database functions that read alike on MariaDB and SQLite.

All SQL of ours says CURRENT_TIMESTAMP: both databases evaluate it once per statement, the session's time zone applies
to it and to TIMESTAMP columns alike, and tests can drive it on either database.
"""

from __future__ import annotations

from typing import Any

from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import BigIntegerField, CharField, DateTimeField, Func, Value
from django.db.models.expressions import Combinable
from django.db.models.sql.compiler import SQLCompiler

Sql = tuple[str, Any]


class CurrentTimestamp(Func):
    """The database's present, whole seconds. Django's own Now() writes fractions that a TIMESTAMP cannot hold."""

    template = "CURRENT_TIMESTAMP"
    arity = 0
    output_field = DateTimeField()


class SecondsFromNow(Func):
    """The database's present moved by a number of seconds; negative = the past."""

    arity = 1
    output_field = DateTimeField()

    def __init__(self, seconds: int) -> None:
        super().__init__(Value(int(seconds)))

    def as_mysql(self, compiler: SQLCompiler, connection: BaseDatabaseWrapper, **kwargs: Any) -> Sql:
        return self.as_sql(
            compiler, connection, template="(CURRENT_TIMESTAMP + INTERVAL %(expressions)s SECOND)", **kwargs
        )

    def as_sqlite(self, compiler: SQLCompiler, connection: BaseDatabaseWrapper, **kwargs: Any) -> Sql:
        return self.as_sql(
            compiler,
            connection,
            template="datetime(CURRENT_TIMESTAMP, %(expressions)s || ' seconds')",
            **kwargs,
        )


def ago(seconds: int) -> SecondsFromNow:
    """Return the instant that many seconds before the database's present."""
    return SecondsFromNow(-seconds)


class DashedHex(Func):
    """The dashed, lower-case text of a 16-byte identifier."""

    arity = 1
    output_field = CharField(max_length=36)

    def as_mysql(self, compiler: SQLCompiler, connection: BaseDatabaseWrapper, **kwargs: Any) -> Sql:
        inner = "LOWER(HEX(%(expressions)s))"
        for position in (9, 14, 19, 24):
            inner = f"INSERT({inner}, {position}, 0, '-')"
        return self.as_sql(compiler, connection, template=inner, **kwargs)

    def as_sqlite(self, compiler: SQLCompiler, connection: BaseDatabaseWrapper, **kwargs: Any) -> Sql:
        whole = "lower(hex(%(expressions)s))"
        parts = (
            f"substr({whole}, {start}, {length})"
            for start, length in ((1, 8), (9, 4), (13, 4), (17, 4), (21, 12))
        )
        return self.as_sql(compiler, connection, template=" || '-' || ".join(parts), **kwargs)


class RepositoryKey(Func):
    """One value per repository name, whatever its letter case: the key that groups a repository's pull requests.

    MariaDB: a 60-bit integer, because window functions and joins over two 250-character names are hundreds of times
    slower. SQLite: the lower-case name itself, because a plain sqlite3 shell must be able to insert rows too.
    """

    arity = 2

    def __init__(self, owner: str | Combinable, name: str | Combinable, **extra: Any) -> None:
        from core.fields import RepositoryKeyField

        extra.setdefault("output_field", RepositoryKeyField())
        super().__init__(owner, name, **extra)

    def as_mysql(self, compiler: SQLCompiler, connection: BaseDatabaseWrapper, **kwargs: Any) -> Sql:
        template = "CAST(CONV(LEFT(MD5(LOWER(CONCAT(%(expressions)s))), 15), 16, 10) AS UNSIGNED)"
        return self.as_sql(compiler, connection, template=template, arg_joiner=", '/', ", **kwargs)

    def as_sqlite(self, compiler: SQLCompiler, connection: BaseDatabaseWrapper, **kwargs: Any) -> Sql:
        return self.as_sql(
            compiler, connection, template="lower(%(expressions)s)", arg_joiner=" || '/' || ", **kwargs
        )


class QuarterHour(Func):
    """The number of the quarter of an hour that an instant lies in, counted from 1970.

    Every offset in use is a whole number of quarters, so days of any time zone can be added up from them, without the
    time-zone tables that a MariaDB server may lack.
    """

    arity = 1
    output_field = BigIntegerField()

    def as_mysql(self, compiler: SQLCompiler, connection: BaseDatabaseWrapper, **kwargs: Any) -> Sql:
        return self.as_sql(
            compiler, connection, template="(UNIX_TIMESTAMP(%(expressions)s) DIV 900)", **kwargs
        )

    def as_sqlite(self, compiler: SQLCompiler, connection: BaseDatabaseWrapper, **kwargs: Any) -> Sql:
        return self.as_sql(
            compiler,
            connection,
            template="(CAST(strftime('%%%%s', %(expressions)s) AS INTEGER) / 900)",
            **kwargs,
        )
