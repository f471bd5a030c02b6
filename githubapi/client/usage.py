"""What the calls of a client have cost so far."""

from __future__ import annotations

import threading

from githubapi.values import Quota


class Usage:
    """Counters of one client. Whatever an installation's client spends counts for its App's client as well.

    `requests` are all that were sent, token requests and repeated ones included; `retries` the repeated ones;
    `failures` those that ended in an error; `seconds` the time spent waiting for answers. `quota` is what
    GitHub last said of this client's own rate limit (the App and each installation have one each), None
    before the first answer.
    """

    def __init__(self, parent: Usage | None = None) -> None:
        self._parent = parent
        self._lock = threading.Lock()
        self.requests = 0
        self.retries = 0
        self.failures = 0
        self.seconds = 0.0
        self.quota: Quota | None = None

    def count_request(self, seconds: float, *, failed: bool, quota: Quota | None) -> None:
        with self._lock:
            self.requests += 1
            self.failures += failed
            self.seconds += seconds
            self.quota = quota or self.quota
        if self._parent:
            self._parent.count_request(seconds, failed=failed, quota=None)

    def count_retry(self) -> None:
        with self._lock:
            self.retries += 1
        if self._parent:
            self._parent.count_retry()

    @property
    def remaining(self) -> int | None:
        """The requests left in this hour, None where GitHub has not said."""
        return self.quota.remaining if self.quota else None
