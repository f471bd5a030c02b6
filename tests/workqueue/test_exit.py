"""An event that comes in while the worker is leaving the item, at each step of it (B5-37).

At the chosen step another session stores an event as the receiver does, commits, and answers its bell at once: so that
the bell finds the item still held, which is the worst that can happen. The sweep never runs here.
"""

from __future__ import annotations

import json
import threading
import zlib
from typing import Any

import pytest
from django.db import connection, transaction

from tests.workqueue.conftest import dimensions, told
from tests.workqueue.lamps import submit
from workqueue import tasks
from workqueue.models import PendingEvent
from workqueue.services import intake, leases, turns, working
from workqueue.services.working import work
from workqueue.values import Event

PAYLOAD: dict[str, Any] = {"room": "hall", "dimensions": [["needs_dusting", True]]}
# (whose function, its name, before or after it, at its how manieth call). Of two turns the second one leaves the item,
# of two claims the second finds nothing.
STEPS = [
    *((turns, "_settle", when, 1) for when in ("before", "after")),
    *((turns, "_decide", when, 2) for when in ("before", "after")),
    *((turns, "write", when, 2) for when in ("before", "after")),
    *((working, "take_turn", when, 2) for when in ("before", "after")),
    *((leases, "give_back", when, 1) for when in ("before", "after")),
    *((leases, "claim", when, 2) for when in ("before", "after")),
]


class Receiver:
    """Another session: stores the event, commits, and lets the bell's task run."""

    def __init__(self) -> None:
        self.thread = threading.Thread(target=self._run)

    def __call__(self) -> None:
        self.thread.start()
        # SQLite has one writer: there the event cannot be committed before the worker's transaction is.
        if connection.vendor != "sqlite" or not connection.in_atomic_block:
            self.thread.join(timeout=60)

    def _run(self) -> None:
        try:
            with transaction.atomic():
                intake.keep_event(
                    Event("lamp", "pressed", PAYLOAD), zlib.compress(json.dumps(PAYLOAD).encode())
                )
            tasks.work()
        finally:
            connection.close()


@pytest.mark.parametrize("neighbours", [0, 1], ids=["alone", "with one begun by the same commit"])
@pytest.mark.parametrize("step", STEPS, ids=[f"{s[2]} {s[1]}" for s in STEPS])
@pytest.mark.django_db(transaction=True)
def test_b5_37_an_event_during_the_exit_is_read_without_the_sweep(shop, monkeypatch, step, neighbours):
    owner, name, when, call = step
    receiver = Receiver()
    calls = []
    main = threading.current_thread()
    original = getattr(owner, name)

    def wrapped(*args: Any, **kwargs: Any) -> Any:
        if threading.current_thread() is not main:
            return original(*args, **kwargs)
        calls.append(name)
        if when == "before" and len(calls) == call:
            receiver()
        result = original(*args, **kwargs)
        if when == "after" and len(calls) == call:
            receiver()
        return result

    lamp, _ = submit()
    for number in range(neighbours):
        submit(f"room {number}")
    monkeypatch.setattr(owner, name, wrapped)
    work()
    receiver.thread.join(timeout=60)
    assert len(calls) >= call
    assert not PendingEvent.objects.exists()
    assert told(lamp, "event") == ["lamp pressed: pressed in hall"]
    assert told(lamp, "outcome") == ["light done: it shines", "dust done: it is clean"]
    assert dimensions(lamp) == {"needs_light": "false", "needs_dusting": "false"}
