"""The sums of the last 30 days, made once a minute in each process however many ask."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from django.core.cache import caches

from webhooks.selectors import activity
from webhooks.selectors.activity import Hits, Quarters

KEY = "webhooks-activity"
KEPT_SECONDS = 60


@dataclass(frozen=True, kw_only=True)
class Activity:
    """What happened in the window of webhooks/selectors/activity.py. Names are as GitHub sent them: escape them."""

    total_workflow_runs: int
    installations: int
    repository_count: int
    newest_delivery: datetime | None
    deliveries: Quarters
    tables: dict[str, Quarters]
    events: Hits
    senders: Hits
    repositories: Hits
    installation_repositories: list[tuple[str, bool]]
    branches: Hits
    pull_requests: Hits
    workflow_runs: Hits

    @property
    def total(self) -> int:
        """The Deliveries of the window."""
        return sum(self.deliveries.values())


def of_last_days() -> Activity:
    """Return the sums, at most a minute old: they read a month of rows, and nobody sees the difference."""
    kept: Activity | None = caches["process"].get_or_set(KEY, add_up, KEPT_SECONDS)
    return kept or add_up()


def add_up() -> Activity:
    """Return the sums as they are now."""
    runs = activity.workflow_runs()
    return Activity(
        total_workflow_runs=runs.count(),
        installations=activity.active_installations(),
        repository_count=activity.count_repositories(),
        newest_delivery=activity.newest_delivery(),
        deliveries=activity.quarters_of_deliveries(),
        tables=activity.quarters_of_tables(),
        workflow_runs=activity.top(runs, "name"),
        installation_repositories=activity.repositories(),
        branches=activity.top_branches(),
        pull_requests=activity.top_pull_requests(),
        events=activity.top_events(),
        senders=activity.top_senders(),
        repositories=activity.top_repositories(),
    )
