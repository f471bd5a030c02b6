"""Try the product without configuration: `make demo`.

The product runs as `make run` runs it, on data of its own under var/demo/ (an SQLite file and generated
secrets, kept between runs). Its GitHub is the sandbox's, in a process of its own and remembered there, too: it
delivers a story, signed, and the sandbox plays the bot that processes it. Then the passes run once, forced: the
syncs compare the tables with GitHub, `redeliver` asks for what was missed, `idle` picks the first Idle Pull Request,
and `merge`, which this demo switches on, judges every open one. Only then the worker starts, so that nothing of this
happens twice at once.
"""

from __future__ import annotations

import argparse
import fcntl
import http.client
import secrets
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from sandbox import cast
from sandbox.demo_database import NotTheDemoError, mark_database
from sandbox.server.state import APP_ID, APP_SLUG
from tools import demo_work
from tools.environment import without_product
from tools.launch import (
    LOOPBACK,
    MANAGE,
    Address,
    PortError,
    answers,
    demand_free,
    port_from_environment,
    start_product,
)
from tools.processes import ROOT, Crew, StepFailedError, run_crew, say

FOLDER = ROOT / "var" / "demo"
LOCK = ROOT / "var" / "demo.lock"
LOGIN = "demo"
READY_SECONDS = 60
PASSES = ("sync-installations", "sync-repositories", "redeliver", "idle", "merge")
# Merging is off until somebody switches it on: here that is us.
SWITCH_MERGING_ON = (
    "from core import registry; from merge.setting_specs import SWITCH; registry.write(SWITCH.enabled, 'on')"
)
KEY_BITS = 2048
# A pass says what came of it; each request to GitHub is for the worker's log.
QUIETLY = {"LOG_LEVEL": "WARNING"}


class DemoRunsError(Exception):
    """Another demo works on the same data."""


@dataclass(frozen=True)
class Demo:
    """Where one demo keeps its things, where it answers, and where its GitHub does."""

    folder: Path
    address: Address
    github: Address

    @property
    def url(self) -> str:
        return f"http://{self.address}"

    @property
    def receiver(self) -> str:
        return f"{self.url}/webhooks/github"

    @property
    def github_url(self) -> str:
        return f"http://{self.github}"

    @property
    def database(self) -> Path:
        return self.folder / "db.sqlite3"

    @property
    def webhook_secret(self) -> Path:
        return self.folder / "webhook_secret"

    @property
    def app_key(self) -> Path:
        return self.folder / "app_key.pem"

    def password(self) -> str:
        return kept_secret(self.folder / "password", partial(secrets.token_urlsafe, 9))

    def environment(self) -> dict[str, str]:
        """Return the environment of web, worker and commands: the demo's own settings and nobody else's."""
        kept_secret(self.webhook_secret, partial(secrets.token_urlsafe, 32))
        kept_secret(self.app_key, new_app_key)
        return without_product() | {
            "ALLOWED_HOSTS": f"{LOOPBACK},localhost",
            "DATABASE_URL": f"sqlite:///{self.database}",
            "GITHUB_API_URL": self.github_url,
            "GITHUB_APP_ID": str(APP_ID),
            "GITHUB_APP_PRIVATE_KEY_FILE": str(self.app_key),
            "GITHUB_APP_SLUG": APP_SLUG,
            "GITHUB_WEBHOOK_SECRETS_FILE": str(self.webhook_secret),
            "PORT": str(self.address.port),
            "PUBLIC_URL": self.url,
            "SECRET_KEY": kept_secret(self.folder / "secret_key", partial(secrets.token_urlsafe, 50)),
        }


def kept_secret(path: Path, make: Callable[[], str]) -> str:
    """Return the secret kept in a file that only its owner can read; made the first time."""
    if not path.exists():
        path.touch(mode=0o600)
        path.write_text(make())
    return path.read_text()


def new_app_key() -> str:
    """Return a private key as GitHub makes one for an App: RSA, PEM."""
    key = rsa.generate_private_key(public_exponent=65537, key_size=KEY_BITS)
    return key.private_bytes(Encoding.PEM, PrivateFormat.TraditionalOpenSSL, NoEncryption()).decode()


