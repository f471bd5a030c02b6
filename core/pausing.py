"""Switching a pass off and on again, with the reason that people are shown meanwhile."""

from __future__ import annotations

from core import registry
from core.passes import Pass


def pause(job: Pass, reason: str) -> None:
    """Switch a pass off; a run that is going on ends by itself. Raises ValueError without a reason."""
    if not reason.strip():
        raise ValueError(f"Say why {job.name} is paused: whoever is on duty next will ask.")
    # The reason first: killed in between, a pass that runs has a reason that nobody sees.
    registry.write(job.switch.reason, reason.strip())
    registry.write(job.switch.enabled, "off")


def resume(job: Pass) -> None:
    """Switch a pass on again; it runs at the next tick if it is due. Its reason goes."""
    registry.write(job.switch.enabled, "on")
    registry.write(job.switch.reason, "")
