"""Rows whose ProcessingState is no state at all.

A MariaDB session that is not strict stores an unknown enum value as '' (an Idle Retry written before the
migration that knows IDLE, for one). Nobody would ever claim such a row, so it is shown (B1.35).
"""

from __future__ import annotations

from django.db import connection

from webhooks.models import CLAIMED


def rows_without_state() -> dict[str, int]:
    """Return how many such rows each claimed table has, tables without any left out.

    Each count reads the index on ProcessingState alone. SQLite refuses such rows by a CHECK: nothing is read.
    """
    if connection.vendor == "sqlite":
        return {}
    counts = ((model, model.objects.filter(processing_state="").count()) for model in CLAIMED)
    return {model._meta.db_table: count for model, count in counts if count}
