"""The pass of this app."""

from __future__ import annotations

from core.passes import Pass, tick
from webhooks import setting_specs
from webhooks.services.cleanup import clean_up

CLEANUP = Pass(
    name="cleanup",
    description="Deletes what is older than the retention Settings say.",
    switch=setting_specs.CLEANUP,
    interval=lambda values: values[setting_specs.INTERVAL_HOURS] * 3600,
    work=clean_up,
)


def cleanup_pass() -> str:
    """Run the pass if it is due (scheduled every minute)."""
    return tick(CLEANUP)
