"""How many calls somebody made in the running minute: counted in the queue's Redis, or in one row of the database."""

from __future__ import annotations

from datetime import datetime
from functools import cache as remember
from pathlib import Path

import structlog
from django.conf import settings
from django.core.cache import cache
from django.db import OperationalError, connection
from django.db.models import QuerySet
from redis.exceptions import RedisError

from core.models import ApiRate
from core.sqlfile import VENDOR_NAMES

log = structlog.get_logger(__name__)

WINDOW = 60


def count_call(caller: str, minute: int) -> int:
    """Count one more call and return the sum of that minute; 0 when it cannot be counted, which refuses nobody."""
    try:
        return _in_redis(caller, minute) if settings.Q_BROKER_URL else _in_table(caller, minute)
    except (RedisError, OperationalError) as error:
        log.warning("call not counted", caller=caller, error=type(error).__name__)
        return 0


def over_since(at: datetime) -> QuerySet[ApiRate]:
    """Return the counts whose minute was over before an instant: their callers have not called since."""
    return ApiRate.objects.filter(minute__lt=int(at.timestamp() // WINDOW))


def _in_redis(caller: str, minute: int) -> int:
    key = f"api-{caller}-{minute}"
    cache.add(key, 0, timeout=2 * WINDOW)
    try:
        return cache.incr(key)
    except ValueError:  # evicted between the two
        return 0


def _in_table(caller: str, minute: int) -> int:
    """One statement, so that calls of several processes at once are all counted."""
    with connection.cursor() as cursor:
        cursor.execute(_statement(connection.vendor), [caller, minute])
        return int(cursor.fetchone()[0])


@remember
def _statement(vendor: str) -> str:
    file = Path(__file__).parent / "sql" / f"count_call.{VENDOR_NAMES.get(vendor, vendor)}.sql"
    return file.read_text("utf-8")
