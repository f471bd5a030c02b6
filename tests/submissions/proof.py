"""The proof's stage: a database of its own, a web server, GitHub that fails at times, and people who use it."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.serving import SECRET, WebServer, free_port
from sandbox.server import SandboxGithub
from sandbox.server.faults import Fault
from sandbox.server.messages import Request
from tests.github_app import APP_ID, REPOSITORY, private_key

ROOT = Path(__file__).resolve().parents[2]
LOST = "The hosted runner lost communication with the server."


class Flaky(Fault):
    """One call in ten: half of them refused, half of them done with the answer lost on the way."""

    dice = random.Random(7)

    def strikes(self, request: Request) -> bool:
        return not request.path.endswith("/access_tokens") and self.dice.random() < 0.05


def flaky() -> list[Fault]:
    return [
        Flaky(pattern=".*", kind="status", details={"status": 502, "message": "Bad gateway"}),
        Flaky(pattern=".*", kind="disconnect"),
    ]


class MariaDB:
    """A server of this test's own, on its own port and data, that can be restarted."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.port = free_port()
        self.url = f"mysql://root@127.0.0.1:{self.port}/proof"
        data = folder / "data"
        subprocess.run(
            [
                "mariadb-install-db",
                "--no-defaults",
                f"--datadir={data}",
                "--auth-root-authentication-method=normal",
            ],
            check=True,
            capture_output=True,
        )
        self._log = (folder / "mariadbd.log").open("ab")
        self.process = self._start()
        subprocess.run([*self._client(), "-e", "CREATE DATABASE proof CHARACTER SET utf8mb4"], check=True)

    def _client(self) -> list[str]:
        return ["mariadb", "--no-defaults", "-h127.0.0.1", f"-P{self.port}", "-uroot"]

    def _start(self) -> subprocess.Popen[bytes]:
        process = subprocess.Popen(
            [
                "mariadbd",
                "--no-defaults",
                f"--datadir={self.folder / 'data'}",
                f"--socket={self.folder / 's'}",
                f"--port={self.port}",
                "--bind-address=127.0.0.1",
                "--user=root",
                "--innodb-buffer-pool-size=256M",
                f"--pid-file={self.folder / 'pid'}",
            ],
            stdout=subprocess.DEVNULL,
            stderr=self._log,
        )
        for _ in range(300):
            if (
                subprocess.run(
                    [*self._client(), "-e", "SELECT 1"], check=False, capture_output=True
                ).returncode
                == 0
            ):
                return process
            time.sleep(0.1)
        raise AssertionError("mariadbd did not start")

    def restart(self) -> None:
        """Kill it as a power cut does, and start it again."""
        self.process.kill()
        self.process.wait()
        time.sleep(1)
        self.process = self._start()

    def stop(self) -> None:
        self.process.kill()
        self.process.wait()
        self._log.close()


@dataclass
class Stage:
    """Everything that runs, and how to talk to it."""

    github: SandboxGithub
    database_url: str
    folder: Path
    people: People = field(init=False)

    @property
    def environment(self) -> dict[str, str]:
        return os.environ | {
            "DATABASE_URL": self.database_url,
            "DJANGO_SETTINGS_MODULE": "config.settings",
            "GITHUB_API_URL": self.github.url,
            "GITHUB_APP_ID": APP_ID,
            "GITHUB_APP_PRIVATE_KEY": private_key(),
            "GITHUB_APP_SLUG": "pullkeeper-demo",
            "GITHUB_WEBHOOK_SECRETS": SECRET,
            "SECRET_KEY": "only-for-this-proof-and-long-enough-for-everybody-who-counts",
            "LOG_LEVEL": "ERROR",
        }

    def start(self, *command: str) -> subprocess.Popen[str]:
        with (self.folder / f"{command[0]}.log").open("ab") as log:
            return subprocess.Popen(
                [sys.executable, "-m", "tests.submissions.nursery", *command],
                cwd=ROOT,
                env=self.environment,
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
            )

    def run(self, *command: str) -> str:
        process = self.start(*command)
        said, _ = process.communicate()
        assert process.returncode == 0, (self.folder / f"{command[0]}.log").read_text()[-2000:]
        return said

    def let_pass(self, seconds: int) -> None:
        """Let time pass here and at GitHub."""
        self.run("age", str(seconds))
        self.github.clock.shift(seconds)

    def report(self) -> dict[str, Any]:
        answer: dict[str, Any] = json.loads(self.run("report").splitlines()[-1])
        return answer

    @contextmanager
    def harmed_workers(self) -> Iterator[dict[str, int]]:
        """Workers for as long as the block lasts; what became of them is in the dictionary afterwards."""
        process, counts = self.start("harm"), dict[str, int]()
        try:
            yield counts
        finally:
            process.send_signal(signal.SIGTERM)
            said, _ = process.communicate()
        counts.update(json.loads(said.splitlines()[-1]))

    def manage(self, *command: str) -> None:
        subprocess.run([sys.executable, "manage.py", *command], cwd=ROOT, env=self.environment, check=True)


