"""The cache that all processes share. It counts calls of the API; whatever is in it may be lost at any time."""

from __future__ import annotations

from typing import Any

# Made by `manage.py prepare`.
TABLE = "cache_entries"


def cache_config(*, broker_url: str) -> dict[str, Any]:
    """Return CACHES: in the queue's Redis where there is one, else in the database."""
    if broker_url:
        backend = {"BACKEND": "django.core.cache.backends.redis.RedisCache", "LOCATION": broker_url}
    else:
        backend = {"BACKEND": "django.core.cache.backends.db.DatabaseCache", "LOCATION": TABLE}
    return {
        "default": {
            **backend,
            "KEY_PREFIX": "pullkeeper",
            "OPTIONS": {} if broker_url else {"MAX_ENTRIES": 10_000},
        }
    }
