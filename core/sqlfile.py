"""A migration operation that runs one SQL file, forwards or backwards."""

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
    view names, so a migration that does drops the view first and creates it again after. `only` names the one database
    (mariadb, sqlite) on which it runs.
    """

    reversible = True
    reduces_to_sql = True

    def __init__(self, name: str, *, drop: bool = False, only: str = "") -> None:
        self.name = name
        self.drop = drop
        self.only = only

    def deconstruct(self) -> Any:
        options = {"drop": self.drop, "only": self.only}
        return (
            self.__class__.__qualname__,
            [self.name],
            {name: value for name, value in options.items() if value},
        )

    def state_forwards(self, app_label: str, state: Any) -> None:
        """Views are unmanaged models: the state of the models does not change here."""

    def database_forwards(self, app_label: str, schema_editor: Any, from_state: Any, to_state: Any) -> None:
        self._run(app_label, schema_editor, "down" if self.drop else "up")

    def database_backwards(self, app_label: str, schema_editor: Any, from_state: Any, to_state: Any) -> None:
        self._run(app_label, schema_editor, "up" if self.drop else "down")

    def describe(self) -> str:
        return f"{'Drop' if self.drop else 'Run SQL file'} {self.name}"

    def _run(self, app_label: str, schema_editor: BaseDatabaseSchemaEditor, direction: str) -> None:
        vendor = VENDOR_NAMES.get(schema_editor.connection.vendor, schema_editor.connection.vendor)
        if self.only not in {"", vendor}:
            return
        text = sql_file(app_label, self.name, vendor, direction).read_text("utf-8")
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
