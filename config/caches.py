"""The cache that all processes share: the queue's Redis, where there is one; and one that a process has to itself.

Calls of the API are counted in the first. The second, "process", keeps sums that may be a minute old.
"""

from __future__ import annotations

from typing import Any


def cache_config(*, broker_url: str) -> dict[str, Any]:
    """Return CACHES. Without Redis nothing is cached across processes: what must be shared is in the database."""
    process = {"process": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}}
    if not broker_url:
        return process | {"default": {"BACKEND": "django.core.cache.backends.dummy.DummyCache"}}
    return process | {
        "default": {
            "BACKEND": "django.core.cache.backends.redis.RedisCache",
            "LOCATION": broker_url,
            "KEY_PREFIX": "pullkeeper",
        }
    }
