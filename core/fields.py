"""Column types of the table contract, carried by field classes.

A migration that alters a column asks its field for the type again; an ENUM, a TIMESTAMP or an ON UPDATE written once by
hand into SQL would silently be lost there. Here it cannot be.
"""

from __future__ import annotations

import uuid
from datetime import datetime
from typing import Any

from django.core.exceptions import ValidationError
from django.db import models
from django.db.backends.base.base import BaseDatabaseWrapper

EXACT = {"mysql": "utf8mb4_bin"}
LIKE_GITHUB = {"mysql": "utf8mb4_general_ci", "sqlite": "NOCASE"}


class SequenceField(models.BigAutoField):
    """`bigint unsigned AUTO_INCREMENT`: the primary key of every table of the contract."""

    def db_type(self, connection: BaseDatabaseWrapper) -> str | None:
        return (
            "bigint unsigned AUTO_INCREMENT" if connection.vendor == "mysql" else super().db_type(connection)
        )

    def rel_db_type(self, connection: BaseDatabaseWrapper) -> str | None:
        return "bigint unsigned" if connection.vendor == "mysql" else super().rel_db_type(connection)


class GuidField(models.BinaryField):
    """`binary(16)` that is a uuid.UUID in Python; accepts UUIDs, their text and 16 bytes."""

    def db_type(self, connection: BaseDatabaseWrapper) -> str | None:
        return "binary(16)" if connection.vendor == "mysql" else super().db_type(connection)

    def to_python(self, value: Any) -> uuid.UUID | None:
        if value is None or isinstance(value, uuid.UUID):
            return value
        try:
            if isinstance(value, (bytes, bytearray, memoryview)):
                return uuid.UUID(bytes=bytes(value))
            return uuid.UUID(str(value))
        except ValueError:
            raise ValidationError("%(value)r is not a GUID.", params={"value": value}) from None

    def from_db_value(self, value: Any, *_: Any) -> uuid.UUID | None:
        return self.to_python(value)

    def get_db_prep_value(self, value: Any, connection: Any, prepared: bool = False) -> Any:  # noqa: FBT001, FBT002 (Django's signature)
        guid = self.to_python(value)
        return None if guid is None else connection.Database.Binary(guid.bytes)

    def value_to_string(self, obj: models.Model) -> str:
        return str(self.value_from_object(obj))


class EnumField(models.CharField):
    """`enum(...)` on MariaDB, a CHECK elsewhere. A changed list of choices is a real migration."""

    non_db_attrs = tuple(name for name in models.CharField.non_db_attrs if name != "choices")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        kwargs.setdefault("max_length", 20)
        super().__init__(*args, **kwargs)

    def _values_sql(self) -> str:
        return ",".join(f"'{value}'" for value, _ in self.flatchoices)

    def db_type(self, connection: BaseDatabaseWrapper) -> str | None:
        if connection.vendor == "mysql":
            return f"enum({self._values_sql()})"
        return super().db_type(connection)

    def db_check(self, connection: BaseDatabaseWrapper) -> str | None:
        if connection.vendor == "mysql":
            return None
        return f"{connection.ops.quote_name(str(self.column))} IN ({self._values_sql()})"


class TimestampField(models.DateTimeField):
    """`timestamp`, whole seconds; with `on_update` writers outside this product move it too.

    Whole seconds because SQLite compares instants as text and MariaDB cuts fractions: both then agree on a boundary.
    """

    # Django's own pre_save would make update_or_create write every timestamp back with its old value.
    pre_save = models.Field.pre_save

    def __init__(self, *args: Any, on_update: bool = False, **kwargs: Any) -> None:
        self.on_update = on_update
        super().__init__(*args, **kwargs)

    def deconstruct(self) -> Any:
        name, path, args, kwargs = super().deconstruct()
        if self.on_update:
            kwargs["on_update"] = True
        return name, path, args, kwargs

    def db_type(self, connection: BaseDatabaseWrapper) -> str | None:
        if connection.vendor != "mysql":
            return super().db_type(connection)
        return "timestamp ON UPDATE CURRENT_TIMESTAMP" if self.on_update else "timestamp"

    def cast_db_type(self, connection: BaseDatabaseWrapper) -> str | None:
        return "datetime" if connection.vendor == "mysql" else super().cast_db_type(connection)

    def get_prep_value(self, value: Any) -> Any:
        prepared = super().get_prep_value(value)
        return prepared.replace(microsecond=0) if isinstance(prepared, datetime) else prepared


class ShortTextField(models.TextField):
    """`text` (65,535 bytes on MariaDB, where Django's TextField would be longtext)."""

    def db_type(self, connection: BaseDatabaseWrapper) -> str | None:
        return "text" if connection.vendor == "mysql" else super().db_type(connection)


class MediumTextField(models.TextField):
    """`mediumtext` (16 MB on MariaDB)."""

    def db_type(self, connection: BaseDatabaseWrapper) -> str | None:
        return "mediumtext" if connection.vendor == "mysql" else super().db_type(connection)


class CollatedCharField(models.CharField):
    """A varchar whose collation is chosen per database; subclasses say which."""

    collations: dict[str, str] = {}

    def db_parameters(self, connection: BaseDatabaseWrapper) -> Any:
        parameters = super().db_parameters(connection)
        parameters["collation"] = self.collations.get(connection.vendor)
        return parameters


class ExactCharField(CollatedCharField):
    """Identifiers that differ by letter case: node ids, refs, shas, GUIDs, keys."""

    collations = EXACT


class NameCharField(CollatedCharField):
    """Owners, names and logins: GitHub ignores their letter case, so do we."""

    collations = LIKE_GITHUB


class RepositoryKeyField(models.Field):
    """The type of the generated repository key (see core.functions.RepositoryKey)."""

    def db_type(self, connection: BaseDatabaseWrapper) -> str:
        return "bigint unsigned" if connection.vendor == "mysql" else "text"


class CascadingForeignKey(models.ForeignKey):
    """A foreign key that the database itself cascades: external SQL deletes a row, its children go with it.

    Django cascades in Python only and would make a constraint without ON DELETE, so that one is not asked for.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        kwargs["db_constraint"] = False
        super().__init__(*args, **kwargs)

    def db_type_suffix(self, connection: BaseDatabaseWrapper) -> str:
        quote, target = connection.ops.quote_name, self.target_field
        table = quote(target.model._meta.db_table)
        reference = f"REFERENCES {table} ({quote(str(target.column))}) ON DELETE CASCADE"
        return f"{reference} DEFERRABLE INITIALLY DEFERRED" if connection.vendor == "sqlite" else reference
