"""GitHub's rate limits, one door for whoever asks outside the passes: heeded before a call, noted for others after one.

Rows, syncs and the poller heed the same column (field case F10).
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import wraps
from math import ceil

from core import clock
from githubapi.errors import Throttled
from sync import selectors
from webhooks.services.finishing import throttle_installation
from workqueue.registry import Executor, Job
from workqueue.values import Outcome


@contextmanager
def within_limits(installation_id: int) -> Iterator[None]:
    """Raise Throttled while GitHub takes no requests of an installation; note it when that is met inside."""
    until = selectors.throttled_until(installation_id)
    if until is not None:
        sentence = f"GitHub takes no requests of installation {installation_id} before {until:%H:%M:%S} UTC."
        raise Throttled("known_rate_limit", sentence, until, until - clock.now())
    try:
        yield
    except Throttled as error:
        throttle_installation(installation_id, max(1, ceil(error.wait.total_seconds())))
        raise


def heeding_limits(executor: Executor) -> Executor:
    """Keep an executor within the limits of its item's `installation_id`."""

    @wraps(executor)
    def heeding(job: Job) -> Outcome:
        with within_limits(int(job.item.installation_id)):
            return executor(job)

    return heeding
