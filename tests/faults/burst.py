"""A burst of deliveries from several senders that never give up, and somebody who kills the web workers meanwhile."""

from __future__ import annotations

import contextlib
import http.client
import itertools
import os
import signal
import threading
import time
import uuid
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from benchmarks.serving import SECRET, WebServer
from sandbox import payloads
from sandbox.sender import Sender
from sandbox.world import Commit, Installation, PullRequest, Repository
from tests.webhooks.hook import ALICE, BASE, OCTO, TOOLS, at

SENDERS = 4
FINAL = frozenset({200, 202})


@dataclass(frozen=True)
class Parcel:
    """One delivery to be sent until it is answered."""

    guid: uuid.UUID
    event: str
    payload: dict[str, Any]


@dataclass
class Burst:
    """What was sent, what was answered, and how often a sender had to send again."""

    sent: list[Parcel] = field(default_factory=list)
    answers: Counter[str] = field(default_factory=Counter)
    resent: int = 0
    kills: int = 0
    errors: list[str] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def of(self, event: str) -> set[str]:
        """Return the GUIDs of the deliveries of an event."""
        return {str(parcel.guid) for parcel in self.sent if parcel.event == event}


def deliveries() -> Iterator[Parcel]:
    """Yield short lives without end: a pull request told backwards, a push, an installation with three repositories."""
    for number in itertools.count(1):
        life = [*pull_request_life(number), push(number), installation(number)]
        for event, payload in life:
            yield Parcel(uuid.uuid4(), event, payload)


def pull_request_life(number: int) -> list[tuple[str, dict[str, Any]]]:
    def told(action: str, second: int, **facts: Any) -> tuple[str, dict[str, Any]]:
        pull = PullRequest(
            id=10**6 + number,
            number=number,
            repository=TOOLS,
            title=f"Number {number}",
            author=ALICE,
            head_ref="lamp",
            head_sha=f"{second:040x}",
            updated_at=at(second),
            **facts,
        )
        return "pull_request", payloads.pull_request(action, pull, ALICE)

    return [told("closed", 20, state="closed", merged=True), told("synchronize", 9), told("opened", 0)]


def push(number: int) -> tuple[str, dict[str, Any]]:
    commit = Commit(sha=f"{number:040x}", message="A step", author=ALICE, at=BASE)
    return "push", payloads.push(TOOLS, "refs/heads/main", [commit], ALICE, before="a" * 40)


def installation(number: int) -> tuple[str, dict[str, Any]]:
    own = Installation(id=10**6 + number, account=OCTO)
    repos = [Repository(id=number * 10 + n, name=f"r{number}-{n}", owner=OCTO) for n in range(3)]
    return "installation", payloads.installation("created", own, ALICE, repos)


def send_burst(web: WebServer, *, kills: int, pause: float) -> Burst:
    """Send from several threads until the workers were killed that often, and until everything is answered."""
    burst, over, source = Burst(), threading.Event(), deliveries()
    threads = [threading.Thread(target=send_until, args=(web, burst, source, over)) for _ in range(SENDERS)]
    for thread in threads:
        thread.start()
    try:
        for _ in range(kills):
            time.sleep(pause)
            kill_all_workers(web, burst)
        wait_for_workers(web)
    finally:
        over.set()
        for thread in threads:
            thread.join(60)
    assert not any(thread.is_alive() for thread in threads)
    return burst


def kill_all_workers(web: WebServer, burst: Burst) -> None:
    """Kill -9 every worker while it works; the master stays and starts new ones."""
    wait_for_workers(web)
    for pid in web.workers():
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
            burst.kills += 1


def wait_for_workers(web: WebServer) -> None:
    deadline = time.monotonic() + 30
    while not web.serves():
        assert time.monotonic() < deadline, "gunicorn did not come back"
        time.sleep(0.05)


def send_until(web: WebServer, burst: Burst, source: Iterator[Parcel], over: threading.Event) -> None:
    with Sender(web.url, SECRET) as github:
        while not over.is_set():
            with burst.lock:
                parcel = next(source)
                burst.sent.append(parcel)
            # Every fourth comes twice, as from a sender that did not hear the answer.
            for _ in range(2 if parcel.guid.int % 4 == 0 else 1):
                send_patiently(github, burst, parcel)


def send_patiently(github: Sender, burst: Burst, parcel: Parcel) -> None:
    """Send one delivery again and again, under its GUID, until it gets an answer that is final."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        status, said = 0, "no answer"
        with contextlib.suppress(OSError, http.client.HTTPException):
            status, said = github.send(parcel.event, parcel.payload, guid=parcel.guid)
        with burst.lock:
            burst.answers[f"{status} {said[:40]}"] += 1
            burst.resent += status not in FINAL
            if status not in {*FINAL, 0, 503}:
                burst.errors.append(said)
        if status in FINAL:
            return
        github.close()
        time.sleep(0.05)
    burst.errors.append(f"{parcel.event} {parcel.guid} was never answered")
