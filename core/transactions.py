"""Units of work that survive a lost race with another session."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import structlog
from django.db import InterfaceError, OperationalError, connection, transaction

log = structlog.get_logger(__name__)

TRIES = 4

T = TypeVar("T")


def renew_connection() -> None:
    """Have the connection looked at before its next use: the server may have closed it meanwhile (field case F18)."""
    if not connection.in_atomic_block:
        connection.close_if_unusable_or_obsolete()


def patiently(work: Callable[[], T]) -> T:
    """Run the work in a transaction, and again after a deadlock, a lock that came too late, or a dropped connection.

    Three times at most, then the database's error is raised. Within a transaction of the caller there is one try,
    because a database that meets a deadlock throws the whole transaction away. The work must bear repetition.
    """
    if connection.in_atomic_block:
        with transaction.atomic():
            return work()
    for left in reversed(range(TRIES)):
        try:
            with transaction.atomic():
                return work()
        except (OperationalError, InterfaceError) as error:
            connection.close_if_unusable_or_obsolete()
            if not left:
                raise
            log.info("transaction tried again", error=str(error))
    raise AssertionError("The last try returns or raises.")
