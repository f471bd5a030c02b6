"""Inserting one row by one plain statement.

Django asks the database to hand back every column with a database default, and resolves an expression for each, on
every INSERT: for the tables of the contract, where nearly every column has a default, that costs more than the database
does. Rows that are written at the pace of GitHub's deliveries are inserted here instead; everything else uses the ORM.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from django.db import connection, models

from core.functions import CurrentTimestamp

PRESENT = "CURRENT_TIMESTAMP"


def insert_row(model: type[models.Model], columns: dict[str, Any]) -> int:
    """Insert a row and return its primary key; a column that is not named gets the database's default.

    `columns` by field name; a value is a Python value or CurrentTimestamp(). Raises what the database raises.
    """
    fields = tuple(columns)
    now = frozenset(name for name, value in columns.items() if isinstance(value, CurrentTimestamp))
    values = [
        model._meta.get_field(name).get_db_prep_save(value, connection)
        for name, value in columns.items()
        if name not in now
    ]
    with connection.cursor() as cursor:
        cursor.execute(_insert_sql(model, connection.vendor, fields, now), values)
        return int(cursor.lastrowid)


@cache
def _insert_sql(model: type[models.Model], vendor: str, fields: tuple[str, ...], now: frozenset[str]) -> str:
    """Return the statement; `vendor` is part of the key because databases quote names differently."""
    quote = connection.ops.quote_name
    columns = ", ".join(quote(model._meta.get_field(name).column) for name in fields)
    values = ", ".join(PRESENT if name in now else "%s" for name in fields)
    return f"INSERT INTO {quote(model._meta.db_table)} ({columns}) VALUES ({values})"  # noqa: S608 -- names of ours
