"""The real parts that some tests need beside Python: which are here, and what to install for the rest."""

from __future__ import annotations

import os
import shutil
import socket
from collections.abc import Callable
from dataclasses import dataclass
from urllib.parse import unquote, urlsplit

MARIADB_URL = "mysql://root@127.0.0.1:3306/pullkeeper"
REDIS_URL = "redis://127.0.0.1:6379/15"
CHROMIUM_NAMES = ("chromium", "chromium-browser", "google-chrome")
TIMEOUT_SECONDS = 3


@dataclass(frozen=True, slots=True)
class Part:
    """A part, by the marker of the tests that need it; `missing` says why it cannot be used, if so."""

    marker: str
    missing: str
    remedy: str


def mariadb_url() -> str:
    return os.environ.get("TEST_MARIADB_URL") or MARIADB_URL


def redis_url() -> str:
    return os.environ.get("TEST_REDIS_URL") or REDIS_URL


def chromium_path() -> str | None:
    """Return where the system's browser is, None without one."""
    return next(filter(None, map(shutil.which, CHROMIUM_NAMES)), None)


def why_no_mariadb() -> str:
    try:
        import MySQLdb
    except ImportError:
        return "the driver mysqlclient is not installed"
    url = urlsplit(mariadb_url())
    try:
        MySQLdb.connect(
            host=url.hostname or "127.0.0.1",
            port=url.port or 3306,
            user=unquote(url.username or ""),
            password=unquote(url.password or ""),
            connect_timeout=TIMEOUT_SECONDS,
        ).close()
    except MySQLdb.Error as error:
        return f"no server lets us in at {url.hostname}:{url.port or 3306} (error {error.args[0]})"
    return ""


def why_no_redis() -> str:
    url = urlsplit(redis_url())
    address = (url.hostname or "127.0.0.1", url.port or 6379)
    try:
        with socket.create_connection(address, timeout=TIMEOUT_SECONDS) as connection:
            connection.sendall(b"PING\r\n")
            answer = connection.recv(64)
    except OSError as error:
        return f"no server at {address[0]}:{address[1]} ({error.strerror or error})"
    return "" if answer.startswith((b"+PONG", b"-NOAUTH")) else "what answers there is no Redis"


def why_no_chromium() -> str:
    return "" if chromium_path() else "no chromium on PATH"


def why_no_npm() -> str:
    return "" if shutil.which("npm") else "no npm on PATH"


MARIADB_REMEDY = f"""\
apt-get install mariadb-server libmariadb-dev pkg-config build-essential, `make setup`, and a user that may
create databases in TEST_MARIADB_URL (default {MARIADB_URL})"""
PROBES: dict[str, tuple[Callable[[], str], str]] = {
    "mariadb": (why_no_mariadb, MARIADB_REMEDY),
    "redis": (why_no_redis, f"apt-get install redis-server; TEST_REDIS_URL (default {REDIS_URL})"),
    "browser": (why_no_chromium, "apt-get install chromium"),
    "npm": (why_no_npm, "apt-get install npm"),
}


def find_parts() -> list[Part]:
    """Look for every part, now."""
    return [Part(marker, probe(), remedy) for marker, (probe, remedy) in PROBES.items()]
