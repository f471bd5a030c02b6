"""Migration operations that run SQL files, forwards or backwards."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.apps import apps
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.operations.base import Operation

VENDOR_NAMES = {"mysql": "mariadb"}


class SqlFile(Operation):
    """Run `migrations/sql/<name>[.<mariadb|sqlite>].<up|down>.sql` of the migration's app.

    One statement a file: MariaDB cannot roll back DDL, so a half-done file must be impossible. Each statement is safe
    to re-run (`CREATE OR REPLACE`, `IF EXISTS`). `drop=True` swaps the directions: SQLite cannot remake a table that a
    view names, so a migration that does drops the view first and creates it again after.
    """

    reversible = True
    reduces_to_sql = True

    def __init__(self, name: str, *, drop: bool = False) -> None:
        self.name = name
        self.drop = drop

    def deconstruct(self) -> Any:
        return self.__class__.__qualname__, [self.name], {"drop": True} if self.drop else {}

    def state_forwards(self, app_label: str, state: Any) -> None:
        """Views are unmanaged models: the state of the models does not change here."""

    def database_forwards(self, app_label: str, schema_editor: Any, from_state: Any, to_state: Any) -> None:
        run_sql_file(app_label, schema_editor, self.name, "down" if self.drop else "up")

    def database_backwards(self, app_label: str, schema_editor: Any, from_state: Any, to_state: Any) -> None:
        run_sql_file(app_label, schema_editor, self.name, "up" if self.drop else "down")

    def describe(self) -> str:
        return f"{'Drop' if self.drop else 'Run SQL file'} {self.name}"


class ReplaceView(Operation):
    """Put the view of one SQL file in the place of another's, of the same name; backwards the other way round.

    MariaDB does it by one statement, so that nobody who reads it meanwhile finds it missing. SQLite has none for it.
    """

    reversible = True
    reduces_to_sql = True

    def __init__(self, old: str, new: str) -> None:
        self.old = old
        self.new = new

    def deconstruct(self) -> Any:
        return self.__class__.__qualname__, [self.old, self.new], {}

    def state_forwards(self, app_label: str, state: Any) -> None:
        """Views are unmanaged models: the state of the models does not change here."""

    def database_forwards(self, app_label: str, schema_editor: Any, from_state: Any, to_state: Any) -> None:
        _replace(app_label, schema_editor, self.old, self.new)

    def database_backwards(self, app_label: str, schema_editor: Any, from_state: Any, to_state: Any) -> None:
        _replace(app_label, schema_editor, self.new, self.old)

    def describe(self) -> str:
        return f"Replace view {self.old} by {self.new}"


def _replace(app_label: str, schema_editor: BaseDatabaseSchemaEditor, old: str, new: str) -> None:
    if schema_editor.connection.vendor == "sqlite":
        run_sql_file(app_label, schema_editor, old, "down")
    run_sql_file(app_label, schema_editor, new, "up")


def run_sql_file(app_label: str, schema_editor: BaseDatabaseSchemaEditor, name: str, direction: str) -> None:
    """Execute a file of the app's, "up" or "down"; raises FileNotFoundError when there is none."""
    vendor = schema_editor.connection.vendor
    text = sql_file(app_label, name, VENDOR_NAMES.get(vendor, vendor), direction).read_text("utf-8")
    # params=None: a per cent sign in the SQL is then only a per cent sign.
    schema_editor.execute(text.strip().rstrip(";"), params=None)


def sql_file(app_label: str, name: str, vendor: str, direction: str) -> Path:
    """Return the file of this database, else the one for all; raises FileNotFoundError when neither exists."""
    folder = Path(apps.get_app_config(app_label).path) / "migrations" / "sql"
    for candidate in (folder / f"{name}.{vendor}.{direction}.sql", folder / f"{name}.{direction}.sql"):
        if candidate.exists():
            return candidate
    raise FileNotFoundError(
        f"No SQL file {name}.{vendor}.{direction}.sql or {name}.{direction}.sql in {folder}."
    )
