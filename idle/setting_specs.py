"""The Settings of the idle pass."""

from __future__ import annotations

from core import registry
from core.setting_specs import pass_switch

IDLE_SWITCH = pass_switch("idle")
RETRIES_PER_RUN = registry.integer(
    "idle.retries-per-run",
    default=1,
    least=1,
    most=100,
    description="How many pull requests get an Idle Retry in one run of the idle pass.",
)
INTERVAL_MINUTES = registry.integer(
    "idle.interval-minutes",
    default=60,
    least=1,
    most=7 * 24 * 60,
    description="How many minutes lie between two runs of the idle pass, counted from start to start.",
)
