"""The pass of this app."""

from __future__ import annotations

from core.passes import Pass, tick
from workqueue import setting_specs
from workqueue.services.sweeping import sweep

# Less than the minute between two ticks, which come now a little early and now a little late.
INTERVAL = 45

WORK_SWEEP = Pass(
    name="work-sweep",
    description="Finds work items, unread events and ended postponements that no bell announced.",
    switch=setting_specs.SWEEP,
    interval=lambda _: INTERVAL,
    work=sweep,
)


def work_sweep_pass() -> str:
    """Run the sweep if it is due (scheduled every minute, so also within the minute of a start)."""
    return tick(WORK_SWEEP)
