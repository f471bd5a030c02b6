"""Losing the connection to MariaDB (field case F18)."""

from __future__ import annotations

from django.db import connection, connections


def gone(how: str = "KILL") -> None:
    """Let the server close our connection, as it does with one that waits too long, or as an operator does."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT CONNECTION_ID()")
        ours = cursor.fetchone()[0]
    if how == "wait_timeout":
        with connection.cursor() as cursor:
            cursor.execute("SET SESSION wait_timeout=1")
    other = connections.create_connection("default")
    try:
        with other.cursor() as cursor:
            if how == "KILL":
                cursor.execute(f"KILL {ours}")
            for _ in range(100):
                cursor.execute(
                    "SELECT COUNT(*), SLEEP(0.05) FROM information_schema.processlist WHERE id = %s", [ours]
                )
                if cursor.fetchone()[0] == 0:
                    return
    finally:
        other.close()
    raise AssertionError("The server did not close the connection.")
