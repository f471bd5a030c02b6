"""What an error of GitHub means for a work item: shared by the item types, which know GitHub; the engine does not."""

from __future__ import annotations

from datetime import timedelta

from core import clock
from githubapi import errors
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
