"""Tokens of this API: made once, shown once, stored as a hash."""

from __future__ import annotations

import hashlib
import secrets
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.contrib.auth.models import User
from django.db.models import Q

from core.functions import CurrentTimestamp, SecondsFromNow, ago
from core.models import ApiToken

# Says what it is wherever it turns up, so that a scanner for leaked secrets can know it.
PREFIX = "pk_"
SHOWN = len(PREFIX) + 6
# Last use is for people who tidy up; a write a request would make every read of the API a write.
LAST_USE_GRAIN = 300
LONGEST_DAYS = 366


@dataclass(frozen=True)
class NewToken:
    """A token just made; `key` is known here and nowhere else."""

    key: str
    token: ApiToken


def make(*, user: User, name: str, lifetime: timedelta) -> NewToken:
    """Store a new token of a user's and return it with its key, which cannot be had again.

    256 random bits: a plain hash is enough, there is nothing to guess.
    """
    key = PREFIX + secrets.token_urlsafe(32)
    token = ApiToken.objects.create(
        user=user,
        name=name,
        prefix=key[:SHOWN],
        digest=digest(key),
        expires_at=SecondsFromNow(int(lifetime.total_seconds())),
    )
    token.refresh_from_db()
    return NewToken(key, token)


def digest(key: str) -> str:
    """Return what is stored of a key."""
    return hashlib.sha256(key.encode()).hexdigest()


def find(key: str) -> ApiToken | None:
    """Return the token of that key with its user while it is in force, else None; by the database's clock."""
    live = Q(revoked_at=None, expires_at__gt=CurrentTimestamp(), user__is_active=True)
    rows = ApiToken.objects.filter(live, digest=digest(key)).select_related("user")
    return rows.annotate(use_is_news=Q(last_used_at=None) | Q(last_used_at__lte=ago(LAST_USE_GRAIN))).first()


def note_use(token: Any) -> None:
    """Remember that a token which `find` has found is in use, every few minutes at most."""
    if token.use_is_news:
        ApiToken.objects.filter(pk=token.pk).update(last_used_at=CurrentTimestamp())


def revoke(token: ApiToken) -> bool:
    """End a token for good; False when it was revoked already."""
    return bool(ApiToken.objects.filter(pk=token.pk, revoked_at=None).update(revoked_at=CurrentTimestamp()))
