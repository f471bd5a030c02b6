"""What a database session must be like before anything may be read or written through it.

Reading the facts and judging them are apart: the judgement is plain Python and says what to do.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

OLDEST_MARIADB = (10, 6)
# Generated columns came with 3.31, RETURNING with 3.35.
OLDEST_SQLITE = (3, 35)
CHARSET, COLLATION = "utf8mb4", "utf8mb4_general_ci"
STRICT_MODES = frozenset({"STRICT_TRANS_TABLES", "STRICT_ALL_TABLES"})
MEGABYTE = 1024 * 1024
# A mediumtext column (a push's commit message) alone may hold 16 MB, and a statement carries more than that.
SMALLEST_PACKET = 32 * MEGABYTE


@dataclass(frozen=True)
class Problem:
    """One thing that is wrong: the check's id, a sentence, what to do, and whether it forbids to go on."""

    id: str
    sentence: str
    hint: str
    severe: bool = True


@dataclass(frozen=True, kw_only=True)
class MariadbSession:
    """What a MariaDB session says about itself."""

    time_zone: str
    sql_mode: frozenset[str]
    charsets: frozenset[str]
    isolation: str
    max_allowed_packet: int
    database_collation: str


@dataclass(frozen=True, kw_only=True)
class SqliteSession:
    """What an SQLite connection says about itself."""

    version: tuple[int, ...]
    transaction_mode: str


def session_problems(connection: Any) -> list[Problem]:
    """Return what is wrong with a connection of Django's; raises what opening it raises."""
    if connection.vendor == "sqlite":
        return judge_sqlite(read_sqlite(connection))
    server = judge_server(is_mariadb=connection.mysql_is_mariadb, version=connection.mysql_version)
    return server or judge_mariadb(read_mariadb(connection))


def read_mariadb(connection: Any) -> MariadbSession:
    """Ask the server for the session's variables."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT @@session.time_zone, @@session.sql_mode, @@character_set_client,"
            " @@character_set_connection, @@character_set_results,"
            " @@session.tx_isolation, @@max_allowed_packet, @@collation_database"
        )
        zone, modes, client, literals, results, isolation, packet, collation = cursor.fetchone()
    return MariadbSession(
        time_zone=zone,
        sql_mode=frozenset(modes.split(",")),
        charsets=frozenset({client, literals, results}),
        isolation=isolation,
        max_allowed_packet=packet,
        database_collation=collation,
    )


def read_sqlite(connection: Any) -> SqliteSession:
    """Return the library's version and how transactions begin."""
    connection.ensure_connection()  # Django reads the option only when it opens the file
    return SqliteSession(
        version=connection.Database.sqlite_version_info,
        transaction_mode=connection.transaction_mode or "DEFERRED",
    )


def judge_server(*, is_mariadb: bool, version: tuple[int, ...]) -> list[Problem]:
    """Refuse MySQL and a MariaDB that is too old; the session is then not looked at."""
    if is_mariadb and version >= OLDEST_MARIADB:
        return []
    found = f"{'MariaDB' if is_mariadb else 'MySQL'} {_dotted(version)}"
    return [
        Problem(
            "core.E002",
            f"The database server is {found}; Pullkeeper needs MariaDB {_dotted(OLDEST_MARIADB)} or newer.",
            "Point DATABASE_URL at a MariaDB server. MySQL is not supported: nothing was ever tried on it.",
        )
    ]


def judge_mariadb(session: MariadbSession) -> list[Problem]:
    """Return what is wrong, nothing when all is well."""
    return [problem for judge in MARIADB_RULES for problem in judge(session)]


def judge_sqlite(session: SqliteSession) -> list[Problem]:
    """Return what is wrong, nothing when all is well."""
    problems = []
    if session.transaction_mode != "IMMEDIATE":
        problems.append(
            Problem(
                "core.E008",
                f"SQLite transactions begin {session.transaction_mode}, not IMMEDIATE.",
                'Set OPTIONS["transaction_mode"] to IMMEDIATE: a transaction that reads and then writes would'
                ' fail at once as "database is locked".',
            )
        )
    if session.version < OLDEST_SQLITE:
        problems.append(
            Problem(
                "core.E009",
                f"SQLite {_dotted(session.version)} is older than {_dotted(OLDEST_SQLITE)}.",
                "Use a Python whose sqlite3 module is newer, or MariaDB.",
            )
        )
    return problems


def _time_zone(session: MariadbSession) -> list[Problem]:
    if session.time_zone == "+00:00":
        return []
    return [
        Problem(
            "core.E003",
            f"The session's time zone is {session.time_zone}, not +00:00: every instant would be hours off.",
            "Do not replace init_command in DATABASE_URL: it sets the time zone.",
        )
    ]


def _strictness(session: MariadbSession) -> list[Problem]:
    if session.sql_mode & STRICT_MODES:
        return []
    return [
        Problem(
            "core.E004",
            "The session's sql_mode is not strict: values that do not fit would be changed without a word.",
            "Do not replace init_command in DATABASE_URL: it sets STRICT_TRANS_TABLES.",
        )
    ]


def _charset(session: MariadbSession) -> list[Problem]:
    wrong = sorted(session.charsets - {CHARSET})
    if not wrong:
        return []
    return [
        Problem(
            "core.E005",
            f"The connection speaks {', '.join(wrong)}, not {CHARSET}: emoji could not be written.",
            "Remove charset from DATABASE_URL.",
        )
    ]


def _isolation(session: MariadbSession) -> list[Problem]:
    if session.isolation == "READ-COMMITTED":
        return []
    return [
        Problem(
            "core.E006",
            f"Transactions run at {session.isolation}, not READ-COMMITTED: claims would lock too many rows.",
            "Remove isolation_level from DATABASE_URL.",
        )
    ]


def _database_collation(session: MariadbSession) -> list[Problem]:
    if session.database_collation == COLLATION:
        return []
    return [
        Problem(
            "core.W003",
            f"The database's collation is {session.database_collation}, not {COLLATION}: new columns get it.",
            f"Before the first migration: ALTER DATABASE <name> CHARACTER SET {CHARSET} COLLATE {COLLATION};",
            # A database that another program made may have any default; names and identifiers say their own.
            severe=False,
        )
    ]


def _packet(session: MariadbSession) -> list[Problem]:
    if session.max_allowed_packet >= SMALLEST_PACKET:
        return []
    return [
        Problem(
            "core.W001",
            f"max_allowed_packet is {session.max_allowed_packet // MEGABYTE} MB: long texts would fail.",
            f"Set max_allowed_packet={SMALLEST_PACKET // MEGABYTE}M under [mariadbd], restart the server.",
            severe=False,
        )
    ]


MARIADB_RULES = (_time_zone, _strictness, _charset, _isolation, _database_collation, _packet)


def _dotted(version: tuple[int, ...]) -> str:
    return ".".join(str(part) for part in version)
