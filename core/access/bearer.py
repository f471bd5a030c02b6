"""Tokens of other issuers (JWTs): is it signed by whom it names, is it in force, and what do the rules say of it."""

from __future__ import annotations

import hashlib
from typing import Any
from urllib.parse import urlsplit

import jwt

from core.access.keys import IssuerAway, KeyStore, UnknownKey
from core.access.rules import AccessRules
from core.access.values import NAME_LIMIT, Identity, Means

# Asymmetric ones alone: with "none" or a shared secret anybody could sign (RFC 8725, sections 3.1 and 3.2).
ALGORITHMS = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA")
LEEWAY = 60
LONGEST = 16_384


class Refused(Exception):
    """The token is not good here; the message says why, without repeating it."""


def identify(text: str, *, rules: AccessRules, keys: KeyStore) -> Identity:
    """Return who a token speaks for; raises Refused, or IssuerAway when that cannot be told now.

    Nothing is asked of an issuer that no rule names.
    """
    issuer, kid = _named(text)
    if not rules.knows(issuer):
        raise Refused("No access rule is about the issuer of this token.")
    claims = _checked(text, issuer, _key(keys, issuer, kid))
    permissions = rules.for_token(issuer, claims)
    if not permissions:
        raise Refused("No access rule matches the claims of this token.")
    subject = str(claims.get("sub", ""))
    return Identity(
        name=f"{subject} ({urlsplit(issuer).hostname})"[:NAME_LIMIT],
        means=Means.JWT,
        throttle_key="jwt-" + hashlib.sha256(f"{issuer} {subject}".encode()).hexdigest()[:32],
        permissions=permissions,
    )


def _named(text: str) -> tuple[str, str]:
    """Return the issuer and the key that a token names; whether it tells the truth is not known yet."""
    if len(text) > LONGEST:
        raise Refused("The token is too long.")
    try:
        whole = jwt.decode_complete(text, options={"verify_signature": False})
    except (jwt.PyJWTError, RecursionError):
        raise Refused("The token is no JWT.") from None
    if whole["header"].get("alg") not in ALGORITHMS:
        raise Refused("The token is signed in a way that is not accepted.")
    return str(whole["payload"].get("iss", "")), str(whole["header"].get("kid", ""))


def _key(keys: KeyStore, issuer: str, kid: str) -> jwt.PyJWK:
    try:
        return keys.key(issuer, kid)
    except UnknownKey as error:
        raise Refused(str(error)) from None


def _checked(text: str, issuer: str, key: jwt.PyJWK) -> dict[str, Any]:
    # The audience is a claim like any other, which every rule names.
    options: Any = {
        "require": ["exp", "iat", "iss", "aud"],
        "verify_aud": False,
        "enforce_minimum_key_length": True,
    }
    try:
        return jwt.decode(
            text, key, algorithms=list(ALGORITHMS), issuer=issuer, leeway=LEEWAY, options=options
        )
    except jwt.ExpiredSignatureError:
        raise Refused("The token has expired.") from None
    except (jwt.PyJWTError, ValueError, TypeError) as error:
        raise Refused(f"The token is not valid ({type(error).__name__}).") from None


__all__ = ["IssuerAway", "Refused", "identify"]
