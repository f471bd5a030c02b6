"""Other processes that run the idle pass in a loop, on this test's own database."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO

from django.db import connection

ROOT = Path(__file__).resolve().parents[2]
# Goes on until killed. A tick that comes too early, or while the pass is busy, is answered at once.
LOOP = """
import time
from django.core.management import call_command
while True:
    call_command("run_pass", "idle")
    time.sleep(0.01)
"""
STUCK = """
import time
from django.core.management import call_command
from {module} import {owner}
def stand_still(*_, **__):
    print("stuck", flush=True)
    time.sleep(600)
{owner}.{function} = stand_still
call_command("run_pass", "idle")
"""
# Stand still within an Idle Retry (row written, transaction open, lock held), or after its commit, with
# the record and the lock left as they are.
STUCK_BEFORE_COMMIT = STUCK.format(module="webhooks.services", owner="history", function="append")
STUCK_AFTER_COMMIT = STUCK.format(module="core", owner="passes", function="_finish")


class Process:
    """One of them; `said()` is all it has printed so far."""

    def __init__(self, code: str, output: IO[bytes]) -> None:
        self.output = output
        self.popen = subprocess.Popen(
            [sys.executable, "manage.py", "shell", "--no-imports", "-v0", "-c", code],
            cwd=ROOT,
            env=os.environ | {"DATABASE_URL": database_url(), "LOG_LEVEL": "ERROR", "PYTHONUNBUFFERED": "1"},
            stdout=output,
            stderr=subprocess.STDOUT,
        )

    def said(self) -> str:
        # Not seek and read: both sides share one place in the file.
        return os.pread(self.output.fileno(), 1_000_000, 0).decode()

    def alive(self) -> bool:
        return self.popen.poll() is None

    def kill(self) -> None:
        """End it as a crash does: no handler runs, nothing is released."""
        self.popen.send_signal(signal.SIGKILL)
        self.popen.wait(timeout=30)


class Starter:
    """Starts processes; those still there in the end are killed."""

    def __init__(self, stack: ExitStack) -> None:
        self.stack = stack

    def __call__(self, code: str) -> Process:
        output = self.stack.enter_context(TemporaryFile())  # noqa: SIM115 (the stack closes it)
        process = Process(code, output)
        self.stack.callback(process.kill)
        return process


@contextmanager
def processes() -> Iterator[Starter]:
    with ExitStack() as stack:
        yield Starter(stack)


def database_url() -> str:
    """The address of the database that the test is using."""
    settings = connection.settings_dict
    if connection.vendor == "sqlite":
        return f"sqlite:///{settings['NAME']}"
    password = f":{settings['PASSWORD']}" if settings["PASSWORD"] else ""
    place = f"{settings['HOST'] or '127.0.0.1'}:{settings['PORT'] or 3306}"
    return f"mysql://{settings['USER']}{password}@{place}/{settings['NAME']}"
