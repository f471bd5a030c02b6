"""Child processes that live and die together: used by `make run` and `make demo`.

Each child gets a session of its own. So a Ctrl-C in the terminal reaches only the launcher, which then asks
each child politely and by its main pid alone: a django-q2 cluster whose helpers are signalled together with
it waits for ever on a lock that its dead guard holds. What is left of a child's group in the end is killed.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

ROOT = Path(__file__).resolve().parent.parent
POLL_SECONDS = 0.1
PATIENCE_SECONDS = 30.0
ECHO_SECONDS = 0.5
STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class StopRequestedError(Exception):
    """Somebody asked the launcher to stop (Ctrl-C, SIGTERM, a closed terminal)."""


class ChildEndedError(Exception):
    """A child that should have kept running ended by itself."""


class StepFailedError(Exception):
    """A command that had to succeed before the next one did not."""


@dataclass(frozen=True)
class Child:
    """One started process and the name that people see."""

    name: str
    process: subprocess.Popen[bytes]
    log: Path | None = None

    def ask_to_stop(self) -> None:
        self.process.terminate()

    def kill_group(self) -> None:
        """Kill whatever is left of the child's process group; nothing left is fine."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.process.pid, signal.SIGKILL)

    def running(self) -> bool:
        return self.process.poll() is None

    def ending(self) -> str:
        """Return how the child ended and where its last words are."""
        where = f"; see {self.log}" if self.log else ""
        return f"{_describe(self.process.returncode)}{where}"


def say(text: str) -> None:
    """Print one line for a person; a terminal that is gone must not keep us from stopping the children."""
    with contextlib.suppress(OSError, ValueError):
        print(text, flush=True)


class Crew:
    """Starts children, watches them and stops them: `with Crew() as crew: crew.start(...); crew.watch()`."""

    def __init__(self, *, patience: float = PATIENCE_SECONDS) -> None:
        self.patience = patience
        self.killed: list[str] = []
        self._members: list[Child] = []
        self._step: Child | None = None
        self._requests: list[float] = []
        self._previous: dict[signal.Signals, Any] = {}

    def __enter__(self) -> Self:
        for number in STOP_SIGNALS:
            self._previous[number] = signal.signal(number, lambda *_: self._note_request())
        return self

    def __exit__(self, *_: object) -> None:
        try:
            self._stop_all()
        finally:
            for number, handler in self._previous.items():
                signal.signal(number, handler)

    def start(
        self, name: str, command: Sequence[str], env: Mapping[str, str] | None = None, log: Path | None = None
    ) -> None:
        """Start a member that is expected to run until it is stopped; `log` takes what it would print."""
        self._members.append(_spawn(name, command, env, log))

    def step(
        self, name: str, command: Sequence[str], env: Mapping[str, str] | None = None, log: Path | None = None
    ) -> None:
        """Run a command to its end while watching; raises StepFailedError unless it exits with 0."""
        step = self._step = _spawn(name, command, env, log)
        self.watch(until=lambda: not step.running())
        self._step = None
        if step.process.returncode != 0:
            raise StepFailedError(f"{name} failed ({step.ending()}).")

    def watch(self, until: Callable[[], bool] = lambda: False) -> None:
        """Return once `until` holds; raises StopRequestedError or ChildEndedError when that comes first."""
        while not until():
            if self._requests:
                raise StopRequestedError
            for child in self._members:
                if not child.running():
                    raise ChildEndedError(f"{child.name} ended by itself ({child.ending()}).")
            time.sleep(POLL_SECONDS)

    def _note_request(self) -> None:
        """Note a request; one stop may reach us twice at once, from make and from whoever stopped make."""
        now = time.monotonic()
        if not self._requests or now - self._requests[-1] > ECHO_SECONDS:
            self._requests.append(now)

    def _stop_all(self) -> None:
        """Ask everybody to stop, wait within the patience, then kill; another request kills at once."""
        children = [*self._members, *([self._step] if self._step else [])]
        alive = [child for child in children if child.running()]
        if alive:
            say(f"Stopping {_names(alive)} (Ctrl-C again kills) ...")
        for child in alive:
            child.ask_to_stop()
        self._wait_for(alive)
        self.killed = [child.name for child in alive if child.running()]
        for child in children:
            child.kill_group()
            child.process.wait()
        if self.killed:
            say(f"Killed {' and '.join(self.killed)}: it did not end when asked.")

    def _wait_for(self, alive: list[Child]) -> None:
        known = len(self._requests)
        deadline = time.monotonic() + self.patience
        while any(map(Child.running, alive)) and time.monotonic() < deadline and len(self._requests) == known:
            time.sleep(POLL_SECONDS)


def run_crew(body: Callable[[Crew], None], *, patience: float = PATIENCE_SECONDS) -> int:
    """Run `body` with a crew, stop the crew and return the exit status.

    0: stopped on request, all ended in time. 1: one ended by itself, a step failed or a kill was needed.
    """
    crew = Crew(patience=patience)
    failed = False
    with crew:
        try:
            body(crew)
        except StopRequestedError:
            pass
        except (ChildEndedError, StepFailedError) as error:
            say(str(error))
            failed = True
    return int(failed or bool(crew.killed))


def _spawn(name: str, command: Sequence[str], env: Mapping[str, str] | None, log: Path | None) -> Child:
    with contextlib.ExitStack() as files:
        output = files.enter_context(log.open("ab")) if log else None
        process = subprocess.Popen(
            command, cwd=ROOT, env=env, stdout=output, stderr=output, start_new_session=True
        )
    return Child(name, process, log)


def _names(children: list[Child]) -> str:
    return " and ".join(child.name for child in children)


def _describe(status: int) -> str:
    if status < 0:
        return f"signal {signal.Signals(-status).name}"
    return f"exit status {status}"
