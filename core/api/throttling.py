"""How often a caller may call: so many reads and so many writes a minute."""

from __future__ import annotations

import time
from typing import Any

from rest_framework.request import Request
from rest_framework.throttling import BaseThrottle

from core import registry
from core.access.values import Identity
from core.rates import WINDOW, count_call
from core.setting_specs import READS_PER_MINUTE, WRITES_PER_MINUTE

READING = frozenset({"GET", "HEAD"})


class PerCaller(BaseThrottle):
    """Every token, signed-in person and subject of a JWT has a rate of its own."""

    left = 0.0

    def allow_request(self, request: Request, view: Any) -> bool:
        identity = request.auth
        if not isinstance(identity, Identity):
            return True
        kind, limit = (
            ("reads", READS_PER_MINUTE) if request.method in READING else ("writes", WRITES_PER_MINUTE)
        )
        now = time.time()
        self.left = WINDOW - now % WINDOW
        made = count_call(f"{kind}-{identity.throttle_key}", int(now // WINDOW))
        return made <= registry.effective()[limit]

    def wait(self) -> float:
        return self.left
