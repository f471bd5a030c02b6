"""The demo's database file, opened as an external program does, and the mark that tells it from other files.

The scenario rewrites dates and states at will. It does so only in a file that carries the table
`sandbox_demo`, which is put there while the file is still empty, and only while the file holds nothing but
what the scenario sent.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

MARK = "sandbox_demo"

# The web server and the worker write at the same time; whoever comes second waits this long.
BUSY_SECONDS = 20.0

_LANDMARK = "github_pull_requests"

# Where a table with these columns says which repository or account a row is about.
_NAMING = {
    ("RepositoryOwner", "RepositoryName"): "RepositoryOwner || '/' || RepositoryName",
    ("OwnerLogin", "FullName"): "FullName",
    ("AccountLogin",): "AccountLogin",
}


class NotTheDemoError(Exception):
    """The file is not a database that the scenario may change; the message says why."""


def connect(path: Path) -> sqlite3.Connection:
    """Open an existing file for reading and writing, each statement its own transaction.

    Raises NotTheDemoError if there is no such file or it is not this product's database.
    """
    if not path.is_file():
        raise NotTheDemoError(f"There is no database file {path}.")
    uri = f"{path.resolve().as_uri()}?mode=rw"
    connection = sqlite3.connect(uri, uri=True, timeout=BUSY_SECONDS, isolation_level=None)
    try:
        known = _has_table(connection, _LANDMARK)
    except sqlite3.DatabaseError as error:
        connection.close()
        raise NotTheDemoError(f"{path} is not an SQLite database.") from error
    if not known:
        connection.close()
        raise NotTheDemoError(f"{path} has no table {_LANDMARK}: migrate it first.")
    return connection


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """Take the write lock at once, so that a read followed by a write cannot meet "database is locked"."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
    except BaseException:
        connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")


def mark_database(path: Path) -> None:
    """Mark a migrated, still empty file as the demo's; a marked one stays as it is.

    Raises NotTheDemoError if the file already holds deliveries or rows: such a file is somebody's data.
    """
    with closing(connect(path)) as connection, transaction(connection):
        if _has_table(connection, MARK):
            return
        if names := _full_names(connection):
            raise NotTheDemoError(
                f"{path} already holds rows, for example of {min(names)}: it is not marked."
            )
        connection.execute(f"CREATE TABLE {MARK} (MarkedAt TEXT NOT NULL, PlayedAt TEXT)")
        connection.execute(f"INSERT INTO {MARK} (MarkedAt) VALUES (CURRENT_TIMESTAMP)")


def open_demo(path: Path, full_names: Iterable[str]) -> sqlite3.Connection:
    """Open the demo's file; `full_names` are the repositories (owner/name) and accounts that it may hold.

    Raises NotTheDemoError for a file without the mark, or with a row of anything else.
    """
    connection = connect(path)
    try:
        _refuse_others(connection, path, {name.lower() for name in full_names})
    except NotTheDemoError:
        connection.close()
        raise
    return connection


def played_at(connection: sqlite3.Connection) -> str | None:
    """Return when the scenario was played to its end in this file (UTC), None if it was not."""
    row = connection.execute(f"SELECT MAX(PlayedAt) FROM {MARK}").fetchone()
    return str(row[0]) if row[0] else None


def note_played(connection: sqlite3.Connection) -> None:
    connection.execute(f"UPDATE {MARK} SET PlayedAt = CURRENT_TIMESTAMP")


def columns(connection: sqlite3.Connection, table: str) -> set[str]:
    """Return the names of a table's columns, generated ones too; empty if there is no such table."""
    return {row[1] for row in connection.execute(f"PRAGMA table_xinfo({table})")}


def _has_table(connection: sqlite3.Connection, name: str) -> bool:
    query = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?"
    return connection.execute(query, [name]).fetchone() is not None


def _refuse_others(connection: sqlite3.Connection, path: Path, known: set[str]) -> None:
    if not _has_table(connection, MARK):
        raise NotTheDemoError(f"{path} does not carry the demo's mark: nothing in it is changed.")
    if others := _full_names(connection) - known:
        raise NotTheDemoError(
            f"{path} holds rows of {min(others)}, which the scenario never sent: nothing in it is changed."
        )


def _full_names(connection: sqlite3.Connection) -> set[str]:
    """Return every owner/name, FullName and account that any table names, in lower case."""
    tables = [row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
    found: set[str] = set()
    for table in tables:
        for expression in _naming_expressions(columns(connection, table)):
            found |= {
                row[0] for row in connection.execute(f"SELECT DISTINCT LOWER({expression}) FROM {table}")
            }
    return found - {"", "/", None}


def _naming_expressions(names: set[str]) -> list[str]:
    return [expression for needed, expression in _NAMING.items() if set(needed) <= names]
