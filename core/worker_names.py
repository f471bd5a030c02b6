"""Names under which passes can be asked for: their own, and those that the existing dashboard accepts."""

from __future__ import annotations

from django.conf import settings

from core.passes import Pass, find_pass

# That client knows these four names and no other.
ITS_NAMES = {
    "service": "bot",
    "cleanup": "cleanup",
    "database-service": "work-sweep",
    "maintenance": "sync-repositories",
}


def all_workers() -> list[tuple[str, Pass]]:
    """Return all names with their passes, the dashboard's first; one whose pass is not installed is left out."""
    its = {name: job for name, job in ITS_NAMES.items() if job in settings.PASSES}
    own = {name: name for name in settings.PASSES}
    return [(name, find_pass(job)) for name, job in (its | own).items()]


def pass_behind(name: str) -> Pass | None:
    """Return the pass of that name; None when there is none."""
    job = ITS_NAMES.get(name, name)
    return find_pass(job) if job in settings.PASSES else None
