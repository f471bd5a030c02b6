"""A real web server on the test's own database."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import quote

from django.db import connection

from benchmarks.serving import WebServer


def database_url() -> str:
    """Return the URL of the database that this test writes to; needs transactional_db, or nobody else sees it."""
    entry = connection.settings_dict
    if connection.vendor == "sqlite":
        return f"sqlite:///{entry['NAME']}"
    user = quote(entry["USER"], safe="")
    password = f":{quote(entry['PASSWORD'], safe='')}" if entry["PASSWORD"] else ""
    return f"mysql://{user}{password}@{entry['HOST']}:{entry['PORT'] or 3306}/{entry['NAME']}"


def serve(folder: Path) -> WebServer:
    """Return gunicorn on the test's database, its log in the folder; enter it to start it."""
    return WebServer(database_url(), log=folder / "gunicorn.log")
