"""Serve web and worker with the environment given: `make run`."""

from __future__ import annotations

import argparse
import os
import socket
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from tools.processes import Crew, run_crew, say

LOOPBACK = "127.0.0.1"
MANAGE = (sys.executable, "manage.py")
HIGHEST_PORT = 65535


@dataclass(frozen=True, slots=True)
class Address:
    """Where the web process listens."""

    host: str
    port: int

    def __str__(self) -> str:
        return f"{self.host}:{self.port}"


class PortError(Exception):
    """There is no port to listen on; the message says why."""


def port_from_environment() -> int:
    """Return PORT, 8000 when it is not set; raises PortError for anything but a port number."""
    text = os.environ.get("PORT") or "8000"
    if not (text.isdecimal() and 0 < int(text) <= HIGHEST_PORT):
        raise PortError(f"PORT must be a number from 1 to {HIGHEST_PORT}, not {text!r}.")
    return int(text)


def demand_free(address: Address) -> None:
    """Raise PortError now, before anything is started, instead of in the middle of gunicorn's log."""
    family = socket.AF_INET6 if ":" in address.host else socket.AF_INET
    with socket.socket(family) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((address.host, address.port))
        except OSError as error:
            raise PortError(
                f"Cannot listen on {address}: {error.strerror}. Name another port, as in PORT=8001."
            ) from error


def answers(address: Address) -> bool:
    """Whether somebody accepts connections there."""
    host = LOOPBACK if address.host == "0.0.0.0" else address.host  # noqa: S104 -- compared, not bound
    try:
        with socket.create_connection((host, address.port), timeout=1):
            return True
    except OSError:
        return False


def start_product(
    crew: Crew,
    address: Address,
    *,
    only: str = "",
    env: Mapping[str, str] | None = None,
    logs: Path | None = None,
) -> None:
    """Start web and worker and return once the web port answers; the database must be prepared.

    With `logs`, a folder, each writes to a file of its own there; else both print.
    """
    commands = {
        "web": [sys.executable, "-m", "gunicorn", "--bind", str(address)],
        "worker": [*MANAGE, "qcluster"],
    }
    wanted = [only] if only else list(commands)
    for name in wanted:
        crew.start(name, commands[name], env, logs / f"{name}.log" if logs else None)
    if "web" in wanted:
        crew.watch(until=lambda: answers(address))


def run(address: Address, *, only: str) -> int:
    """Prepare the database, serve until stopped and return the exit status."""

    def serve(crew: Crew) -> None:
        crew.step("manage.py prepare", [*MANAGE, "prepare"])
        start_product(crew, address, only=only)
        url = os.environ.get("PUBLIC_URL") or f"http://{LOOPBACK}:{address.port}"
        say(f"Pullkeeper ({only or 'web and worker'}) runs: {url} -- Ctrl-C stops it.")
        crew.watch()

    return run_crew(serve)


def main() -> int:
    parser = argparse.ArgumentParser(description="Serve web and worker until Ctrl-C.")
    parser.add_argument("--only", choices=("web", "worker"), default="", help="start one of the two")
    parser.add_argument("--host", default=LOOPBACK, help=f"address to listen on (default {LOOPBACK})")
    arguments = parser.parse_args()
    try:
        address = Address(arguments.host, port_from_environment())
        if arguments.only != "worker":
            demand_free(address)
    except PortError as error:
        print(error, file=sys.stderr)
        return 1
    return run(address, only=arguments.only)


if __name__ == "__main__":
    sys.exit(main())
