"""A tiny receiver and a migrated database file: all that the sandbox needs of the product."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from githubapi.protocol import BadSignature, decode_payload, parse_envelope, verify_signature

ROOT = Path(__file__).resolve().parents[2]
SECRET = "a secret of the tests"


class Receiver(ThreadingHTTPServer):
    """Answers as the product does in the plainest cases and keeps what it got."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.got: list[dict[str, Any]] = []
        self.connections = 0
        self.answer: int | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/webhooks/github"


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    # Head and body are two writes; without this the second would wait for the first's acknowledgement.
    disable_nagle_algorithm = True
    server: Receiver

    def setup(self) -> None:
        super().setup()
        self.server.connections += 1

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        status = self.server.answer or self._judge(body)
        self.send_response(status)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"{}")

    def _judge(self, body: bytes) -> int:
        headers = dict(self.headers)
        try:
            verify_signature(body, headers, [SECRET])
        except BadSignature:
            return 401
        envelope = parse_envelope(headers)
        known = any(envelope.guid == one["envelope"].guid for one in self.server.got)
        payload = decode_payload(body, headers["Content-Type"])
        self.server.got.append({"envelope": envelope, "payload": payload, "body": body, "headers": headers})
        plain_issue = envelope.event == "issue_comment" and "pull_request" not in payload["issue"]
        return 200 if known or plain_issue or envelope.event in {"ping", "star"} else 202

    def log_message(self, *args: object) -> None:
        """Keep the tests' output quiet."""


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    server = Receiver()
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield server
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture(scope="session")
def migrated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("demo") / "migrated.sqlite3"
    manage(path, "migrate", "-v0")
    return path


@pytest.fixture
def database(migrated: Path, tmp_path: Path) -> Path:
    """A migrated SQLite file of this test's own, whatever database the suite runs on."""
    return Path(shutil.copy(migrated, tmp_path / "db.sqlite3"))


def product_environment(database: Path, **more: str) -> dict[str, str]:
    return os.environ | {
        "DATABASE_URL": f"sqlite:///{database}",
        "SECRET_KEY": "only-for-this-test-and-long-enough-for-everybody-who-counts",
        "GITHUB_WEBHOOK_SECRETS": SECRET,
        "GITHUB_APP_SLUG": "pullkeeper-demo",
        **more,
    }


def manage(database: Path, *command: str) -> None:
    subprocess.run(
        [sys.executable, "manage.py", *command], cwd=ROOT, env=product_environment(database), check=True
    )
