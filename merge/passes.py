"""The pass of this app."""

from __future__ import annotations

from core.passes import Pass, tick
from merge import setting_specs
from merge.services.polling import poll
from sync.services.github import why_not_configured

MERGE = Pass(
    name="merge",
    description="Looks at every open pull request again and proposes to merge what is green and documents only.",
    switch=setting_specs.SWITCH,
    interval=lambda values: values[setting_specs.INTERVAL_MINUTES] * 60,
    obstacle=why_not_configured,
    work=poll,
)


def merge_pass() -> str:
    """Run the pass if it is due (scheduled every minute)."""
    return tick(MERGE)
