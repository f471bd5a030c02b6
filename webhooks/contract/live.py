"""The tables and views of the contract as they are in the connected database."""

from __future__ import annotations

from typing import Any

from django.db import OperationalError
from django.db.backends.base.base import BaseDatabaseWrapper

from webhooks.contract.description import Column, Description, Key, Table, bare_column
from webhooks.contract.names import TABLES, VIEWS

NAMES = (*TABLES, *VIEWS)

_TABLES_SQL = """
    SELECT TABLE_NAME, COALESCE(ENGINE, ''), COALESCE(TABLE_COLLATION, '')
    FROM information_schema.TABLES WHERE TABLE_SCHEMA = DATABASE()
"""
_COLUMNS_SQL = """
    SELECT TABLE_NAME, COLUMN_NAME, COLUMN_TYPE, IS_NULLABLE = 'YES', COALESCE(COLUMN_DEFAULT, ''),
        LOWER(EXTRA), COALESCE(COLLATION_NAME, '')
    FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = DATABASE() ORDER BY TABLE_NAME, ORDINAL_POSITION
"""
_INDEXES_SQL = """
    SELECT TABLE_NAME, INDEX_NAME,
        CONCAT(IF(MIN(NON_UNIQUE) = 0, 'unique ', 'index '),
            '(', GROUP_CONCAT(COLUMN_NAME ORDER BY SEQ_IN_INDEX SEPARATOR ', '), ')')
    FROM information_schema.STATISTICS WHERE TABLE_SCHEMA = DATABASE()
    GROUP BY TABLE_NAME, INDEX_NAME ORDER BY TABLE_NAME, INDEX_NAME
"""
_REFERENCES_SQL = """
    SELECT k.TABLE_NAME, k.CONSTRAINT_NAME,
        CONCAT('foreign key (', k.COLUMN_NAME, ') references ', k.REFERENCED_TABLE_NAME,
            ' (', k.REFERENCED_COLUMN_NAME, ') on delete ', LOWER(r.DELETE_RULE))
    FROM information_schema.KEY_COLUMN_USAGE k
    JOIN information_schema.REFERENTIAL_CONSTRAINTS r
        ON r.CONSTRAINT_SCHEMA = k.CONSTRAINT_SCHEMA AND r.TABLE_NAME = k.TABLE_NAME
        AND r.CONSTRAINT_NAME = k.CONSTRAINT_NAME
    WHERE k.TABLE_SCHEMA = DATABASE() AND k.REFERENCED_TABLE_NAME IS NOT NULL
    ORDER BY k.TABLE_NAME, k.CONSTRAINT_NAME
"""


def describe(connection: BaseDatabaseWrapper) -> Description:
    """Return the live tables and views in the order of `names`; the ones that are missing are left out.

    MariaDB: everything. SQLite: names of tables, views and columns, all that the two databases share.
    """
    found = _describe_sqlite(connection) if connection.vendor == "sqlite" else _describe_mariadb(connection)
    return {name: found[name] for name in NAMES if name in found}


def _describe_mariadb(connection: BaseDatabaseWrapper) -> Description:
    tables = {row[0]: Table(*row) for row in _rows(connection, _TABLES_SQL)}
    for name, column, *words in _rows(connection, _COLUMNS_SQL):
        table = tables[name]
        table.columns[column] = bare_column(column) if table.is_view else Column(column, *words)
    for name, key, rule in (*_rows(connection, _INDEXES_SQL), *_rows(connection, _REFERENCES_SQL)):
        tables[name].keys[key] = Key(key, rule)
    return tables


def _describe_sqlite(connection: BaseDatabaseWrapper) -> Description:
    tables: Description = {}
    for name, kind in _rows(
        connection, "SELECT name, type FROM sqlite_master WHERE type IN ('table', 'view')"
    ):
        table = tables[name] = Table(name, "SQLite" if kind == "table" else "")
        table.columns.update({column: bare_column(column) for column in _sqlite_columns(connection, name)})
    return tables


def _sqlite_columns(connection: BaseDatabaseWrapper, name: str) -> list[str]:
    try:
        # xinfo: the plain pragma hides generated columns.
        return [row[1] for row in _rows(connection, f'PRAGMA table_xinfo("{name}")')]
    except OperationalError:  # a view that names something missing; MariaDB lists no columns either
        return []


def _rows(connection: BaseDatabaseWrapper, sql: str) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(sql)
        return list(cursor.fetchall())
