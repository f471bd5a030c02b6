"""How repositories and installations stand with the scheduled syncs, and when their turn comes. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from monitor.values import Freshness, InstallationStatus, RepositoryStatus
from sync.values import ACTIVE

# One repository is synced an hour (B3.17), so a line of N repositories takes N hours (B3.19).
TURN = timedelta(hours=1)
# What a round may take longer, for a restart or a rate limit, before anybody is told that a turn was missed.
SLACK = timedelta(days=1)


@dataclass(frozen=True, kw_only=True)
class InstallationFacts:
    """What of an installation's current row decides about its access."""

    status: str
    suspended_date: datetime | None = None
    throttled_until: datetime | None = None


@dataclass(frozen=True, kw_only=True)
class RepositoryFacts:
    """What of a repository's current row decides about its turn."""

    last_action: str = ""
    last_action_date: datetime | None = None
    installation_action: str = ""
    installation_action_date: datetime | None = None
    installation_id: int | None = None


@dataclass(frozen=True)
class Standing:
    """Where a repository stands, why, and the instant that the reason ends with (None: it has none)."""

    status: RepositoryStatus
    reason: str = ""
    at: datetime | None = None


def installation_status(facts: InstallationFacts) -> InstallationStatus:
    """Tell active, suspended and gone apart: the contract's Status alone says "not active" for the latter two."""
    if facts.status == ACTIVE:
        return InstallationStatus.ACTIVE
    return InstallationStatus.SUSPENDED if facts.suspended_date else InstallationStatus.GONE


def standing(row: RepositoryFacts, installation: InstallationFacts | None, *, now: datetime) -> Standing:
    """Return whether the hourly sync comes to a repository, and if not, why. The sync's own rule, in words."""
    if row.last_action == "deleted":
        return Standing(RepositoryStatus.REMOVED, "deleted on GitHub", row.last_action_date)
    if row.installation_action == "removed":
        return Standing(RepositoryStatus.REMOVED, "taken from its installation", row.installation_action_date)
    if row.installation_id is None:
        return _out_of_reach("no installation sees it: its Events come by a webhook of its own")
    if installation is None:
        return _out_of_reach("its installation is not known yet")
    return _by_installation(installation, now=now)


def _by_installation(facts: InstallationFacts, *, now: datetime) -> Standing:
    status = installation_status(facts)
    if status is InstallationStatus.SUSPENDED:
        return _out_of_reach("its installation was suspended", facts.suspended_date)
    if status is InstallationStatus.GONE:
        return _out_of_reach("its installation is gone from GitHub")
    if facts.throttled_until and facts.throttled_until > now:
        return _out_of_reach(
            "its installation used up GitHub's rate limit: asked again", facts.throttled_until
        )
    return Standing(RepositoryStatus.IN_LINE)


def _out_of_reach(reason: str, at: datetime | None = None) -> Standing:
    return Standing(RepositoryStatus.OUT_OF_REACH, reason, at)


def freshness(last_sync: datetime | None, *, in_line: int, now: datetime) -> Freshness:
    """Judge the last sync of a repository by how long a round of so many repositories takes."""
    if last_sync is None:
        return Freshness.NEVER
    return Freshness.STALE if now - last_sync > in_line * TURN + SLACK else Freshness.FRESH


def turn_at(place: int, next_run: datetime, *, now: datetime) -> datetime:
    """Return about when the repository at that place (1 = next) is synced; an instant not after now: the next tick."""
    return max(next_run, now) + (place - 1) * TURN


def month_opens(last: datetime) -> datetime:
    """Return when the monthly pass may run again after it was complete at `last`: the 1st of the next month, UTC."""
    last = last.astimezone(UTC)
    year, month = divmod(last.year * 12 + last.month, 12)
    return datetime(year, month + 1, 1, tzinfo=UTC)
