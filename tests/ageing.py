"""Let hours pass for a database that other processes work on, by moving every stored instant back.

The driven clock of tests/clock.py reaches this process only; moving what is stored reaches everybody at once.
"""

from __future__ import annotations

from typing import Any

from django.apps import apps
from django.db import connection, models, transaction

from core.fields import TimestampField
from core.models import PassState


@transaction.atomic
def age(seconds: int) -> None:
    """Move every stored instant of every table back by that many seconds, all at once."""
    tables = sorted(_tables_with_instants(), key=lambda table: table is not PassState)
    # The locks of the passes come first, as they do for a pass at work: so nobody waits crosswise.
    list(PassState.objects.select_for_update().order_by("name"))
    with connection.cursor() as cursor:
        for model in tables:
            for statement in _statements(model, seconds):
                cursor.execute(statement)


def _tables_with_instants() -> list[type[models.Model]]:
    return [
        model
        for model in apps.get_models(include_auto_created=True)
        if model._meta.managed and _instants(model)
    ]


def _instants(model: type[models.Model]) -> list[models.Field[Any, Any]]:
    return [field for field in model._meta.local_concrete_fields if isinstance(field, models.DateTimeField)]


def _statements(model: type[models.Model], seconds: int) -> list[str]:
    table, instants = model._meta.db_table, _instants(model)
    if connection.vendor == "mysql":
        moved = ", ".join(f"`{f.column}` = `{f.column}` - INTERVAL {seconds} SECOND" for f in instants)
        # Oldest first: an instant in a unique key never meets one that is still to be moved.
        return [f"UPDATE `{table}` SET {moved} ORDER BY `{instants[0].column}`"]
    # SQLite has no such order: the moved texts get a mark that no stored one has, and lose it again.
    marked = ", ".join(f"\"{f.column}\" = '~' || {_moved_text(f, seconds)}" for f in instants)
    bare = ", ".join(f'"{f.column}" = substr("{f.column}", 2)' for f in instants)
    return [f'UPDATE "{table}" SET {marked}', f'UPDATE "{table}" SET {bare}']


def _moved_text(field: models.Field[Any, Any], seconds: int) -> str:
    shape = "%Y-%m-%d %H:%M:%S" if isinstance(field, TimestampField) else "%Y-%m-%d %H:%M:%f"
    return f"strftime('{shape}', \"{field.column}\", '-{seconds} seconds')"
