"""Who is asking: the App with its JWT, or an installation with a token that this server gave out."""

from __future__ import annotations

import base64
import json
import secrets
import time
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sandbox.server.messages import Answer, Request, error
from sandbox.server.state import State

TOKEN_LIFETIME = timedelta(hours=1)
LONGEST_JWT_SECONDS = 600
ALLOWED_DRIFT_SECONDS = 60

SUSPENDED = error(403, "This installation has been suspended")
BAD_CREDENTIALS = error(401, "Bad credentials")
BAD_JWT = error(401, "A JSON web token could not be decoded")


@dataclass(frozen=True, slots=True)
class Token:
    """A token of an installation and the instant, by the sandbox's clock, from which it is worth nothing."""

    installation_id: int
    expires_at: datetime


class Identities:
    """The tokens given out. They live in memory: a restart of the server makes everybody fetch a new one."""

    def __init__(self, state: State) -> None:
        self._state = state
        self._tokens: dict[str, Token] = {}

    def new_token(self, installation_id: int, now: datetime) -> tuple[str, Token]:
        text = f"ghs_{secrets.token_hex(20)}"
        self._tokens[text] = Token(installation_id, now + TOKEN_LIFETIME)
        return text, self._tokens[text]

    def name(self, request: Request) -> str:
        """Return whose quota a request counts for: "app", "installation <id>", or "" for nobody known."""
        scheme, _, credential = request.headers.get("authorization", "").partition(" ")
        known = self._tokens.get(credential)
        if known:
            return f"installation {known.installation_id}"
        return "app" if scheme.lower() == "bearer" else ""

    def app_refusal(self, request: Request) -> Answer | None:
        """Return why a request does not prove to come from the App, None if it does.

        The signature is not checked, all else is. A JWT is dated by the machine's clock and is judged by it,
        too.
        """
        scheme, _, credential = request.headers.get("authorization", "").partition(" ")
        claims = _claims(credential) if scheme.lower() == "bearer" else None
        if claims is None:
            return BAD_JWT
        return self._claims_refusal(claims, time.time())

    def installation(self, request: Request, now: datetime) -> int | Answer:
        """Return the id of the installation that a request comes from, or the refusal."""
        credential = request.headers.get("authorization", "").partition(" ")[2]
        known = self._tokens.get(credential)
        if known is None or known.expires_at <= now:
            return BAD_CREDENTIALS
        installation = self._state.installations.get(known.installation_id)
        if installation is None:
            return BAD_CREDENTIALS
        return SUSPENDED if installation.suspended_at else known.installation_id

    def _claims_refusal(self, claims: dict[str, Any], now: float) -> Answer | None:
        issued, expires = claims.get("iat", now + LONGEST_JWT_SECONDS), claims.get("exp", 0)
        if str(claims.get("iss")) != str(self._state.app_id):
            return error(401, "Integration not found")
        if expires <= now:
            return error(401, "'Expiration time' claim ('exp') must be a numeric value in the future")
        if expires > now + LONGEST_JWT_SECONDS + ALLOWED_DRIFT_SECONDS:
            return error(401, "'Expiration time' claim ('exp') is too far in the future")
        if issued > now + ALLOWED_DRIFT_SECONDS:
            return error(401, "'Issued at' claim ('iat') must be an Integer representing a time in the past")
        return None


def _claims(jwt: str) -> dict[str, Any] | None:
    parts = jwt.split(".")
    try:
        header, payload = (json.loads(base64.urlsafe_b64decode(f"{part}===")) for part in parts[:2])
    except ValueError:
        return None
    whole = isinstance(payload, dict) and isinstance(header, dict) and len(parts) == 3 and parts[2]  # noqa: PLR2004
    return payload if whole and header.get("alg") == "RS256" else None
