"""What an error of GitHub means for the row that was worked on."""

from __future__ import annotations

from math import ceil

from bot import values
from bot.values import Ending, Failed, GithubDown
from githubapi import errors


def ending_of(error: errors.GithubError) -> Ending:
    """Return the ending that an error leads to (field case F10: a throttle is no refusal)."""
    match error:
        case errors.Throttled():
            return values.Throttled(max(1, ceil(error.wait.total_seconds())), f"GitHub throttles: {error}")
        case errors.Transient():
            return GithubDown(f"GitHub did not answer ({error.reason}): {error}")
        case errors.Moved():
            return values.Moved(str(error))
        case errors.Gone() | errors.Forbidden() | errors.Suspended() | errors.Disabled():
            return Failed(f"{error.reason}: {error}", permanent=True)
        case _ if error.reason in errors.OUR_OWN_FAULT:
            return GithubDown(f"GitHub does not know us ({error.reason}): {error}")
        case _:
            return Failed(f"{error.reason}: {error}")
