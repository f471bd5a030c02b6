"""Remembering how many requests GitHub has left for each installation, for people who plan."""

from __future__ import annotations

from collections.abc import Mapping

import structlog
from django.db import DatabaseError

from core.functions import CurrentTimestamp
from core.transactions import renew_connection
from githubapi.values import Quota
from sync.models import InstallationQuota

log = structlog.get_logger(__name__)


def keep(quotas: Mapping[int, Quota]) -> None:
    """Store the last word on each installation; never raises: no work is worth less for it."""
    try:
        renew_connection()
        for installation_id, quota in quotas.items():
            _store(installation_id, quota)
    except DatabaseError as error:
        log.warning("quota not kept", error=str(error))


def _store(installation_id: int, quota: Quota) -> None:
    InstallationQuota.objects.update_or_create(
        installation_id=installation_id,
        defaults={
            "limit": quota.limit,
            "remaining": quota.remaining,
            "resets_at": quota.resets_at.replace(microsecond=0),
            "seen_at": CurrentTimestamp(),
        },
    )
