"""Run the pretended GitHub as a process of its own: `python -m sandbox.server --help`."""

from __future__ import annotations

import argparse
import signal
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from sandbox.sender import first_secret
from sandbox.server import store, worlds
from sandbox.server.hook import http_receiver
from sandbox.server.listener import Listener
from sandbox.server.service import Service
from sandbox.server.state import State


def arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m sandbox.server", description="Pretend to be GitHub, for one App, on this machine."
    )
    parser.add_argument("--port", type=int, default=0, help="the port to serve (default: any free one)")
    parser.add_argument("--state", type=Path, help="file to begin with, if it exists, and to save to")
    parser.add_argument("--receiver", help="where deliveries go (default: nowhere)")
    parser.add_argument(
        "--secret-file", type=Path, help="file with the webhook secret, needed with --receiver"
    )
    parser.add_argument("--empty", action="store_true", help="begin with nothing, not with the demo's cast")
    options = parser.parse_args(argv)
    if options.receiver and not options.secret_file:
        parser.error("--receiver needs --secret-file, since every delivery is signed")
    return options


def service(options: argparse.Namespace) -> Service:
    """Return the service that the options describe."""
    secret = first_secret(options.secret_file) if options.secret_file else ""
    made = Service(_state(options), secret=secret)
    if options.receiver:
        made.hook.receiver = http_receiver(options.receiver)
    if options.state:
        made.keep = partial(_save, made, options.state)
    return made


def main(argv: Sequence[str] | None = None) -> int:
    """Serve until interrupted or terminated, then save; return 0."""
    options = arguments(argv)
    served = service(options)
    # Both by name: a shell starts what it runs in the background with SIGINT ignored, and Python keeps that.
    for stop in (signal.SIGINT, signal.SIGTERM):
        signal.signal(stop, signal.default_int_handler)
    with Listener(served, options.port) as listener:
        print(f"GitHub is pretended at {listener.url}", flush=True)
        try:
            listener.serve_forever()
        except KeyboardInterrupt:
            pass
        finally:
            served.keep()
    return 0


def _save(served: Service, path: Path) -> None:
    with served.lock:
        store.save(served.state, path)


def _state(options: argparse.Namespace) -> State:
    if options.state and options.state.exists():
        return store.load(options.state)
    return State() if options.empty else worlds.of_the_demo(datetime.now(UTC))


if __name__ == "__main__":
    sys.exit(main())
