"""The system check of merging: what must never happen is looked for where it would have happened (acceptance B2.13)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.core.checks import CheckMessage, Tags, Warning, register  # noqa: A004 (Django's name for it)
from django.db import connections

from core import registry
from merge import selectors
from merge.decisions import failed_too_soon
from merge.services.enqueueing import backoff_of
from webhooks.contract.check import is_prepared

HINT = "Pause the pass merge, keep these merges' histories (page Merges), and report them as a defect."


@register(Tags.database, "merge")
def no_second_failure_in_the_window(databases: Sequence[str] | None = None, **_: Any) -> list[CheckMessage]:
    """No pull request has two failed merges within one window; the last week is looked at."""
    if "default" not in (databases or ()) or not is_prepared(connections["default"]):
        return []
    backoff = backoff_of(registry.effective())
    return [
        Warning(
            f"{failure.name} has merges that failed within {backoff.window} of each other.",
            hint=HINT,
            id="merge.W001",
        )
        for failure in failed_too_soon(selectors.failures_of_a_week(), backoff)
    ]
