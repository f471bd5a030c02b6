"""A GitHub App of the tests' own: its key, and a client that neither sleeps nor waits long."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Any

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from githubapi.client import AppClient, Clock, Limits
from githubapi.client.transport import app_identity

APP_ID = "200100"
INSTALLATION = 700_001
REPOSITORY = 800_001


@lru_cache(maxsize=1)
def private_key() -> str:
    """Return a fresh RSA key as PEM, the same for the whole run."""
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    return key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.TraditionalOpenSSL,
        serialization.NoEncryption(),
    ).decode()


def jwt() -> str:
    """Return a JSON web token of the App, as its client would sign it."""
    return app_identity(APP_ID, private_key()).token


@dataclass
class Stopwatch:
    """A clock that a test moves, and that remembers every pause instead of making it."""

    ahead: timedelta = timedelta(0)
    pauses: list[float] = field(default_factory=list)

    def now(self) -> datetime:
        return datetime.now(UTC) + self.ahead

    def sleep(self, seconds: float) -> None:
        self.pauses.append(seconds)

    def shift(self, **step: float) -> None:
        self.ahead += timedelta(**step)

    @property
    def clock(self) -> Clock:
        return Clock(now=self.now, sleep=self.sleep)


def app_client(url: str, watch: Stopwatch | None = None, **limits: Any) -> AppClient:
    """Return a client of the tests' App; pages hold 10 items, so that a few dozen make a long listing."""
    bounds = Limits(**{"page_size": 10, "connect": 2.0, "read": 2.0, **limits})
    return AppClient(APP_ID, private_key(), url, limits=bounds, clock=(watch or Stopwatch()).clock)
