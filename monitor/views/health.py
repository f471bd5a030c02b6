"""What machines ask: is the process there, can it serve, does the worker live. No login, no session."""

from __future__ import annotations

import structlog
from django.db import Error
from django.http import HttpRequest, JsonResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from core import heartbeat
from monitor.selectors.health import missing_migrations

log = structlog.get_logger(__name__)


@never_cache
@require_safe
def healthz(_request: HttpRequest) -> JsonResponse:
    """The process answers. Nothing else is asked: a database outage must not restart every web process."""
    return _healthy("The process answers.")


@never_cache
@require_safe
def readyz(_request: HttpRequest) -> JsonResponse:
    """What this process needs to serve. Never the worker: a silent one must not take the receiver away."""
    try:
        missing = missing_migrations()
    except Error as error:
        return _database_away(error)
    if missing:
        return _unhealthy(f"The database lacks migrations: {', '.join(missing)}. Run: manage.py prepare.")
    return _healthy("The database answers and is of this version.")


@never_cache
@require_safe
def healthz_worker(_request: HttpRequest) -> JsonResponse:
    """The worker's sign of life, for whoever restarts it."""
    try:
        alive = heartbeat.is_alive(heartbeat.WORKER)
    except Error as error:
        return _database_away(error)
    if alive:
        return _healthy(f"The worker was heard within the last {heartbeat.SILENT_AFTER} seconds.")
    return _unhealthy(f"The worker was not heard for {heartbeat.SILENT_AFTER} seconds or more.")


def _database_away(error: Error) -> JsonResponse:
    # The message may name hosts and users: it goes to the log, not to a stranger.
    log.warning("health: database away", error=str(error))
    return _unhealthy(f"The database does not answer ({type(error).__name__}).")


def _healthy(sentence: str) -> JsonResponse:
    return JsonResponse({"healthy": True, "sentence": sentence})


def _unhealthy(sentence: str) -> JsonResponse:
    return JsonResponse({"healthy": False, "sentence": sentence}, status=503)
