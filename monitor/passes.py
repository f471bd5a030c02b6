"""The pass of this app."""

from __future__ import annotations

from core.passes import Pass, tick
from monitor import setting_specs
from monitor.services.sampling import sample

QUARTER_HOUR = 900

SAMPLE = Pass(
    name="sample",
    description="Remembers how large the backlog is, so that its trend can be seen.",
    switch=setting_specs.SAMPLE,
    interval=lambda _: QUARTER_HOUR,
    work=sample,
)


def sample_pass() -> str:
    """Run the pass if it is due (scheduled every minute)."""
    return tick(SAMPLE)
