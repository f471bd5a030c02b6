"""What benchmarks share: databases of their own, and how a time is taken."""

from __future__ import annotations

import os
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from tools.parts import mariadb_url

VENDORS = ("mariadb", "sqlite")


@contextmanager
def own_database(vendor: str, name: str) -> Iterator[None]:
    """Set Django up on an empty database with the product's tables, and drop that database in the end.

    Django takes one database a process: a benchmark that measures both starts a process for each.
    """
    with _mariadb(name) if vendor == "mariadb" else _sqlite(name) as url:
        os.environ |= {
            "DATABASE_URL": url,
            "DJANGO_SETTINGS_MODULE": "config.settings",
            "SECRET_KEY": "only-for-benchmarks",
        }
        import django

        django.setup()
        from django.core.management import call_command
        from django.db import connection

        call_command("migrate", verbosity=0)
        try:
            yield
        finally:
            connection.close()


@contextmanager
def _mariadb(name: str) -> Iterator[str]:
    _outside_any_database(f"DROP DATABASE IF EXISTS {name}")
    _outside_any_database(f"CREATE DATABASE {name} CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci")
    try:
        yield mariadb_url().rpartition("/")[0] + f"/{name}"
    finally:
        _outside_any_database(f"DROP DATABASE {name}")


@contextmanager
def _sqlite(name: str) -> Iterator[str]:
    with tempfile.TemporaryDirectory(prefix="pullkeeper-bench-") as folder:
        yield f"sqlite:///{Path(folder) / name}.sqlite3"


def _outside_any_database(statement: str) -> None:
    import MySQLdb

    url = urlsplit(mariadb_url())
    session = MySQLdb.connect(
        host=url.hostname,
        port=url.port or 3306,
        user=unquote(url.username or ""),
        password=unquote(url.password or ""),
    )
    with closing(session), closing(session.cursor()) as cursor:
        cursor.execute(statement)


def milliseconds(work: Callable[[], Any], *, rounds: int = 5) -> float:
    """Return the median time of some runs, after one that warms up."""
    work()
    return statistics.median(_once(work) for _ in range(rounds))


def _once(work: Callable[[], Any]) -> float:
    start = time.perf_counter()
    work()
    return (time.perf_counter() - start) * 1000
