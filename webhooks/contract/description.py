"""The words in which tables are described, and their text form.

    table github_issues InnoDB utf8mb4_general_ci
      Sequence | bigint(20) unsigned | not null | - | auto_increment | -
      key ix_issues_state index (ProcessingState, UpdatedAt)
    view github_branches_view
      Sequence

A column's fields: name, type, null or not null, default, extra, collation; `-` means none. A view has names
only: its types follow from its tables.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

NONE = "-"
COLUMN_FIELDS = 6


@dataclass(frozen=True)
class Column:
    """One column of a table, in the words of MariaDB's information_schema; "" where there is none."""

    name: str
    type: str
    nullable: bool
    default: str
    extra: str
    collation: str

    def words(self) -> str:
        """Return the column's description without its name, for a sentence."""
        null = "null" if self.nullable else "not null"
        default = f"default {self.default}" if self.default else "no default"
        return ", ".join(part for part in (self.type, null, default, self.extra, self.collation) if part)


@dataclass(frozen=True)
class Key:
    """An index or a foreign key: `rule` says which, as the text form writes it after the name."""

    name: str
    rule: str


@dataclass(frozen=True)
class Table:
    """A table; or a view, which has no engine, no collation, no keys, and columns with names only.

    `collation` is what a column that names none will get.
    """

    name: str
    engine: str = ""
    collation: str = ""
    columns: dict[str, Column] = field(default_factory=dict)
    keys: dict[str, Key] = field(default_factory=dict)

    @property
    def is_view(self) -> bool:
        return not self.engine


Description = dict[str, Table]


def bare_column(name: str) -> Column:
    """Return a column of which only the name matters."""
    return Column(name, type="", nullable=True, default="", extra="", collation="")


def to_text(description: Description) -> str:
    """Return the text form; parse() reads it back to an equal description."""
    return "\n".join(line for table in description.values() for line in _table_lines(table)) + "\n"


def parse(text: str) -> Description:
    """Read the text form; raises ValueError for a line that is none. Lines with # are for people."""
    description: Description = {}
    table = Table("")
    for line in _lines(text):
        if line.startswith(("table ", "view ")):
            table = _parse_head(line)
            description[table.name] = table
        elif line.startswith("  key "):
            name, _, rule = line.removeprefix("  key ").partition(" ")
            table.keys[name] = Key(name, rule)
        else:
            column = _parse_column(line, is_view=table.is_view)
            table.columns[column.name] = column
    return description


def _lines(text: str) -> Iterator[str]:
    return (line for line in text.splitlines() if line.strip() and not line.startswith("#"))


def _parse_head(line: str) -> Table:
    match line.split():
        case ["view", name]:
            return Table(name)
        case ["table", name, engine, collation]:
            return Table(name, engine, collation)
        case _:
            raise ValueError(f"A table names its engine and collation, a view neither: {line!r}.")


def _parse_column(line: str, *, is_view: bool) -> Column:
    if is_view:
        return bare_column(line.strip())
    fields = [part.strip() for part in line.split("|")]
    if len(fields) != COLUMN_FIELDS:
        raise ValueError(f"A column has {COLUMN_FIELDS} fields: {line!r}.")
    name, kind, null, default, extra, collation = ("" if part == NONE else part for part in fields)
    return Column(name, kind, null == "null", default, extra, collation)


def _table_lines(table: Table) -> Iterable[str]:
    yield f"view {table.name}" if table.is_view else f"table {table.name} {table.engine} {table.collation}"
    for column in table.columns.values():
        yield f"  {column.name}" if table.is_view else f"  {_column_line(column)}"
    for key in table.keys.values():
        yield f"  key {key.name} {key.rule}"


def _column_line(column: Column) -> str:
    null = "null" if column.nullable else "not null"
    fields = (column.name, column.type, null, column.default, column.extra, column.collation)
    return " | ".join(part or NONE for part in fields)
