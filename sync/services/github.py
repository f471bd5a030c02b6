"""The way to GitHub: the App's client within a pass's time, and a database connection that outlives the waiting."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any, TypeVar

from django.conf import settings

from core import clock
from core.passes import Run
from core.transactions import renew_connection
from githubapi.client import AppClient, InstallationClient, Limits, Usage
from githubapi.errors import Gone, Permanent, Transient
from sync.services import quotas
from sync.values import AnyChange, F, Listed, Listing, Remove

T = TypeVar("T")
C = TypeVar("C", bound=AnyChange)

# A pass has 180 s, and the cluster kills it at 240 s. A listing that may take 90 s begins while 40 s are left.
LIMITS = Limits(read=10.0, call=15.0, listing=90.0)
NEEDED = 40.0


@contextmanager
def app_client() -> Iterator[AppClient]:
    """Yield a new client of our App and keep what GitHub said of rate limits meanwhile.

    Raises githubapi.errors.Permanent when the App is not configured.
    """
    with AppClient.from_settings(settings, limits=LIMITS) as client:
        try:
            yield client
        finally:
            quotas.keep(client.quotas)


def why_not_configured() -> str:
    """Return what is missing to talk to GitHub, "" when nothing is."""
    needed = ("GITHUB_APP_ID", "GITHUB_APP_PRIVATE_KEY")
    missing = [name for name in needed if not getattr(settings, name)]
    return f"{' and '.join(missing)} must be set to talk to GitHub" if missing else ""


def asked(call: Callable[[], T]) -> T:
    """Return what a call to GitHub returns; raises GithubError. Gone is then about the thing asked for itself.

    The server may have closed our connection while we waited (field case F18): it is looked at before its next use.
    """
    try:
        return call()
    except Gone as error:
        if error.reason == "no_installation":
            raise Permanent(error.reason, str(error)) from error
        raise
    finally:
        renew_connection()


def listing_of(client: AppClient | InstallationClient, read: Callable[[], Iterable[Listed[F]]]) -> Listing[F]:
    """Return a complete listing and the database's instant before it was asked for; raises GithubError."""
    began, before = clock.now(), client.usage.requests
    items = asked(lambda: list(read()))
    return Listing.of(items, began, pages=client.usage.requests - before)


def believed(
    run: Run, changes: Iterable[C], listing: Listing[Any], exists: Callable[[Remove[Any]], bool]
) -> list[C]:
    """Return the changes without removals that GitHub contradicts when it is asked for the thing itself.

    A listing that is one answer and not empty is believed. Pages are read one after the other, and when an item of an
    earlier page goes, a later one slips into its place unseen; and an empty answer may be a lost one. `exists` asks.
    """
    if listing.at_one_instant:
        return list(changes)
    return [change for change in changes if not isinstance(change, Remove) or _is_gone(run, change, exists)]


def _is_gone(run: Run, change: Remove[Any], exists: Callable[[Remove[Any]], bool]) -> bool:
    """Tell whether GitHub does not know it; out of time it is left for the next turn."""
    if run.out_of_time(needed=NEEDED):
        return False
    try:
        contradicted = asked(lambda: exists(change))
    except Gone:
        return True
    run.count("contradicted", int(contradicted))
    return not contradicted


def refuse_empty(rows: Sequence[Any], listing: Listing[Any], exists: Callable[[Any], bool]) -> None:
    """Raise Transient when nothing is listed, and GitHub still shows one of the rows when it is asked for it."""
    if not rows or listing.items:
        return
    with suppress(Gone):
        if asked(lambda: exists(rows[0])):
            raise Transient(
                "incomplete_listing", f"GitHub lists nothing, and shows {rows[0].facts.key} all the same."
            )


def record_usage(run: Run, whole: Usage, *, quota_of: Usage | None = None) -> None:
    """Put the requests used into the run's counters, and the quota left of whoever made the most of them."""
    run.counters["requests"] = whole.requests
    remaining = (quota_of or whole).remaining
    if remaining is not None:
        run.counters["remaining_quota"] = remaining
