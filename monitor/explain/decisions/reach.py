"""Whether a repository is known to be out of reach, and since when: the idle view's rule, for one row at a time.

The view cannot be asked for one pull request without ranking all of them; a test holds the two together.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from idle.values import Blocked
from monitor.explain.values import Reach
from sync.values import INACTIVE


@dataclass(frozen=True, kw_only=True)
class RepositoryFacts:
    """What of the repository's newest row decides, and the instants that go with it."""

    last_action: str
    last_action_date: datetime | None
    installation_action: str
    installation_action_date: datetime | None
    archived: bool


@dataclass(frozen=True, kw_only=True)
class InstallationFacts:
    """What of the installation's current row decides."""

    status: str
    suspended_date: datetime | None


def reach(
    repository: RepositoryFacts | None,
    installation: InstallationFacts | None,
    throttled_until: datetime | None,
) -> Reach:
    """Return whether the App gets in; None = no row is known, which is no reason against it."""
    blocked, since = _by_repository(repository) or _by_installation(installation) or (None, None)
    return Reach(blocked=blocked, since=since, throttled_until=throttled_until)


def _by_repository(facts: RepositoryFacts | None) -> tuple[Blocked, datetime | None] | None:
    if facts is None:
        return None
    if facts.last_action == "deleted":
        return Blocked.REPOSITORY_REMOVED, facts.last_action_date
    if facts.installation_action == "removed":
        return Blocked.REPOSITORY_REMOVED, facts.installation_action_date
    return (Blocked.REPOSITORY_ARCHIVED, None) if facts.archived else None


def _by_installation(facts: InstallationFacts | None) -> tuple[Blocked, datetime | None] | None:
    if facts is None:
        return None
    if facts.suspended_date:
        return Blocked.INSTALLATION_SUSPENDED, facts.suspended_date
    return (Blocked.INSTALLATION_GONE, None) if facts.status == INACTIVE else None
