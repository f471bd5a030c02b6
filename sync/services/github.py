"""The way to GitHub: the App's client within a pass's time, and a database connection that outlives the waiting."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

from django.conf import settings
from django.db import connection

from core import clock
from core.passes import Run
from githubapi.client import AppClient, InstallationClient, Limits, Usage
from sync.values import F, Listed, Listing

T = TypeVar("T")

# A pass has 180 s, and the cluster kills it at 240 s. A listing that may take 90 s begins while 40 s are left.
LIMITS = Limits(read=10.0, call=15.0, listing=90.0)
NEEDED = 40.0


def app_client() -> AppClient:
    """Return a new client of our App; raises githubapi.errors.Permanent when the App is not configured."""
    return AppClient.from_settings(settings, limits=LIMITS)


def why_not_configured() -> str:
    """Return what is missing to talk to GitHub, "" when nothing is."""
    needed = ("GITHUB_APP_ID", "GITHUB_APP_PRIVATE_KEY")
    missing = [name for name in needed if not getattr(settings, name)]
    return f"{' and '.join(missing)} must be set to talk to GitHub" if missing else ""


def asked(call: Callable[[], T]) -> T:
    """Return what a call to GitHub returns; raises GithubError.

    The server may have closed our connection while we waited (field case F18): it is looked at before its next use.
    """
    try:
        return call()
    finally:
        if not connection.in_atomic_block:
            connection.close_if_unusable_or_obsolete()


def listing_of(client: AppClient | InstallationClient, read: Callable[[], Iterable[Listed[F]]]) -> Listing[F]:
    """Return a complete listing and the database's instant before it was asked for; raises GithubError."""
    began, before = clock.now(), client.usage.requests
    items = asked(lambda: list(read()))
    return Listing.of(items, began, pages=client.usage.requests - before)


def record_usage(run: Run, whole: Usage, *, quota_of: Usage | None = None) -> None:
    """Put the requests used into the run's counters, and the quota left of whoever made the most of them."""
    run.counters["requests"] = whole.requests
    remaining = (quota_of or whole).remaining
    if remaining is not None:
        run.counters["remaining_quota"] = remaining
