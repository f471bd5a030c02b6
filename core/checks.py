"""System checks of the installation: each with an id and a hint that says what to do."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Error, register

# The longest a finished task may have waited and run beyond its time-out before its message may come again.
MARGIN = 60


@register()
def queue_limits(**_: Any) -> list[CheckMessage]:
    """The queue must never hand out a message again while its task may still run (field case F04)."""
    clusters = {settings.Q_CLUSTER["name"]: settings.Q_CLUSTER} | settings.Q_CLUSTER.get("ALT_CLUSTERS", {})
    return [message for name, cluster in clusters.items() for message in _cluster_problems(name, cluster)]


def _cluster_problems(name: str, cluster: dict[str, Any]) -> list[CheckMessage]:
    timeout, retry = cluster.get("timeout"), cluster.get("retry", 60)
    problems = []
    if not timeout:
        problems.append(("no time-out", "Set timeout, so that a task that hangs is ended."))
    elif retry < timeout + MARGIN:
        problems.append((f"retry {retry} s <= timeout {timeout} s + {MARGIN} s", "Raise retry, or lower timeout."))
    if cluster.get("max_attempts", 0) < 1:
        problems.append(("max_attempts is endless", "Set max_attempts to 1: the sweeps try again."))
    if cluster.get("catch_up", True):
        problems.append(("catch_up is on", "Turn catch_up off: after downtime each schedule runs once, not once a slot."))
    return [Error(f"django-q2 cluster {name!r}: {what}.", hint=hint, id="core.E001") for what, hint in problems]
