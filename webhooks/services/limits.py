"""GitHub's rate limits: whoever asks for an installation heeds them first, and notes for all others what it meets.

Rows, looks, syncs, the poller, work items and people's own calls share one column (field case F10).
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from functools import wraps
from math import ceil

from core import clock
from core.functions import CurrentTimestamp
from githubapi.errors import Throttled
from webhooks.selectors.current import current_installations
from webhooks.services.finishing import throttle_installation
from workqueue.registry import Executor, Job
from workqueue.values import Outcome


def throttled_until(installation_id: int | None) -> datetime | None:
    """Return until when GitHub takes no requests of an installation, None if it takes them now or nobody knows it."""
    if installation_id is None:
        return None
    rows = current_installations().filter(
        installation_id=installation_id, throttled_until__gt=CurrentTimestamp()
    )
    return rows.values_list("throttled_until", flat=True).first()


def note_limit(installation_id: int | None, error: Throttled) -> None:
    """Keep everybody away from the installation until GitHub takes requests again, by the database's clock."""
    throttle_installation(installation_id, max(1, ceil(error.wait.total_seconds())))


@contextmanager
def within_limits(installation_id: int) -> Iterator[None]:
    """Raise Throttled while GitHub takes no requests of an installation; note it when that is met inside."""
    until = throttled_until(installation_id)
    if until is not None:
        sentence = f"GitHub takes no requests of installation {installation_id} before {until:%H:%M:%S} UTC."
        raise Throttled("known_rate_limit", sentence, until, until - clock.now())
    try:
        yield
    except Throttled as error:
        note_limit(installation_id, error)
        raise


def heeding_limits(executor: Executor) -> Executor:
    """Keep an executor within the limits of its item's `installation_id`."""

    @wraps(executor)
    def heeding(job: Job) -> Outcome:
        with within_limits(int(job.item.installation_id)):
            return executor(job)

    return heeding
