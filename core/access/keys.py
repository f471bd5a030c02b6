"""The public keys of issuers: found by OpenID discovery, kept for a while, and never missed for ever.

One issuer is asked at most once in PAUSE seconds, whatever strangers send: a failure and an unknown key are
remembered for that long and no longer. Keys already held outlive an issuer that is away, up to STALE seconds.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import jwt
import requests
import structlog

from core.access.rules import is_loopback

log = structlog.get_logger(__name__)

TTL = 3_600
STALE = 86_400
PAUSE = 10
CONNECT, READ, WHOLE = 3, 3, 10
MOST_BYTES = 500_000
DISCOVERY = "/.well-known/openid-configuration"
# Keys that are secrets of both sides would let whoever reads the published set sign tokens.
KEY_TYPES = frozenset({"RSA", "EC", "OKP"})


class IssuerAway(Exception):
    """The issuer's keys cannot be had now."""


class UnknownKey(Exception):
    """The issuer publishes no such key."""


@dataclass
class Held:
    """What is known of one issuer; instants are seconds of the store's clock, None = never."""

    keys: Mapping[str, jwt.PyJWK] = field(default_factory=dict)
    fetched_at: float | None = None
    tried_at: float | None = None
    failure: str = ""
    lock: threading.Lock = field(default_factory=threading.Lock)

    def must_ask(self, kid: str, now: float) -> bool:
        """Tell whether the issuer is to be asked before a key is used or refused."""
        if self.tried_at is not None and now - self.tried_at < PAUSE:
            return False
        fresh = self.fetched_at is not None and now - self.fetched_at < TTL
        return not (fresh and kid in self.keys)

    def usable(self, now: float) -> bool:
        """Tell whether the keys held may still be gone by."""
        return self.fetched_at is not None and now - self.fetched_at < STALE


class KeyStore:
    """The keys of all issuers, for all threads of a process."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._issuers: dict[str, Held] = {}
        self._lock = threading.Lock()

    def key(self, issuer: str, kid: str) -> jwt.PyJWK:
        """Return a key of an issuer that a rule names; raises IssuerAway or UnknownKey."""
        with self._lock:
            held = self._issuers.setdefault(issuer, Held())
        if held.must_ask(kid, self._clock()):
            # Whoever waited here for another's answer looks at it before asking again.
            with held.lock:
                if held.must_ask(kid, self._clock()):
                    self._ask(issuer, held)
        if not held.usable(self._clock()):
            raise IssuerAway(held.failure)
        found = held.keys.get(kid)
        if found is None:
            raise UnknownKey(f"The issuer {issuer} publishes no such key.")
        return found

    def _ask(self, issuer: str, held: Held) -> None:
        try:
            held.keys, held.failure = fetch_keys(issuer), ""
            held.fetched_at = self._clock()
        except (requests.RequestException, ValueError, TypeError, KeyError, AttributeError) as error:
            held.failure = f"The keys of {issuer} cannot be had now ({type(error).__name__})."
            log.warning("issuer's keys not had", issuer=issuer, error=str(error))
        finally:
            held.tried_at = self._clock()


def fetch_keys(issuer: str) -> dict[str, jwt.PyJWK]:
    """Ask an issuer for its keys, by kid.

    OpenID Connect Discovery 1.0, section 4: the document must name the very issuer that was asked.
    Raises a RequestException, ValueError, TypeError, KeyError or AttributeError for an answer that is not to be used.
    """
    document = _get_json(issuer.rstrip("/") + DISCOVERY)
    if document["issuer"] != issuer:
        raise ValueError("the discovery document names another issuer")
    uri = str(document["jwks_uri"])
    if not uri.startswith("https://") and not (is_loopback(issuer) and is_loopback(uri)):
        raise ValueError("the keys' address is not https")
    found = (_read_key(entry) for entry in _get_json(uri)["keys"])
    return {str(key.key_id): key for key in found if key is not None}


def _read_key(entry: dict[str, Any]) -> jwt.PyJWK | None:
    """Return a key that signs; None for another, and for one of a kind that nobody here can read."""
    if entry.get("kty") not in KEY_TYPES or entry.get("use", "sig") != "sig" or "kid" not in entry:
        return None
    try:
        return jwt.PyJWK.from_dict(entry)
    except jwt.PyJWTError:
        return None


def _get_json(url: str) -> dict[str, Any]:
    """Fetch a JSON object, within WHOLE seconds and MOST_BYTES; a redirect could lead anywhere and is none."""
    until = time.monotonic() + WHOLE
    with requests.get(url, timeout=(CONNECT, READ), allow_redirects=False, stream=True) as answer:
        if answer.status_code != requests.codes.ok:
            raise ValueError(f"{url} answered {answer.status_code}")
        body = b""
        for part in answer.iter_content(65_536):
            body += part
            if len(body) > MOST_BYTES or time.monotonic() > until:
                raise ValueError(f"{url} answered too much or too slowly")
    document = json.loads(body)
    if not isinstance(document, dict):
        raise TypeError(f"{url} answered no object")
    return document
