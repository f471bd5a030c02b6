"""Members of GitHub's JSON: each is of the type that is documented, or raises TypeError or ValueError."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from githubapi.values import GHOST


def text(value: Any) -> str:
    """Return a text."""
    if not isinstance(value, str):
        raise TypeError(f"text expected, not {type(value).__name__}")
    return value


def text_or_empty(value: Any) -> str:
    """Return a text, "" for null."""
    return "" if value is None else text(value)


def integer(value: Any) -> int:
    """Return an integer; true and false are none."""
    if not isinstance(value, int) or isinstance(value, bool):
        raise TypeError(f"integer expected, not {type(value).__name__}")
    return value


def flag(value: Any) -> bool:
    """Return true or false."""
    if not isinstance(value, bool):
        raise TypeError(f"true or false expected, not {type(value).__name__}")
    return value


def state(value: Any) -> str:
    """Return "open" or "closed"."""
    if value not in {"open", "closed"}:
        raise ValueError("state is neither open nor closed")
    return str(value)


def login(user: dict[str, Any] | None) -> str:
    """Return an account's login, GHOST for one that was deleted."""
    return text(user["login"]) if user else GHOST


def moment(value: Any) -> datetime:
    """Return an aware instant."""
    moment = datetime.fromisoformat(text(value))
    if moment.tzinfo is None:
        raise ValueError("an instant without a time zone")
    return moment


def moment_or_none(value: Any) -> datetime | None:
    """Return an aware instant, None for null."""
    return None if value is None else moment(value)
