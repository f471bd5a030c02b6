"""What is and what should be: two descriptions compared. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from webhooks.contract.description import Column, Description, Key, Table

PREPARE = "Run `manage.py prepare`."


class Kind(StrEnum):
    """What differs."""

    TABLE = "table"
    COLUMN = "column"
    KEY = "key"


@dataclass(frozen=True)
class Difference:
    """One difference: a sentence that names both sides, and the statement or step that mends it."""

    kind: Kind
    sentence: str
    hint: str


def compare(live: Description, wanted: Description, *, names_only: bool = False) -> list[Difference]:
    """Return how the live tables differ from the wanted ones; names_only: no more than names (SQLite).

    The order of columns is not compared, and a column more does no harm unless every INSERT had to name it.
    """
    return [
        difference
        for name, table in wanted.items()
        for difference in _compare_table(live.get(name), table, names_only=names_only)
    ]


def _compare_table(live: Table | None, wanted: Table, *, names_only: bool) -> Iterator[Difference]:
    kind = "view" if wanted.is_view else "table"
    if live is None:
        yield Difference(Kind.TABLE, f"The {kind} {wanted.name} is missing.", _recreate(wanted))
        return
    if live.is_view != wanted.is_view:
        yield Difference(Kind.TABLE, f"{wanted.name} should be a {kind}.", _recreate(wanted))
        return
    if live.is_view and not live.columns:
        sentence = f"The view {wanted.name} cannot be read: something that it names is missing."
        yield Difference(Kind.TABLE, sentence, "Mend the tables first, then look again.")
        return
    if not names_only:
        yield from _compare_options(live, wanted)
    yield from _compare_columns(live, wanted, names_only=names_only)
    if not names_only:
        yield from _compare_keys(live, wanted)


def _compare_options(live: Table, wanted: Table) -> Iterator[Difference]:
    if live.engine != wanted.engine:
        sentence = f"{wanted.name} has the engine {live.engine}, should have {wanted.engine}."
        yield Difference(Kind.TABLE, sentence, f"ALTER TABLE {wanted.name} ENGINE = {wanted.engine};")
    if live.collation != wanted.collation:
        sentence = f"{wanted.name} has the collation {live.collation}, should have {wanted.collation}."
        yield Difference(Kind.TABLE, sentence, f"ALTER TABLE {wanted.name} COLLATE = {wanted.collation};")


def _recreate(table: Table) -> str:
    step = "run its SQL file (migrations/sql/*.up.sql) again" if table.is_view else "restore it from a backup"
    return f"{PREPARE} If that does not bring it back, somebody dropped it: {step}."


def _compare_columns(live: Table, wanted: Table, *, names_only: bool) -> Iterator[Difference]:
    for name, column in wanted.columns.items():
        found = live.columns.get(name)
        if found is None:
            yield _missing_column(wanted, column, names_only=names_only)
        elif not names_only and found != column:
            sentence = f"{wanted.name}.{name} is ({found.words()}), should be ({column.words()})."
            yield Difference(Kind.COLUMN, sentence, _column_statement("MODIFY", wanted, column))
    for name, column in live.columns.items():
        if name not in wanted.columns and not names_only and _must_be_named(column):
            sentence = f"{wanted.name}.{name} is unknown, and having no default it makes every INSERT fail."
            hint = f"Give it one, or drop it: ALTER TABLE {wanted.name} DROP COLUMN `{name}`;"
            yield Difference(Kind.COLUMN, sentence, hint)


def _missing_column(table: Table, column: Column, *, names_only: bool) -> Difference:
    words = "" if names_only or table.is_view else f", should be ({column.words()})"
    hint = _recreate(table) if names_only or table.is_view else _column_statement("ADD", table, column)
    return Difference(Kind.COLUMN, f"{table.name}.{column.name} is missing{words}.", hint)


def _must_be_named(column: Column) -> bool:
    return not (column.nullable or column.default or column.extra)


def _column_statement(verb: str, table: Table, column: Column) -> str:
    if "generated" in column.extra:
        return f"Drop the generated column {column.name} and make it again as the migrations do."
    charset = column.collation.partition("_")[0]
    parts = (
        column.type,
        f"CHARACTER SET {charset} COLLATE {column.collation}" if column.collation else "",
        "NULL" if column.nullable else "NOT NULL",
        f"DEFAULT {column.default}" if column.default else "",
        column.extra.upper(),
    )
    definition = " ".join(part for part in parts if part)
    return f"ALTER TABLE {table.name} {verb} COLUMN `{column.name}` {definition};"


def _compare_keys(live: Table, wanted: Table) -> Iterator[Difference]:
    for name, key in wanted.keys.items():
        found = live.keys.get(name)
        if found is None:
            sentence = f"{wanted.name} has no {key.rule} named {name}."
            yield Difference(Kind.KEY, sentence, _key_statement(wanted, key))
        elif found != key:
            sentence = f"{wanted.name}: {name} is {found.rule}, should be {key.rule}."
            yield Difference(Kind.KEY, sentence, f"Drop it, then: {_key_statement(wanted, key)}")


def _key_statement(table: Table, key: Key) -> str:
    if key.name == "PRIMARY":
        return f"ALTER TABLE {table.name} ADD PRIMARY KEY {key.rule.removeprefix('unique ')};"
    kind, _, columns = key.rule.partition("(")
    if kind.startswith("foreign"):
        return f"ALTER TABLE {table.name} ADD CONSTRAINT {key.name} {key.rule};"
    index = "UNIQUE INDEX" if kind.startswith("unique") else "INDEX"
    return f"CREATE {index} {key.name} ON {table.name} ({columns};"
