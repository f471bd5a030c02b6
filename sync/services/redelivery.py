"""Asking GitHub to send again what this receiver never stored, or stored as failed."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta

import structlog
from django.db import IntegrityError, transaction
from django.db.models import F, Q

from core.functions import CurrentTimestamp, SecondsFromNow
from core.models import PassRun
from core.passes import Run
from githubapi.client import AppClient
from githubapi.errors import GithubError, Throttled
from githubapi.values import HookDelivery
from sync.models import Redelivery
from sync.services.github import app_client, record_usage
from webhooks.models import Delivery
from webhooks.values import DeliveryStatus

log = structlog.get_logger(__name__)

MOST_ATTEMPTS = 3
FIRST_PAUSE = 900
# GitHub keeps the deliveries of three days, and can send only those again.
KEPT = timedelta(days=3)
# How far back a run looks beyond the start of the last complete one: GitHub may list late.
OVERLAP = timedelta(hours=6)
# A delivery may still be on its way into the tables.
SETTLED = timedelta(minutes=2)
UNUSABLE = 422
CHUNK = 500


def redeliver_missed(run: Run) -> None:
    """List GitHub's attempts since the last complete run and ask for what is missing here, three times at most."""
    for name in ("listed", "missed", "requested", "failed"):
        run.count(name, 0)
    with app_client() as app:
        try:
            attempts = app.hook_deliveries(since(run))
            run.count("listed", len(attempts))
            for attempt in missed(attempts, run.now):
                run.count("missed")
                if run.out_of_time() or not _request(run, app, attempt):
                    break
        finally:
            record_usage(run, app.usage)
    Redelivery.objects.filter(next_at__lt=run.now - 2 * KEPT).delete()


def since(run: Run) -> datetime:
    """Return from when on to look: nothing is left out when earlier runs failed or the installation was down."""
    complete = PassRun.objects.filter(name=run.name, outcome=PassRun.Outcome.SUCCEEDED).order_by("-pk").first()
    earliest = run.now - KEPT
    return max(earliest, complete.started_at - OVERLAP) if complete else earliest


def missed(attempts: Iterable[HookDelivery], now: datetime) -> list[HookDelivery]:
    """Return the newest attempt of every GUID that is not ours yet, the oldest Event first.

    Matched by GUID: the list names no hook. One that we answered with 422 would fail again for the same reason.
    """
    newest: dict[str, HookDelivery] = {}
    for attempt in attempts:
        known = newest.get(str(attempt.guid))
        if known is None or attempt.delivered_at > known.delivered_at:
            newest[str(attempt.guid)] = attempt
    candidates = {
        guid: attempt
        for guid, attempt in newest.items()
        if attempt.delivered_at <= now - SETTLED and attempt.status_code != UNUSABLE
    }
    ours = _stored(candidates)
    return sorted((a for g, a in candidates.items() if g not in ours), key=lambda attempt: attempt.delivered_at)


def _stored(guids: Iterable[str]) -> set[str]:
    found: set[str] = set()
    wanted = sorted(guids)
    for start in range(0, len(wanted), CHUNK):
        rows = Delivery.objects.filter(guid__in=wanted[start : start + CHUNK]).exclude(status=DeliveryStatus.FAILED)
        found.update(rows.values_list("guid", flat=True))
    return found


def _request(run: Run, app: AppClient, attempt: HookDelivery) -> bool:
    """Ask for one redelivery if its turn has come; False when GitHub wants no more requests now."""
    if not _take_turn(str(attempt.guid)):
        return True
    try:
        app.redeliver(attempt.id)
    except Throttled as error:
        log.warning("redelivery throttled", guid=str(attempt.guid), detail=str(error))
        return False
    except GithubError as error:
        run.count("failed")
        log.warning("redelivery refused", guid=str(attempt.guid), reason=error.reason, detail=str(error))
        return True
    run.count("requested")
    return True


def _take_turn(guid: str) -> bool:
    """Write the attempt before it is made; False when it was asked for too often or too recently."""
    due = Q(next_at__lte=CurrentTimestamp(), attempts__lt=MOST_ATTEMPTS)
    # The pause doubles: 15 minutes after the first, 30 after the second.
    for attempts in range(1, MOST_ATTEMPTS):
        pause = SecondsFromNow(FIRST_PAUSE * 2**attempts)
        if Redelivery.objects.filter(due, guid=guid, attempts=attempts).update(attempts=F("attempts") + 1, next_at=pause):
            return True
    if Redelivery.objects.filter(guid=guid).exists():
        return False
    try:
        with transaction.atomic():
            Redelivery.objects.create(guid=guid, attempts=1, next_at=SecondsFromNow(FIRST_PAUSE))
    except IntegrityError:
        return False
    return True
