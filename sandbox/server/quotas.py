"""The primary rate limit: so many requests an hour for the App and for each installation.

https://docs.github.com/en/rest/using-the-rest-api/rate-limits-for-the-rest-api
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from sandbox.resources import Json
from sandbox.server.messages import Answer, error

HOURLY = 5000


@dataclass(slots=True)
class _Window:
    ends: datetime
    used: int = 0


class Quotas:
    """Counts by name of the asker; a window begins with its first request."""

    def __init__(self) -> None:
        self.limit = HOURLY
        self._windows: dict[str, _Window] = {}

    def take(self, name: str, now: datetime) -> Answer | None:
        """Count a request; return the refusal if none were left."""
        window = self._window(name, now)
        if window.used >= self.limit:
            return error(403, f"API rate limit exceeded for {name or 'your address'}.")
        window.used += 1
        return None

    def headers(self, name: str, now: datetime) -> dict[str, str]:
        rate = {**self._rate(name, now), "resource": "core"}
        return {f"X-RateLimit-{key.capitalize()}": str(value) for key, value in rate.items()}

    def overview(self, name: str, now: datetime) -> Json:
        """Return the body of GET /rate_limit, which costs nothing."""
        rate = self._rate(name, now)
        resources = {"core": rate, "search": {**rate, "limit": 30, "remaining": 30}}
        return {"resources": resources, "rate": rate}

    def _rate(self, name: str, now: datetime) -> Json:
        window = self._window(name, now)
        return {
            "limit": self.limit,
            "used": window.used,
            "remaining": max(self.limit - window.used, 0),
            "reset": int(window.ends.timestamp()),
        }

    def _window(self, name: str, now: datetime) -> _Window:
        window = self._windows.get(name)
        if window is None or window.ends <= now:
            window = self._windows[name] = _Window(now + timedelta(hours=1))
        return window
