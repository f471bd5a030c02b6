"""The words idle retries are described in. Pure."""

from __future__ import annotations

from datetime import timedelta
from enum import StrEnum

# What makes a pull request idle at all, for sentences about those that are not yet; the rules are the view's.
IDLE_AFTER = timedelta(days=1)


class IdleStatus(StrEnum):
    """What happens next to an Idle Pull Request, in the order people see and the worker goes by."""

    DUE = "DUE"
    WAITING = "WAITING"
    GAVE_UP = "GAVE_UP"

    @property
    def order(self) -> int:
        """The view's IdleStatusOrder; the words themselves would sort alphabetically."""
        return list(IdleStatus).index(self) + 1


class Blocked(StrEnum):
    """Why a repository is known to be out of reach, in the words of the view."""

    REPOSITORY_REMOVED = "repository removed"
    REPOSITORY_ARCHIVED = "repository archived"
    INSTALLATION_GONE = "installation gone"
    INSTALLATION_SUSPENDED = "installation suspended"


def retry_reason(*, retry: int, limit: int, untouched: timedelta) -> str:
    """Return the sentence of the history, for example "Idle Retry 3 of 10: untouched for 3 days"."""
    days = untouched.days
    return f"Idle Retry {retry} of {limit}: untouched for {days} day{'' if days == 1 else 's'}"