class People(threading.Thread):
    """Continuous integration, a person who closes, and GitHub's support, who has failed deliveries sent again."""

    def __init__(self, github: SandboxGithub) -> None:
        super().__init__(daemon=True)
        self.github = github
        self.over = threading.Event()
        self.done: set[tuple[int, int]] = set()
        self.repeated: set[int] = set()

    def run(self) -> None:
        while not self.over.wait(0.3):
            with self.github.service.lock:
                pulls = [p for p in self.github.state.pull_requests_of(REPOSITORY) if p.state == "open"]
                attempts = {run.number: run.attempt for run in self.github.state.workflow_runs.values()}
            for pull in pulls:
                self.look_at(pull, attempts.get(pull.number, 1))
            self.redeliver()

    def look_at(self, pull: Any, tries: int) -> None:
        """Do once for each pull request, and for each attempt of its workflow, what its kind asks for."""
        kind = pull.title.partition(" ")[0]
        if (pull.number, tries) in self.done:
            return
        self.done.add((pull.number, tries))
        changes = self.github.changes
        if kind == "close":
            changes.close_pull_request(REPOSITORY, pull.number)
        elif kind == "flaky" and tries == 1:
            run_id = changes.run_workflow(REPOSITORY, pull.number)
            changes.fail_job(run_id, says=LOST)
            changes.run_workflow(REPOSITORY, pull.number, conclusion="failure")
        elif kind in {"merge", "flaky"}:
            changes.finish_check(REPOSITORY, pull.number, "success")

    def redeliver(self) -> None:
        """What was never answered well is sent again, as the pass `redeliver` asks for it."""
        with self.github.service.lock:
            attempts = list(self.github.hook.attempts.values())
        for attempt in attempts:
            if attempt.status_code >= 500 and attempt.id not in self.repeated:
                self.repeated.add(attempt.id)
                self.github.hook.repeat(attempt.id)
        self.github.hook.flush()


@contextmanager
def stage(github: SandboxGithub, database_url: str, folder: Path) -> Iterator[Stage]:
    """Set everything up: tables, our rows of the repository, the receiver, the people."""
    made = Stage(github, database_url, folder)
    made.manage("migrate", "-v0")
    made.manage("shell", "--no-imports", "-v0", "-c", ROWS)
    with WebServer(database_url, log=folder / "web.log") as web:
        github.hook.secret = SECRET
        github.deliver_to(web.url)
        made.people = People(github)
        made.people.start()
        try:
            yield made
        finally:
            made.people.over.set()
            made.people.join()


ROWS = f"""
from core.models import Setting
from webhooks.models import Installation, Repository
row = {{"hook_id": 1, "delivery_id": "0" * 32, "processing_state": "PROCESSED"}}
Installation.objects.create(installation_id=700001, account_login="account-1", account_id=1, **row)
Repository.objects.create(
    github_id={REPOSITORY}, owner_login="account-1", name="repository-1", full_name="account-1/repository-1",
    node_id="R_1", installation_id=700001, **row
)
Setting.objects.create(name="workqueue.max-attempts", value="100")
# The regular look would find what a lost event should have told: it is not to come.
Setting.objects.create(name="submissions.empty-check-minutes", value="1440")
"""
