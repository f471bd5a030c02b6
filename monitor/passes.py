"""The passes of this app."""

from __future__ import annotations

from core.passes import Pass, tick
from monitor import setting_specs
from monitor.services import bulk
from monitor.services.sampling import sample

QUARTER_HOUR = 900

SAMPLE = Pass(
    name="sample",
    description="Remembers how large the backlog is, so that its trend can be seen.",
    switch=setting_specs.SAMPLE,
    interval=lambda _: QUARTER_HOUR,
    work=sample,
)

# Less than the minute between two ticks, which come now a little early and now a little late.
MOST_OF_A_MINUTE = 45

BULK = Pass(
    name="bulk",
    description="Goes on with what people asked to be done to many rows, a few rows a minute.",
    switch=setting_specs.BULK,
    interval=lambda _: MOST_OF_A_MINUTE,
    is_due=bulk.any_running,
    work=bulk.go_on,
)


def bulk_pass() -> str:
    """Run the pass if there is a job to go on with (scheduled every minute)."""
    return tick(BULK)


def sample_pass() -> str:
    """Run the pass if it is due (scheduled every minute)."""
    return tick(SAMPLE)