def free_address() -> Address:
    """Return an address of ours that nobody listens on."""
    with socket.create_server((LOOPBACK, 0)) as probe:
        return Address(LOOPBACK, probe.getsockname()[1])


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


def github_command(demo: Demo) -> list[str]:
    options = ("--port", str(demo.github.port), "--empty", "--state", str(demo.folder / "github.json"))
    hook = ("--receiver", demo.receiver, "--secret-file", str(demo.webhook_secret))
    return [sys.executable, "-m", "sandbox.server", *options, *hook]


def story_command(demo: Demo) -> list[str]:
    options = ("--github", demo.github_url, "--url", demo.receiver, "--database", str(demo.database))
    return [sys.executable, "-m", "sandbox.demo", *options]


def play(demo: Demo) -> Callable[[Crew], None]:
    """Return the demo's course of events, for run_crew."""

    def body(crew: Crew) -> None:
        env = demo.environment()
        crew.step("manage.py prepare", [*MANAGE, "prepare"], env, demo.folder / "prepare.log")
        mark_database(demo.database)
        ensure_login(demo)
        crew.start("GitHub", github_command(demo), env, demo.folder / "github.log")
        start_product(crew, demo.address, only="web", env=env, logs=demo.folder)
        wait_until_ready(crew, demo.address)
        crew.watch(until=lambda: answers(demo.github))
        crew.step("the sandbox's story", story_command(demo), env)
        ask_for_work(crew, demo, env)
        for name in PASSES:
            crew.step(f"the pass {name}", [*MANAGE, "run_pass", name, "--force"], env | QUIETLY)
        start_product(crew, demo.address, only="worker", env=env, logs=demo.folder)
        say(invitation(demo))
        crew.watch()

    return body


def ask_for_work(crew: Crew, demo: Demo, env: dict[str, str]) -> None:
    """Switch merging on, have something to merge, and hand in a pull request: once for these data."""
    if demo_work.is_done(demo.folder):
        return
    switch = [*MANAGE, "shell", "--no-imports", "-v0", "-c", SWITCH_MERGING_ON]
    crew.step("the switch of merging", switch, env | QUIETLY)
    demo_work.ask_for_all(demo.github_url, lambda: demo_work.Person(demo.url, LOGIN, demo.password()))
    demo_work.note_done(demo.folder)


def invitation(demo: Demo) -> str:
    """Return what a person reads when everything stands."""
    merged_in, number = cast.MERGED_UNHEARD
    return f"""
Pullkeeper runs on demo data: {demo.url}/

  login  {LOGIN}   password  {demo.password()}

What to look at
  {demo.url}/             what is DUE, WAITING and GAVE_UP, what is pending, the last passes
  {demo.url}/idle/        the order in which Idle Pull Requests get their Idle Retry, and who is next
  {demo.url}/processing/  every table and how many of its rows are in which ProcessingState
  {demo.url}/deliveries/  every delivery and what became of it: applied, stale, an echo, ignored
  {demo.url}/merges/      one merged because it is documents and green, one that waits for your approval, and
                                    {demo.url}/merges/verdicts/ says why all others are not
  {demo.url}/work-items/  the merges, and a pull request handed in over the API
  {demo.url}/passes/      each pass and what it found; five of them ran once, forced
  {demo.url}/admin/       Settings, event rows (re-request one) and the record of each pass

Two things happened at GitHub that its Events did not tell, and were found nevertheless
  {merged_in.full_name} #{number} was merged while there was no hook: RE_REQUESTED by the first
    sync-repositories; within a minute the bot closes it here, too, and wakes the repository's next one:
    {demo.url}/processing/pull_requests/?state=PROCESSED
  {cast.RECIPES.full_name}: "{cast.LATE_TITLE}" was opened while the receiver was down:
    redelivered, then NEW until the bot has seen it: {demo.url}/deliveries/?repository={cast.RECIPES.full_name}

The worker has just started and is first heard within a minute. It runs the passes as in real use: one
repository an hour, redeliver every 15 minutes; the bot works off what is pending within seconds.
GitHub is played at {demo.github_url}/ and remembers; sandbox/server/control.py says how to change things there.
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
            return run_crew(play(Demo(folder, address, free_address())))
    except (PortError, DemoRunsError, NotTheDemoError) as error:
        print(error, file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
