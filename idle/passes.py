"""The idle pass."""

from __future__ import annotations

from core.passes import Pass, tick
from core.registry import Effective
from idle.services import retry_due
from idle.setting_specs import IDLE_SWITCH, INTERVAL_MINUTES

MINUTE = 60


def _interval(values: Effective) -> int:
    return values[INTERVAL_MINUTES] * MINUTE


IDLE = Pass(
    name="idle",
    description="Gives the Idle Pull Request that is first in line an Idle Retry.",
    switch=IDLE_SWITCH,
    interval=_interval,
    work=retry_due,
)


def idle_pass() -> str:
    """The scheduled door: an Idle Retry for whoever is first in line, if the hour is over."""
    return tick(IDLE)
