"""How often a token may call: reads and writes a minute, counted in the shared cache."""

from __future__ import annotations

import time
from typing import Any

import structlog
from django.core.cache import cache
from redis.exceptions import RedisError
from rest_framework.request import Request
from rest_framework.throttling import BaseThrottle

from core import registry
from core.access.values import Identity
from core.setting_specs import READS_PER_MINUTE, WRITES_PER_MINUTE

log = structlog.get_logger(__name__)

WINDOW = 60
READING = frozenset({"GET", "HEAD", "OPTIONS"})


class PerCaller(BaseThrottle):
    """Counts the calls of a caller in the running minute. A cache that is away refuses nobody."""

    left = 0.0

    def allow_request(self, request: Request, view: Any) -> bool:
        identity = request.auth
        if not isinstance(identity, Identity):
            return True
        reading = request.method in READING
        most = registry.effective()[READS_PER_MINUTE if reading else WRITES_PER_MINUTE]
        now = time.time()
        self.left = WINDOW - now % WINDOW
        kind = "reads" if reading else "writes"
        return count(f"api-{kind}-{identity.throttle_key}-{int(now // WINDOW)}") <= most

    def wait(self) -> float:
        return self.left


def count(key: str) -> int:
    """Count one more under a key and return the sum; 0 when the cache is away."""
    try:
        if cache.add(key, 1, timeout=2 * WINDOW):
            return 1
        return cache.incr(key)
    except ValueError:  # evicted between the two calls
        return 1
    except RedisError as error:
        log.warning("rate not counted, the cache is away", error=type(error).__name__)
        return 0
