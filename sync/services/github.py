"""The App's client, made from the installation's settings."""

from __future__ import annotations

from django.conf import settings

from core.passes import Run
from githubapi.client import AppClient, Usage


def app_client() -> AppClient:
    """Return a new client of our App; raises githubapi.errors.Permanent when the App is not configured."""
    return AppClient.from_settings(settings)


def why_not_configured() -> str:
    """Return what is missing to talk to GitHub, "" when nothing is."""
    needed = ("GITHUB_APP_ID", "GITHUB_APP_PRIVATE_KEY")
    missing = [name for name in needed if not getattr(settings, name)]
    return f"{' and '.join(missing)} must be set to talk to GitHub" if missing else ""


def record_usage(run: Run, usage: Usage) -> None:
    """Put the requests used and the quota left into the run's counters."""
    run.counters["requests"] = usage.requests
    if usage.quota is not None:
        run.counters["remaining_quota"] = usage.quota.remaining
