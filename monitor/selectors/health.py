"""What a process needs to serve: the database, brought to this version."""

from __future__ import annotations

from functools import cache

from django.db import connection
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder


@cache
def newest_migrations() -> frozenset[tuple[str, str]]:
    """Return each app's newest migration as (app, name); the files do not change while a process runs."""
    return frozenset(MigrationLoader(None, ignore_no_migrations=True).graph.leaf_nodes())


def missing_migrations() -> list[str]:
    """Return what the database lacks of them, as "app.name"; raises django.db.Error when it is away."""
    # Django applies an app's migrations in order, so the newest one stands for all before it.
    missing = newest_migrations() - MigrationRecorder(connection).applied_migrations().keys()
    return sorted(f"{app}.{name}" for app, name in missing)
