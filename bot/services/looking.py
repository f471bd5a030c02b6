"""Due looks: considering a pull request again without making it pending.

A look is taken by moving its DueAt ahead, so that nobody else takes it meanwhile, and deleted once all functions have
succeeded, if nobody has asked for another one since. A worker that dies leaves it to be taken again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from functools import partial
from math import ceil

import structlog
from django.conf import settings
from django.utils.module_loading import import_string

from bot.services.notes import note
from bot.services.reach import Bench, Place, place_of
from core import clock
from core.functions import CurrentTimestamp
from core.transactions import patiently
from githubapi.client import InstallationClient
from githubapi.errors import GithubError, Throttled, Transient
from webhooks.models import Installation, PullRequest, PullRequestLook
from webhooks.services.finishing import throttle_installation
from webhooks.values import Cause, HistoryKind, OpenState

log = structlog.get_logger(__name__)

# Longer than the cluster lets a task live.
LEASE = timedelta(minutes=5)
SOON = timedelta(minutes=1)
AFTER_A_FAULT = timedelta(hours=1)

# Takes the row, the installation's client and the repository's id; returns what it found, in words ("" = nothing).
LookFunction = Callable[[PullRequest, InstallationClient, int], str]


def take_due(limit: int) -> list[PullRequestLook]:
    """Take up to so many due looks; their `due_at` is then when they fall due again."""
    now = clock.now()
    due = PullRequestLook.objects.filter(due_at__lte=CurrentTimestamp()).order_by("due_at", "pk")[:limit]
    return [look for look in due if _move(look, now + LEASE)]


def work_on(look: PullRequestLook, bench: Bench, worker: str) -> str:
    """Consider the pull request of a taken look and return what came of it, in a word; never raises for GitHub."""
    row = PullRequest.objects.filter(pk=look.pull_request_sequence, state=OpenState.OPEN).first()
    if row is None:
        return _delete(look, "gone")
    until = _throttled_until(row)
    if until is not None and until > clock.now():
        return _put_off(look, until, "throttled")
    try:
        found = _consider(row, bench, Cause(actor=worker))
    except GithubError as error:
        return _after_error(look, row, error, worker)
    except Exception:
        # One bad pull request never stops the others; a look has no attempts to count, so it comes rarely.
        log.exception("look failed", pull_request=row.pk)
        return _put_off(look, clock.now() + AFTER_A_FAULT, "failed")
    note(row.pk, HistoryKind.LOOK, found, Cause(actor=worker))
    return _delete(look, "done")


def _consider(row: PullRequest, bench: Bench, cause: Cause) -> str:
    place: Place = place_of(row, bench.app, cause)
    functions: list[LookFunction] = [import_string(name) for name in settings.LOOKS]
    found = [function(row, place.client, place.repository_id) for function in functions]
    return "; ".join(words for words in found if words)


def _after_error(look: PullRequestLook, row: PullRequest, error: GithubError, worker: str) -> str:
    if isinstance(error, Throttled):
        throttle_installation(row.installation_id, max(1, ceil(error.wait.total_seconds())))
        return _put_off(look, clock.now() + error.wait, "throttled")
    if isinstance(error, Transient):
        return _put_off(look, clock.now() + SOON, "deferred")
    note(row.pk, HistoryKind.LOOK, f"cannot be looked at: {error}", Cause(actor=worker))
    return _delete(look, "refused")


def _throttled_until(row: PullRequest) -> datetime | None:
    if row.installation_id is None:
        return None
    rows = Installation.objects.filter(installation_id=row.installation_id).order_by("-pk")
    until: datetime | None = rows.values_list("throttled_until", flat=True).first()
    return until


def _move(look: PullRequestLook, due_at: datetime) -> bool:
    """Let a look fall due then, unless anybody has moved it since it was read."""
    whole = due_at.replace(microsecond=0)
    same = PullRequestLook.objects.filter(pk=look.pk, due_at=look.due_at)
    moved = patiently(partial(same.update, due_at=whole))
    look.due_at = whole
    return bool(moved)


def give_back(looks: Sequence[PullRequestLook]) -> None:
    """Let looks that were taken and not begun fall due at once."""
    for look in looks:
        _move(look, clock.now())


def _put_off(look: PullRequestLook, due_at: datetime, word: str) -> str:
    _move(look, due_at)
    return word


def _delete(look: PullRequestLook, word: str) -> str:
    PullRequestLook.objects.filter(pk=look.pk, due_at=look.due_at).delete()
    return word
