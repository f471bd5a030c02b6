"""Calls under one identity: counted, logged, bounded in time, and repeated only where that does no harm."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from http import HTTPStatus
from itertools import count
from typing import Protocol

import structlog

from githubapi.client import redirects
from githubapi.client.answers import REDIRECTS, Answer, Call, Reply, quota, read_reply
from githubapi.client.limits import Clock, Deadline, Limits
from githubapi.client.transport import Transport
from githubapi.client.usage import Usage
from githubapi.errors import GithubError, Moved, Throttled

log = structlog.get_logger("githubapi")


class Credentials(Protocol):
    """Keeps an identity usable."""

    def prepare(self, deadline: Deadline) -> None:
        """Make sure that a call can be authenticated; raises GithubError if it cannot."""

    def discard(self) -> bool:
        """Forget what GitHub refused (401); return whether another try with a new one could help."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Habits:
    """What all channels of one client share."""

    base_url: str
    limits: Limits
    clock: Clock
    # Called after each call, however it ended: the caller may have things that do not bear waiting.
    after_call: Callable[[], None]


class Channel:
    """One identity's way to GitHub, with its own usage. Used by one thread at a time."""

    def __init__(
        self, transport: Transport, credentials: Credentials, habits: Habits, usage: Usage, name: str
    ) -> None:
        self._transport = transport
        self._credentials = credentials
        self._habits = habits
        self._log = log.bind(identity=name)
        self._throttled: Throttled | None = None
        self.limits = habits.limits
        self.usage = usage

    def ask(self, call: Call, deadline: Deadline | None = None) -> Reply:
        """Return the reply to a call; raises GithubError.

        A repeatable call is repeated after a Transient error and after a throttle of a few seconds; any other
        is sent once. While a throttle lasts nothing is sent at all.
        """
        try:
            return self._ask(call, deadline)
        finally:
            self._habits.after_call()

    def _ask(self, call: Call, deadline: Deadline | None) -> Reply:
        self._respect_throttle()
        limits = self.limits
        deadline = deadline or Deadline(limits.call * limits.attempts)
        # Outside the loop: it has attempts of its own.
        self._credentials.prepare(deadline)
        for attempt in count(1):
            try:
                return self._follow(call, deadline)
            except GithubError as error:
                pause = limits.pause_before_repeating(error, attempt) if call.repeatable else None
                if pause is None or pause >= deadline.left():
                    self._give_up(call, error)
                    raise
                self.usage.count_retry()
                self._habits.clock.sleep(pause)
        raise AssertionError("count() does not end")

    def _respect_throttle(self) -> None:
        known = self._throttled
        if known and (left := known.try_again_at - self._habits.clock.now()).total_seconds() > 0:
            raise Throttled(known.reason, known.sentence, known.try_again_at, left)
        self._throttled = None

    def _give_up(self, call: Call, error: GithubError) -> None:
        if isinstance(error, Throttled):
            self._throttled = error
        self._log.warning("github_call_failed", call=str(call), reason=error.reason, error=str(error))

    def _follow(self, call: Call, deadline: Deadline) -> Reply:
        """Send a call, and once more with new credentials after a 401; follow the redirects of a read."""
        for _ in range(redirects.MOST_HOPS + 1):
            answer = self._authenticated(call, deadline)
            if answer.status not in REDIRECTS or "location" not in answer.headers:
                return self._read(call, answer)
            call = self._redirected(call, answer.headers["location"])
        raise Moved("redirect_loop", f"{call} is redirected without end.", call.path, None)

    def _authenticated(self, call: Call, deadline: Deadline) -> Answer:
        answer = self._send(call, deadline)
        if answer.status == HTTPStatus.UNAUTHORIZED and self._credentials.discard():
            self._credentials.prepare(deadline)
            answer = self._send(call, deadline)
        return answer

    def _redirected(self, call: Call, location: str) -> Call:
        if call.verb != "GET":
            raise redirects.refusal(call.path, location)
        target = redirects.target_of(call.path, call.query, location, self._habits.base_url)
        return replace(call, path=target.path, query=target.query)

    def _read(self, call: Call, answer: Answer) -> Reply:
        return read_reply(call, answer, self._habits.clock.now())

    def _send(self, call: Call, deadline: Deadline) -> Answer:
        deadline.check(str(call))
        begun = time.perf_counter()
        answer = None
        try:
            answer = self._transport.send(call, deadline)
            return answer
        finally:
            self._note(call, answer, time.perf_counter() - begun)

    def _note(self, call: Call, answer: Answer | None, seconds: float) -> None:
        status = answer.status if answer else 0
        stated = quota(answer.headers) if answer else None
        failed = not answer or status >= HTTPStatus.BAD_REQUEST
        self.usage.count_request(seconds, failed=failed, quota=stated)
        remaining = stated.remaining if stated else None
        self._log.info(
            "github_call", call=str(call), status=status, ms=round(seconds * 1000), remaining=remaining
        )
