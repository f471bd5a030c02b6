"""The cache that all processes share: the queue's Redis, where there is one. Calls of the API are counted in it."""

from __future__ import annotations

from typing import Any


def cache_config(*, broker_url: str) -> dict[str, Any]:
    """Return CACHES. Without Redis nothing is cached across processes: what must be shared is in the database."""
    if not broker_url:
        return {"default": {"BACKEND": "django.core.cache.backends.dummy.DummyCache"}}
    return {
        "default": {
            "BACKEND": "django.core.cache.backends.redis.RedisCache",
            "LOCATION": broker_url,
            "KEY_PREFIX": "pullkeeper",
        }
    }
