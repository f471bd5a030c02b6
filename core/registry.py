"""The typed registry of Settings: what each name means, its default, and which values it takes.

Apps register their specs when they load. `effective()` reads the whole table once; pass the result down, so that one
unit of work goes by one set of values.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Generic, TypeVar

import structlog

from core.functions import CurrentTimestamp
from core.models import Setting

log = structlog.get_logger(__name__)

T = TypeVar("T")


@dataclass(frozen=True, kw_only=True)
class SettingSpec(Generic[T]):
    """One Setting: `parse` turns the stored text into the value or raises ValueError with a sentence."""

    name: str
    default: T
    description: str
    kind: str
    parse: Callable[[str], T]
    # False: written by the product or another program alone, so no empty row is made for people to fill.
    seeded: bool = True

    def show(self, value: T) -> str:
        """Return the value as it would be typed into the admin."""
        if value is None:
            return ""
        if isinstance(value, datetime):
            return value.isoformat()
        return ("on" if value else "off") if isinstance(value, bool) else str(value)


SPECS: dict[str, SettingSpec[Any]] = {}


def register(spec: SettingSpec[T]) -> SettingSpec[T]:
    """Add a spec; raises ValueError for a name that is taken."""
    if spec.name in SPECS:
        raise ValueError(f"The Setting {spec.name} is registered twice.")
    SPECS[spec.name] = spec
    return spec


def boolean(name: str, *, default: bool, description: str) -> SettingSpec[bool]:
    """Register an on/off Setting."""
    return register(
        SettingSpec(
            name=name, default=default, description=description, kind="on or off", parse=_parse_boolean
        )
    )


def integer(name: str, *, default: int, least: int, most: int, description: str) -> SettingSpec[int]:
    """Register a whole-number Setting between two bounds, both allowed."""

    def parse(text: str) -> int:
        try:
            value = int(text.strip())
        except ValueError:
            raise ValueError(f"{name} takes a whole number, not {text!r}.") from None
        if not least <= value <= most:
            raise ValueError(f"{name} takes a number from {least} to {most}, not {value}.")
        return value

    kind = f"whole number from {least} to {most}"
    return register(SettingSpec(name=name, default=default, description=description, kind=kind, parse=parse))


def words(name: str, *, default: str = "", description: str) -> SettingSpec[str]:
    """Register a Setting of free text, white space around it removed."""
    return register(
        SettingSpec(name=name, default=default, description=description, kind="text", parse=str.strip)
    )


def _parse_boolean(text: str) -> bool:
    word = text.strip().lower()
    if word in {"true", "1", "on", "yes"}:
        return True
    if word in {"false", "0", "off", "no"}:
        return False
    raise ValueError(f"Use on or off (true/false, yes/no and 1/0 work too), not {text!r}.")


@dataclass(frozen=True)
class Effective:
    """The values in force, read at one instant; `problems` holds names whose stored value was refused."""

    values: Mapping[str, Any]
    problems: Mapping[str, str]

    def __getitem__(self, spec: SettingSpec[T]) -> T:
        value: T = self.values[spec.name]
        return value


def read(spec: SettingSpec[T], text: str | None) -> tuple[T, str]:
    """Return the value that a stored text stands for and "", or the default and why the text is refused."""
    if text is None:
        return spec.default, ""
    try:
        return spec.parse(text), ""
    except ValueError as error:
        return spec.default, str(error)


def effective() -> Effective:
    """Read all Settings in one query. A stored value that its spec refuses counts as the default and is logged."""
    stored = dict(Setting.objects.filter(name__in=SPECS).values_list("name", "value"))
    values: dict[str, Any] = {}
    problems: dict[str, str] = {}
    for name, spec in SPECS.items():
        values[name], problem = read(spec, stored.get(name))
        if problem:
            problems[name] = problem
            log.warning("setting refused, default used", setting=name, problem=problem)
    return Effective(values, problems)


def add_missing_rows() -> int:
    """Insert a row without a value for every registered name that has none, and return how many were added.

    So the admin lists what can be set. Rows of others and values already there are left alone.
    """
    known = set(Setting.objects.values_list("name", flat=True))
    missing = [
        Setting(name=name, description=spec.description)
        for name, spec in SPECS.items()
        if spec.seeded and name not in known
    ]
    Setting.objects.bulk_create(missing, ignore_conflicts=True)
    return len(missing)


def write(spec: SettingSpec[Any], text: str) -> None:
    """Store a value; raises ValueError when the spec refuses it."""
    spec.parse(text)
    Setting.objects.update_or_create(
        name=spec.name,
        defaults={"value": text, "updated_at": CurrentTimestamp()},
        create_defaults={"value": text, "description": spec.description},
    )
