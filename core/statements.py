"""Writing one row by one plain statement.

Django resolves an expression for every column of an INSERT and asks the database to hand back each that has a default.
In the tables of the contract nearly every column has one, and that costs more than the database does. Rows that are
written at the pace of GitHub's deliveries are written here instead; everything else uses the ORM.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any, cast

from django.db import DEFAULT_DB_ALIAS, connection, connections, models
from django.db.models import F

from core.functions import CurrentTimestamp

PARAMETER, PRESENT, KEPT = "%s", "CURRENT_TIMESTAMP", "kept"
# (field name, what stands in the statement) for each column.
Shape = tuple[tuple[str, str], ...]


def insert_row(model: type[models.Model], columns: dict[str, Any]) -> int:
    """Insert a row and return its primary key; a column that is not named gets the database's default.

    `columns` by field name; a value is a Python value or CurrentTimestamp(). Raises what the database raises.
    """
    shape = _shape(columns)
    with connection.cursor() as cursor:
        cursor.execute(_insert_sql(model, shape), _values(model, columns, shape))
        return int(cursor.lastrowid)


def insert_rows(model: type[models.Model], rows: Sequence[dict[str, Any]]) -> None:
    """Insert rows that name the same columns, all by one statement; raises what the database raises."""
    if not rows:
        return
    shape = _shape(rows[0])
    with connection.cursor() as cursor:
        parameters = [value for row in rows for value in _values(model, row, shape)]
        cursor.execute(_insert_sql(model, shape, len(rows)), parameters)


def update_row(model: type[models.Model], pk: int, columns: dict[str, Any]) -> None:
    """Update the row of that primary key; F() of the column itself keeps its value.

    Raises TypeError unless a column that MariaDB moves by itself (ON UPDATE) is named, and what the database raises.
    """
    shape = _shape(columns)
    with connection.cursor() as cursor:
        cursor.execute(_update_sql(model, shape), [*_values(model, columns, shape), pk])


def _shape(columns: dict[str, Any]) -> Shape:
    return tuple((name, _place(name, value)) for name, value in columns.items())


def _place(name: str, value: Any) -> str:
    if isinstance(value, CurrentTimestamp):
        return PRESENT
    if isinstance(value, F) and value == F(name):
        return KEPT
    return PARAMETER


def _values(model: type[models.Model], columns: dict[str, Any], shape: Shape) -> list[Any]:
    """Return the parameters; a field knows how its values are written to the database."""
    # The connection itself: what stands in for it looks it up at each of many questions.
    own = connections[DEFAULT_DB_ALIAS]
    return [field.get_db_prep_save(columns[name], own) for name, field in _parameters(model, shape)]


@cache
def _parameters(model: type[models.Model], shape: Shape) -> tuple[tuple[str, models.Field[Any, Any]], ...]:
    return tuple((name, _field(model, name)) for name, place in shape if place == PARAMETER)


@cache
def _insert_sql(model: type[models.Model], shape: Shape, rows: int = 1) -> str:
    columns = ", ".join(_column(model, name) for name, _ in shape)
    values = "(" + ", ".join(place for _, place in shape) + ")"
    return f"INSERT INTO {_table(model)} ({columns}) VALUES {', '.join([values] * rows)}"  # noqa: S608 -- names of ours


@cache
def _update_sql(model: type[models.Model], shape: Shape) -> str:
    names = {name for name, _ in shape}
    moving = {field.name for field in model._meta.concrete_fields if getattr(field, "on_update", False)}
    if not moving <= names:
        raise TypeError(
            f"An update of {_table(model)} must name {', '.join(sorted(moving))}: move it or keep it."
        )
    changes = ", ".join(f"{_column(model, name)} = {_changed(model, name, place)}" for name, place in shape)
    return f"UPDATE {_table(model)} SET {changes} WHERE {_column(model, model._meta.pk.name)} = %s"  # noqa: S608 -- names of ours


def _changed(model: type[models.Model], name: str, place: str) -> str:
    return _column(model, name) if place == KEPT else place


def _table(model: type[models.Model]) -> str:
    return connection.ops.quote_name(model._meta.db_table)


def _column(model: type[models.Model], name: str) -> str:
    return connection.ops.quote_name(str(_field(model, name).column))


def _field(model: type[models.Model], name: str) -> models.Field[Any, Any]:
    return cast("models.Field[Any, Any]", model._meta.get_field(name))
