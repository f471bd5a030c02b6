"""What every list has: columns that know their label, their order and their text for a file. Pure."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

# A list that has no index for the wanted order is sorted among so many rows, the first of its own order.
SORTED_AMONG = 5_000


@dataclass(frozen=True, kw_only=True)
class Column:
    """One column: `key` names it in addresses and files, `text` is what a file says of a row.

    `order` names the field that it sorts by ("" = it does not); `indexed` says that an index serves that order, so
    that the whole list is sorted; `kind` is "head" (the row's own name), "break" (long words may break) or "tight".
    """

    key: str
    label: str
    text: Callable[[Any], Any]
    order: str = ""
    indexed: bool = False
    hint: str = ""
    kind: str = ""


@dataclass(frozen=True, kw_only=True)
class Table:
    """A list's columns; `name` is that of its file."""

    name: str
    columns: Sequence[Column]

    def column(self, key: str) -> Column:
        """Return a column; raises KeyError for an unknown one."""
        return {column.key: column for column in self.columns}[key]


@dataclass(frozen=True)
class Order:
    """By which column a list is sorted: None is the list's own order."""

    column: Column | None = None
    descending: bool = False

    @property
    def key(self) -> str:
        """As it stands in the address: "received", "-received", ""."""
        return ("-" if self.descending else "") + self.column.key if self.column else ""

    @property
    def is_partial(self) -> bool:
        return self.column is not None and not self.column.indexed


def read_order(table: Table, key: str) -> Order:
    """Return the order that an address names; raises ValueError for one that the table does not offer."""
    found = {column.key: column for column in table.columns if column.order}.get(key.removeprefix("-"))
    if key and found is None:
        raise ValueError(f"{table.name} cannot be sorted by {key}.")
    return Order(found, descending=key.startswith("-"))


@dataclass(frozen=True)
class Heading:
    """A column's head: `sort` is the address's word for the order that a click asks for, "" back to the list's own."""

    column: Column
    sort: str
    state: str


def headings(table: Table, order: Order) -> list[Heading]:
    """Return the heads of a table: a first click sorts upwards, a second downwards, a third not at all."""
    return [_heading(column, order) for column in table.columns]


def _heading(column: Column, order: Order) -> Heading:
    if order.column is not column:
        return Heading(column, column.key, "none")
    if order.descending:
        return Heading(column, "", "descending")
    return Heading(column, f"-{column.key}", "ascending")
