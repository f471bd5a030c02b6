"""Asking GitHub to send again what this receiver never stored, or stored as failed."""

from __future__ import annotations

from datetime import datetime, timedelta

import structlog
from django.db import IntegrityError, transaction

from core.functions import SecondsFromNow
from core.models import PassRun
from core.passes import PassFailed, Run
from githubapi.client import AppClient
from githubapi.errors import GithubError, Throttled
from githubapi.values import HookDelivery
from sync import selectors
from sync.decisions import may_ask, missed, newest_attempts, pause_after
from sync.models import Redelivery
from sync.services.github import app_client, asked, record_usage
from sync.values import Asked
from webhooks.setting_specs import DELIVERY_DAYS

log = structlog.get_logger(__name__)

COUNTERS = ("listed", "missed", "requested", "failed", "requests")
# GitHub keeps the deliveries of three days, and can send only those again.
KEPT = timedelta(days=3)
# A Delivery that the pass `cleanup` has forgotten looks like one that never came: keep away from that limit.
MARGIN = timedelta(hours=1)
# How far back a run looks beyond the start of the last complete one: time for all attempts, and then some.
OVERLAP = timedelta(hours=6)
# Seconds that one request may need.
NEEDED = 15.0


def redeliver_missed(run: Run) -> None:
    """List GitHub's attempts since the last complete run and ask for what is missing here, three times at most.

    Raises PassFailed when the attempts cannot be listed whole.
    """
    for name in COUNTERS:
        run.count(name, 0)
    with app_client() as app:
        try:
            attempts = asked(lambda: app.hook_deliveries(since(run)))
            run.count("listed", len(attempts))
            _request_all(run, app, attempts)
        except Throttled as error:
            # Not complete: the next run looks back as far as this one.
            run.stopped_early = True
            log.warning("redeliveries throttled", detail=str(error))
        except GithubError as error:
            raise PassFailed(f"The deliveries were not listed ({error.reason}): {error}") from error
        finally:
            record_usage(run, app.usage)
    Redelivery.objects.filter(next_at__lt=run.now - 2 * KEPT).delete()


def since(run: Run) -> datetime:
    """Return from when on to look: nothing is left out when earlier runs failed or the installation was down."""
    complete = (
        PassRun.objects.filter(name=run.name, outcome=PassRun.Outcome.SUCCEEDED).order_by("-pk").first()
    )
    remembered = timedelta(days=run.settings[DELIVERY_DAYS]) - MARGIN
    earliest = run.now - min(KEPT, remembered)
    return max(earliest, complete.started_at - OVERLAP) if complete else earliest


def _request_all(run: Run, app: AppClient, attempts: list[HookDelivery]) -> None:
    newest = newest_attempts(attempts)
    wanted = missed(newest, selectors.processed_guids(newest), run.now)
    run.count("missed", len(wanted))
    known = selectors.asked_before(str(attempt.guid) for attempt in wanted)
    for attempt in wanted:
        before = known.get(str(attempt.guid))
        if not may_ask(before, run.now):
            continue
        if run.out_of_time(needed=NEEDED):
            return
        if _take_turn(str(attempt.guid), before):
            _request(run, app, attempt, before)


def _take_turn(guid: str, before: Asked | None) -> bool:
    """Write the attempt down before it is made; False when another process was faster."""
    attempts = before.attempts if before else 0
    next_at = SecondsFromNow(int(pause_after(attempts + 1).total_seconds()))
    if before:
        rows = Redelivery.objects.filter(guid=guid, attempts=attempts)
        return bool(rows.update(attempts=attempts + 1, next_at=next_at))
    try:
        with transaction.atomic():
            Redelivery.objects.create(guid=guid, attempts=1, next_at=next_at)
    except IntegrityError:
        return False
    return True


def _give_back(guid: str, before: Asked | None) -> None:
    """Undo a turn: what GitHub did not even look at is no attempt."""
    rows = Redelivery.objects.filter(guid=guid)
    if before:
        rows.update(attempts=before.attempts, next_at=before.next_at)
    else:
        rows.delete()


def _request(run: Run, app: AppClient, attempt: HookDelivery, before: Asked | None) -> None:
    """Ask for one redelivery; raises Throttled, any other refusal is counted."""
    try:
        asked(lambda: app.redeliver(attempt.id))
        run.count("requested")
    except Throttled:
        _give_back(str(attempt.guid), before)
        raise
    except GithubError as error:
        run.count("failed")
        log.warning("redelivery refused", guid=str(attempt.guid), reason=error.reason, detail=str(error))
    run.show_progress()
