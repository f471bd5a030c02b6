"""Try the product without configuration: `make demo`.

The product runs as `make run` runs it, on data of its own under var/demo/ (an SQLite file and generated
secrets, kept between runs). The sandbox then sends it signed deliveries as GitHub would and plays the bot
that processes them, and one forced idle pass picks the first Idle Pull Request.
"""

from __future__ import annotations

import argparse
import fcntl
import http.client
import secrets
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from sandbox.demo_database import NotTheDemoError, mark_database
from tools.environment import without_product
from tools.launch import (
    LOOPBACK,
    MANAGE,
    Address,
    PortError,
    demand_free,
    port_from_environment,
    start_product,
)
from tools.processes import ROOT, Crew, StepFailedError, run_crew, say

FOLDER = ROOT / "var" / "demo"
LOCK = ROOT / "var" / "demo.lock"
LOGIN = "demo"
APP_SLUG = "pullkeeper-demo"
READY_SECONDS = 60


class DemoRunsError(Exception):
    """Another demo works on the same data."""


@dataclass(frozen=True)
class Demo:
    """Where one demo keeps its things and where it answers."""

    folder: Path
    address: Address

    @property
    def url(self) -> str:
        return f"http://{self.address}"

    @property
    def database(self) -> Path:
        return self.folder / "db.sqlite3"

    @property
    def webhook_secret(self) -> Path:
        return self.folder / "webhook_secret"

    def password(self) -> str:
        return kept_secret(self.folder / "password", secrets.token_urlsafe(9))

    def environment(self) -> dict[str, str]:
        """Return the environment of web, worker and commands: the demo's own settings and nobody else's."""
        kept_secret(self.webhook_secret, secrets.token_urlsafe(32))
        return without_product() | {
            "ALLOWED_HOSTS": f"{LOOPBACK},localhost",
            "DATABASE_URL": f"sqlite:///{self.database}",
            "GITHUB_APP_SLUG": APP_SLUG,
            "GITHUB_WEBHOOK_SECRETS_FILE": str(self.webhook_secret),
            "PORT": str(self.address.port),
            "PUBLIC_URL": self.url,
            "SECRET_KEY": kept_secret(self.folder / "secret_key", secrets.token_urlsafe(50)),
        }


def kept_secret(path: Path, fresh: str) -> str:
    """Return the secret kept in a file that only its owner can read; written with `fresh` the first time."""
    if not path.exists():
        path.touch(mode=0o600)
        path.write_text(fresh)
    return path.read_text()


@contextmanager
def own_data(*, fresh: bool) -> Iterator[Path]:
    """Hold the demo's data for ourselves; `fresh` removes what an earlier run left. Raises DemoRunsError."""
    LOCK.parent.mkdir(exist_ok=True)
    with LOCK.open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise DemoRunsError("A demo runs on this data already: stop it first.") from None
        if fresh:
            shutil.rmtree(FOLDER, ignore_errors=True)
        FOLDER.mkdir(mode=0o700, exist_ok=True)
        yield FOLDER


def ensure_login(demo: Demo) -> None:
    """Create the demo's administrator unless there is one; raises StepFailedError when that fails."""
    env = demo.environment() | {"DJANGO_SUPERUSER_PASSWORD": demo.password()}
    options = ("--noinput", "--username", LOGIN, "--email", "demo@localhost")
    result = subprocess.run(
        [*MANAGE, "createsuperuser", *options], cwd=ROOT, env=env, capture_output=True, text=True, check=False
    )
    if result.returncode != 0 and "already taken" not in result.stderr:
        raise StepFailedError(f"The demo's login could not be made: {result.stderr.strip()}")


def is_ready(address: Address) -> bool:
    """Whether /readyz answers 200."""
    connection = http.client.HTTPConnection(address.host, address.port, timeout=5)
    try:
        connection.request("GET", "/readyz")
        return connection.getresponse().status == http.HTTPStatus.OK
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()


def wait_until_ready(crew: Crew, address: Address) -> None:
    """Return once the product says that it can serve; raises StepFailedError after a minute without."""
    deadline = time.monotonic() + READY_SECONDS
    crew.watch(until=lambda: is_ready(address) or time.monotonic() > deadline)
    if not is_ready(address):
        raise StepFailedError(f"The product did not become ready within {READY_SECONDS} s.")


def scenario_command(demo: Demo) -> list[str]:
    receiver = f"{demo.url}/webhooks/github"
    options = ("--url", receiver, "--secret-file", str(demo.webhook_secret), "--database", str(demo.database))
    return [sys.executable, "-m", "sandbox.demo", *options]


def play(demo: Demo) -> Callable[[Crew], None]:
    """Return the demo's course of events, for run_crew."""

    def body(crew: Crew) -> None:
        env = demo.environment()
        crew.step("manage.py prepare", [*MANAGE, "prepare"], env, demo.folder / "prepare.log")
        mark_database(demo.database)
        ensure_login(demo)
        start_product(crew, demo.address, env=env, logs=demo.folder)
        wait_until_ready(crew, demo.address)
        crew.step("the sandbox's scenario", scenario_command(demo), env)
        crew.step("the idle pass", [*MANAGE, "run_pass", "idle", "--force"], env)
        say(invitation(demo))
        crew.watch()

    return body


def invitation(demo: Demo) -> str:
    """Return what a person reads when everything stands."""
    return f"""
Pullkeeper runs on demo data: {demo.url}/

  login  {LOGIN}   password  {demo.password()}

What to look at
  {demo.url}/             what is DUE, WAITING and GAVE_UP, what is pending, the last passes
  {demo.url}/idle/        the order in which Idle Pull Requests get their Idle Retry, and who is next
  {demo.url}/processing/  every table and how many of its rows are in which ProcessingState
  {demo.url}/deliveries/  every delivery and what became of it: applied, stale, an echo, ignored
  {demo.url}/admin/       Settings, event rows (re-request one) and the record of each pass

The idle pass ran once, forced. The worker runs it again every hour, as in real use.
Data and logs are in var/demo/. Ctrl-C stops everything; `make demo FRESH=1` starts with new data.
"""


def main() -> int:
    parser = argparse.ArgumentParser(description="Run the product on made-up data until Ctrl-C.")
    parser.add_argument("--fresh", action="store_true", help="forget the data of earlier runs")
    fresh = parser.parse_args().fresh
    try:
        address = Address(LOOPBACK, port_from_environment())
        demand_free(address)
        with own_data(fresh=fresh) as folder:
            return run_crew(play(Demo(folder, address)))
    except (PortError, DemoRunsError, NotTheDemoError) as error:
        print(error, file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
