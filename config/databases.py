"""How the product opens its database: MariaDB in production, SQLite embedded by default."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import dj_database_url
from django.core.exceptions import ImproperlyConfigured

# Sessions of ours see UTC, refuse what does not fit, and never take gap locks (READ COMMITTED). Nobody waits longer for
# a row than a sender of deliveries waits for an answer: the server's own 50 s would outlast GitHub's 10.
MARIADB_SESSION = (
    "SET time_zone='+00:00', innodb_lock_wait_timeout=5, sql_mode='STRICT_TRANS_TABLES,ERROR_FOR_DIVISION_BY_ZERO,"
    "NO_ZERO_DATE,NO_ZERO_IN_DATE,NO_ENGINE_SUBSTITUTION'"
)
SQLITE_SESSION = "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL"


def database_from_url(url: str) -> dict[str, Any]:
    """Return Django's DATABASES entry for a URL; raises ImproperlyConfigured for other kinds of database."""
    entry: dict[str, Any] = dict(dj_database_url.parse(url, conn_max_age=300, conn_health_checks=True))
    if entry["ENGINE"] == "django.db.backends.mysql":
        return entry | _mariadb_options(entry)
    if entry["ENGINE"] == "django.db.backends.sqlite3":
        return entry | _sqlite_options(Path(entry["NAME"]))
    raise ImproperlyConfigured("DATABASE_URL must begin with mysql:// (MariaDB 10.6 or newer) or sqlite:///.")


def _mariadb_options(entry: dict[str, Any]) -> dict[str, Any]:
    options = entry.get("OPTIONS", {})
    return {
        "OPTIONS": {
            "charset": "utf8mb4",
            "init_command": MARIADB_SESSION,
            "isolation_level": "read committed",
        }
        | options,
        "TEST": {"CHARSET": "utf8mb4", "COLLATION": "utf8mb4_general_ci"},
    }


def _sqlite_options(path: Path) -> dict[str, Any]:
    path.parent.mkdir(parents=True, exist_ok=True)
    return {
        # IMMEDIATE: a transaction that reads and then writes would otherwise fail at once as "database is locked".
        "OPTIONS": {"transaction_mode": "IMMEDIATE", "timeout": 20, "init_command": SQLITE_SESSION},
        # A file, not memory: several connections and processes take part in the tests.
        "TEST": {"NAME": str(path.with_name(f"test_{path.name}"))},
    }
