"""The live tables against the checked-in description."""

from __future__ import annotations

from pathlib import Path

from django.apps import apps
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.migrations.executor import MigrationExecutor

from webhooks.contract.description import Description, parse
from webhooks.contract.differences import Difference, compare
from webhooks.contract.live import describe

DESCRIPTION_FILE = Path(__file__).with_name("columns.mariadb.txt")


def wanted() -> Description:
    """Return the checked-in description."""
    return parse(DESCRIPTION_FILE.read_text(encoding="utf-8"))


def find_differences(connection: BaseDatabaseWrapper) -> list[Difference]:
    """Return how the connected database differs from the description."""
    return compare(describe(connection), wanted(), names_only=connection.vendor == "sqlite")


def is_prepared(connection: BaseDatabaseWrapper) -> bool:
    """Tell whether every migration of every app is applied: before that, a difference says nothing."""
    executor = MigrationExecutor(connection)
    ours = {config.label for config in apps.get_app_configs()}
    targets = [node for node in executor.loader.graph.leaf_nodes() if node[0] in ours]
    return not executor.migration_plan(targets)
