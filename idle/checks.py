"""A check of the stored data: `manage.py check --database default`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.core.checks import CheckMessage, Error, Tags, register
from django.db import connection

from idle.selectors import rows_without_state
from webhooks.models import CLAIMED


@register(Tags.database)
def every_row_has_a_state(*, databases: Sequence[str] | None = None, **_: Any) -> list[CheckMessage]:
    """Report rows that no claim will ever take: their ProcessingState is no word of the enum (B1.35)."""
    if "default" not in (databases or ()) or not _tables_exist():
        return []
    hint = "Migrate, turn on the server's strict mode, then set these rows to 'RE_REQUESTED'."
    return [
        Error(f"{rows} rows of {table} have the ProcessingState ''.", hint=hint, id="idle.E001")
        for table, rows in rows_without_state().items()
    ]


def _tables_exist() -> bool:
    """The command migrate runs the checks before the first tables are there."""
    return {model._meta.db_table for model in CLAIMED} <= set(connection.introspection.table_names())
