"""An external bot on the shared tables: it claims and finalizes by the SQL that such programs use.

On SQLite a claim needs no row locks: the write lock is the whole file's.
"""

from __future__ import annotations

import sqlite3

from sandbox.demo_database import transaction

PENDING = ("NEW", "UPDATED", "RE_REQUESTED", "IDLE")
CLAIM_SIZE = 10
VERSION = "sandbox-bot 1"

CLAIMED_TABLES = (
    "github_pull_requests",
    "github_issues",
    "github_comments",
    "github_branches",
    "github_pushes",
    "github_repositories",
    "github_installations",
    "github_users",
)

_PENDING_LIST = ", ".join(f"'{state}'" for state in PENDING)


def claim(connection: sqlite3.Connection, table: str, limit: int = CLAIM_SIZE) -> list[int]:
    """Take the longest untouched pending rows to PROCESSING; return their Sequences, at most `limit`."""
    with transaction(connection):
        rows = connection.execute(
            f"SELECT Sequence FROM {table} WHERE ProcessingState IN ({_PENDING_LIST}) "
            "ORDER BY UpdatedAt ASC LIMIT ?",
            [limit],
        ).fetchall()
        connection.executemany(
            f"UPDATE {table} SET ProcessingState = 'PROCESSING', ProcessingDate = CURRENT_TIMESTAMP, "
            "UpdatedAt = CURRENT_TIMESTAMP, GstracciniBotVersion = ? WHERE Sequence = ?",
            [(VERSION, sequence) for (sequence,) in rows],
        )
    return [sequence for (sequence,) in rows]


def finalize(connection: sqlite3.Connection, table: str, sequence: int) -> bool:
    """Close one claim; False if somebody asked for the row again meanwhile, so that it stays pending."""
    done = connection.execute(
        f"UPDATE {table} SET ProcessingState = 'PROCESSED', ProcessedDate = CURRENT_TIMESTAMP, "
        "UpdatedAt = CURRENT_TIMESTAMP "
        "WHERE Sequence = ? AND ProcessingState = 'PROCESSING' AND ProcessingDate IS NOT NULL",
        [sequence],
    )
    return done.rowcount == 1


def work_off(connection: sqlite3.Connection) -> int:
    """Claim and finalize until no table has a pending row; return how many rows were finalized."""
    finalized = 0
    for table in CLAIMED_TABLES:
        while claimed := claim(connection, table):
            finalized += sum(finalize(connection, table, sequence) for sequence in claimed)
    return finalized
