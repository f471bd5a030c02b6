"""Whether a required check has reported, and how long to wait for what has not."""

from __future__ import annotations

from datetime import timedelta

from githubapi.merging_values import RequiredCheck
from githubapi.values import HeadChecks

# How long to wait for a first check before its absence is a state of its own (field case F01).
PATIENCE = timedelta(hours=1)
AGAIN = timedelta(minutes=1)


def is_reported(required: RequiredCheck, checks: HeadChecks) -> bool:
    """Tell whether a required check is there at all; one that must come from an App is a check run of that App."""
    runs = (run for run in checks.runs if run.name == required.context)
    if required.app_id is not None and required.app_id > 0:
        return any(run.app_id == required.app_id for run in runs)
    return any(runs) or any(status.context == required.context for status in checks.statuses)
