"""The Settings that core itself goes by, and the pair that every pass has."""

from __future__ import annotations

from dataclasses import dataclass

from core import registry
from core.registry import SettingSpec


@dataclass(frozen=True)
class PassSwitch:
    """The on/off Setting of a pass, and the reason shown while it is off."""

    enabled: SettingSpec[bool]
    reason: SettingSpec[str]


def pass_switch(name: str, *, default: bool = True) -> PassSwitch:
    """Register `<pass>.enabled` and `<pass>.pause-reason`."""
    return PassSwitch(
        registry.boolean(f"{name}.enabled", default=default, description=f"Off pauses the pass {name}."),
        registry.words(f"{name}.pause-reason", description=f"Shown while the pass {name} is paused."),
    )


READS_PER_MINUTE = registry.integer(
    "api.reads-per-minute",
    default=600,
    least=1,
    most=1_000_000,
    description="Reads of the API that one token may make in a minute.",
)
WRITES_PER_MINUTE = registry.integer(
    "api.writes-per-minute",
    default=120,
    least=1,
    most=1_000_000,
    description="Writes over the API that one token may make in a minute.",
)
