"""The passes of this app."""

from __future__ import annotations

from core import clock
from core.passes import Pass, tick
from core.registry import Effective
from sync import selectors, setting_specs
from sync.decisions import month_is_open
from sync.services.github import why_not_configured
from sync.services.installations import sync_installations
from sync.services.redelivery import redeliver_missed
from sync.services.repositories import sync_next
from sync.setting_specs import LAST_RUN

HOUR = 3600
QUARTER_HOUR = 900


def _month_is_open(values: Effective) -> bool:
    return month_is_open(values[LAST_RUN], clock.now())


def _somebody_waits(_: Effective) -> bool:
    """The newest LastSyncDate paces the pass, whoever wrote it, and nothing else does (B3.20, B3.31)."""
    return selectors.hour_has_passed() and selectors.next_repository() is not None


SYNC_INSTALLATIONS = Pass(
    name="sync-installations",
    description="Compares all installations with GitHub's listing.",
    switch=setting_specs.INSTALLATIONS,
    # A pass that was cut short is tried again after an hour; a complete one closes the month.
    interval=lambda _: HOUR,
    is_due=_month_is_open,
    obstacle=why_not_configured,
    work=sync_installations,
)

SYNC_REPOSITORIES = Pass(
    name="sync-repositories",
    description="Compares the repository whose sync is the oldest with GitHub.",
    switch=setting_specs.REPOSITORIES,
    interval=lambda _: 0,
    is_due=_somebody_waits,
    obstacle=why_not_configured,
    work=sync_next,
)

REDELIVER = Pass(
    name="redeliver",
    description="Has GitHub send again what was never stored or failed.",
    switch=setting_specs.REDELIVER,
    interval=lambda _: QUARTER_HOUR,
    obstacle=why_not_configured,
    work=redeliver_missed,
)


def sync_installations_pass() -> str:
    """Run the pass if it is due (scheduled every minute)."""
    return tick(SYNC_INSTALLATIONS)


def sync_repositories_pass() -> str:
    """Run the pass if it is due (scheduled every minute)."""
    return tick(SYNC_REPOSITORIES)


def redeliver_pass() -> str:
    """Run the pass if it is due (scheduled every minute)."""
    return tick(REDELIVER)
