"""Due looks: considering a pull request again without making it pending.

A look is taken by moving its DueAt ahead, so that nobody else takes it meanwhile, and deleted once all functions have
succeeded, if nobody has asked for another one since. A worker that dies leaves it to be taken again. Attempts are
counted by the taking, as a claim counts a row's, so one that kills its worker is given up on like any other.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable
from datetime import datetime, timedelta
from functools import partial
from typing import Any

import structlog
from django.conf import settings
from django.utils.module_loading import import_string

from bot import setting_specs
from bot.services.notes import note
from bot.services.reach import Bench, Place, place_of
from core import clock
from core.functions import CurrentTimestamp
from core.transactions import patiently
from core.version import STAMP
from githubapi.client import InstallationClient
from githubapi.errors import OUR_OWN_FAULT, GithubError, Throttled, Transient
from webhooks import claim_rules, selectors
from webhooks.models import PullRequest, PullRequestLook
from webhooks.services.finishing import storable_error
from webhooks.services.limits import note_limit, throttled_until
from webhooks.values import Cause, HistoryKind, OpenState

log = structlog.get_logger(__name__)

# Longer than the cluster lets a task live.
LEASE = timedelta(minutes=5)
# More than workers that look at the same time.
CANDIDATES = 20
SOON = timedelta(minutes=1)

# Takes the row, the installation's client and the repository's id; returns what it found, in words ("" = nothing).
LookFunction = Callable[[PullRequest, InstallationClient, int], str]


def take_due(*, max_attempts: int) -> PullRequestLook | None:
    """Take the first due look that nobody else takes; its `due_at` is then when it falls due again.

    One at a time, so that a look which kills its worker costs no other one an attempt. A look whose attempts are used
    up is given up on instead: its last one ended with its worker's death.
    """
    due = selectors.due_looks().order_by("due_at", "pk")[:CANDIDATES]
    return next((look for look in due if _take(look, max_attempts)), None)


def _take(look: PullRequestLook, max_attempts: int) -> bool:
    if look.attempts >= max_attempts:
        _park(look, claim_rules.worn_out(look.attempts, look.error))
        return False
    attempt = look.attempts + 1
    pause = claim_rules.decide_failure(attempt, max_attempts=max_attempts, permanent=False).pause or 0
    return _move(look, clock.now() + max(LEASE, timedelta(seconds=pause)), attempts=attempt)


def work_on(look: PullRequestLook, bench: Bench, worker: str) -> str:
    """Consider the pull request of a taken look and return what came of it, in a word; never raises for GitHub."""
    row = PullRequest.objects.filter(pk=look.pull_request_sequence, state=OpenState.OPEN).first()
    if row is None:
        return _delete(look, "gone")
    if until := throttled_until(row.installation_id):
        return _put_off(look, until, "throttled")
    try:
        found = _consider(row, bench, Cause(actor=worker))
    except GithubError as error:
        return _after_error(look, row, error, worker)
    except Exception:
        # One bad pull request never stops the others.
        log.exception("look failed", pull_request=row.pk)
        return _fail(look, traceback.format_exc(), bench.settings[setting_specs.MAX_ATTEMPTS])
    note(row.pk, HistoryKind.LOOK, found, Cause(actor=worker))
    return _delete(look, "done")


def _consider(row: PullRequest, bench: Bench, cause: Cause) -> str:
    place: Place = place_of(row, bench.app, cause)
    functions: list[LookFunction] = [import_string(name) for name in settings.LOOKS]
    found = [function(row, place.client, place.repository_id) for function in functions]
    return "; ".join(words for words in found if words)


def _after_error(look: PullRequestLook, row: PullRequest, error: GithubError, worker: str) -> str:
    if isinstance(error, Throttled):
        note_limit(row.installation_id, error)
        return _put_off(look, clock.now() + error.wait, "throttled")
    if isinstance(error, Transient) or error.reason in OUR_OWN_FAULT:
        return _put_off(look, clock.now() + SOON, "deferred")
    note(row.pk, HistoryKind.LOOK, f"cannot be looked at: {error}", Cause(actor=worker))
    return _delete(look, "refused")


def _fail(look: PullRequestLook, error: str, max_attempts: int) -> str:
    """Put a look off for longer each time, and give it up when its attempts are used up."""
    error = storable_error(error)
    pause = claim_rules.decide_failure(look.attempts, max_attempts=max_attempts, permanent=False).pause
    if pause is None:
        return _park(look, error)
    _move(look, clock.now() + timedelta(seconds=pause), error=error)
    return "failed"


def _park(look: PullRequestLook, error: str) -> str:
    """Give a look up: it stays behind with its error until somebody asks for another one."""
    if _move(look, clock.now(), error=error, failed_date=CurrentTimestamp()):
        tried = claim_rules.attempts(look.attempts)
        reason = f"look given up on after {tried}: {claim_rules.in_short(error)}"
        note(look.pull_request_sequence, HistoryKind.LOOK, reason, Cause(actor=STAMP))
    return "given up on"


def _move(look: PullRequestLook, due_at: datetime, **columns: Any) -> bool:
    """Let a look fall due then, unless anybody has moved it since it was read."""
    whole = due_at.replace(microsecond=0)
    same = PullRequestLook.objects.filter(pk=look.pk, due_at=look.due_at, failed_date=None)
    moved = patiently(partial(same.update, due_at=whole, **columns))
    look.due_at, look.attempts = whole, columns.get("attempts", look.attempts)
    return bool(moved)


def _put_off(look: PullRequestLook, due_at: datetime, word: str) -> str:
    """Let a look fall due then; the attempt does not count."""
    _move(look, due_at, attempts=look.attempts - 1)
    return word


def _delete(look: PullRequestLook, word: str) -> str:
    PullRequestLook.objects.filter(pk=look.pk, due_at=look.due_at).delete()
    return word
