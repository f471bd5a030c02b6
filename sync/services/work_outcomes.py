"""What an error of GitHub means for a work item: shared by the item types, which know GitHub; the engine does not."""

from __future__ import annotations

from datetime import datetime, timedelta
from functools import wraps
from math import ceil

from core import clock
from githubapi import errors
from sync import selectors
from webhooks.services.finishing import throttle_installation
from workqueue.registry import Executor, Job
from workqueue.values import Outcome, Permanent, RetryLater, Transient

# How long an item waits while GitHub does not know us: until somebody has mended the key.
MENDING = timedelta(minutes=5)


def outcome_of(error: Exception) -> Outcome | None:
    """Return the outcome that an executor's error leads to (field case F10: a throttle is no failure).

    None = not an error of GitHub's.
    """
    match error:
        case errors.Throttled():
            return RetryLater(f"GitHub throttles: {error}", clock.now() + error.wait + timedelta(seconds=1))
        case errors.GithubError() if error.reason in errors.OUR_OWN_FAULT:
            return RetryLater(f"GitHub does not know us ({error.reason}): {error}", clock.now() + MENDING)
        case errors.Gone() | errors.Forbidden() | errors.Suspended() | errors.Disabled():
            return Permanent(f"{error.reason}: {error}")
        case errors.GithubError():
            return Transient(f"{error.reason}: {error}")
        case _:
            return None


def heeding_limits(executor: Executor) -> Executor:
    """Keep an executor away from an installation that GitHub throttles, and tell all others when it meets the limit.

    The item's model has an `installation_id`. Rows, syncs and the poller heed the same column (field case F10).
    """

    @wraps(executor)
    def heeding(job: Job) -> Outcome:
        installation_id = int(job.item.installation_id)
        until: datetime | None = selectors.throttled_until(installation_id)
        if until is not None:
            return RetryLater("GitHub takes no requests of this installation for a while", until)
        try:
            return executor(job)
        except errors.Throttled as error:
            throttle_installation(installation_id, max(1, ceil(error.wait.total_seconds())))
            raise

    return heeding
