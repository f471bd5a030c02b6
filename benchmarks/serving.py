"""A real web server for benchmarks and tests: gunicorn exactly as `make run` and the container start it."""

from __future__ import annotations

import contextlib
import http.client
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Self

from tools.environment import without_product
from tools.launch import LOOPBACK

ROOT = Path(__file__).resolve().parent.parent
SECRET = "a secret for benchmarks and tests"  # noqa: S105 -- made up, and signs made-up deliveries only
START_SECONDS = 30.0
STOP_SECONDS = 25.0


def free_port() -> int:
    """Return a port on which nobody listens right now."""
    with socket.create_server((LOOPBACK, 0)) as probe:
        port: int = probe.getsockname()[1]
    return port


class WebServer:
    """Gunicorn on a free port of the loopback, in a session of its own: `with WebServer(url, log=path) as web: ...`.

    `settings` is the Django settings module. The log is a file, so that a test can say what the server said.
    """

    def __init__(
        self,
        database_url: str,
        *,
        log: Path,
        settings: str = "config.settings",
        env: Mapping[str, str] | None = None,
    ) -> None:
        self.port = free_port()
        self.log = log
        self._environment = without_product() | {
            "DATABASE_URL": database_url,
            "DJANGO_SETTINGS_MODULE": settings,
            "GITHUB_WEBHOOK_SECRETS": SECRET,
            "GITHUB_APP_SLUG": "pullkeeper-demo",
            "SECRET_KEY": "only-for-benchmarks-and-tests",
            "LOG_LEVEL": "WARNING",
            **(env or {}),
        }

    @property
    def url(self) -> str:
        """The receiver's address."""
        return f"http://{LOOPBACK}:{self.port}/webhooks/github"

    def __enter__(self) -> Self:
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "gunicorn", "--bind", f"{LOOPBACK}:{self.port}"],
                cwd=ROOT,
                env=self._environment,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        deadline = time.monotonic() + START_SECONDS
        while not self.serves():
            if self._process.poll() is not None or time.monotonic() > deadline:
                self.__exit__()
                raise RuntimeError(f"gunicorn did not start:\n{self.log.read_text()[-2000:]}")
            time.sleep(0.05)
        return self

    def __exit__(self, *_: object) -> None:
        self._process.terminate()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(STOP_SECONDS)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()

    def serves(self) -> bool:
        """Tell whether Django answers; the port alone is open before the workers have loaded it."""
        connection = http.client.HTTPConnection(LOOPBACK, self.port, timeout=START_SECONDS)
        try:
            connection.request("GET", "/webhooks/github")
            return connection.getresponse().status < http.client.INTERNAL_SERVER_ERROR
        except (OSError, http.client.HTTPException):
            return False
        finally:
            connection.close()

    def workers(self) -> list[int]:
        """Return the process ids of the workers alive now."""
        children = Path(f"/proc/{self._process.pid}/task/{self._process.pid}/children").read_text(
            encoding="ascii"
        )
        return [int(pid) for pid in children.split()]
