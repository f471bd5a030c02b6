"""Lists as files (CSV) that a spreadsheet may open without running what a stranger wrote. Pure."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from io import StringIO
from typing import Any

from monitor.tables import Table

# A file ends here; its last line says so.
MOST_ROWS = 10_000
# What makes a spreadsheet take a cell for a formula, also behind white space and as full-width signs (OWASP, CSV
# injection).
FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")


def lines(table: Table, rows: Iterable[Any]) -> Iterator[str]:
    """Yield the file line by line: the labels, the rows, and a sentence when there are more than MOST_ROWS."""
    yield _line(column.label for column in table.columns)
    for number, row in enumerate(rows):
        if number == MOST_ROWS:
            yield _line([f"Cut after {MOST_ROWS:,} rows: narrow the filter to get the rest."])
            return
        yield _line(column.text(row) for column in table.columns)


def _line(values: Iterable[Any]) -> str:
    buffer = StringIO()
    csv.writer(buffer).writerow([cell(value) for value in values])
    return buffer.getvalue()


def cell(value: Any) -> str:
    """Return a value as a cell: instants in ISO 8601 UTC, and text that cannot become a formula."""
    if value is None:
        return ""
    if isinstance(value, datetime):
        return f"{value.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}"
    if isinstance(value, int | float):
        return str(value)
    text = str(value)
    return f"'{text}" if text.lstrip(" ").startswith(FORMULA) else text
