"""Looks: a pull request is considered again soon, without becoming pending and without losing its idle time."""

from __future__ import annotations

from collections.abc import Iterable

from django.db.models import Q

from core.functions import SecondsFromNow
from webhooks.models import PullRequest, PullRequestLook
from webhooks.values import OpenState

# Checks end in bunches: one look a while after the first of them sees most of the bunch.
DELAY = 30


def ask(pull_requests: Iterable[int]) -> int:
    """Ask for a look at each of these rows (Sequences), unless one waits already; returns how many rows were named.

    One that is being taken right now, was put off or given up on, waits no longer than a new one, and its attempts
    count from 0 again: the check that asks may have ended after it was taken.
    """
    wanted = [PullRequestLook(pull_request_sequence=pk, due_at=SecondsFromNow(DELAY)) for pk in pull_requests]
    PullRequestLook.objects.bulk_create(wanted, ignore_conflicts=True)
    later = PullRequestLook.objects.filter(Q(due_at__gt=SecondsFromNow(DELAY)) | Q(failed_date__isnull=False))
    later.filter(pull_request_sequence__in=[look.pull_request_sequence for look in wanted]).update(
        due_at=SecondsFromNow(DELAY), attempts=0, error=None, failed_date=None
    )
    return len(wanted)


def drop(pull_request: int) -> None:
    """Forget the look at that row (its Sequence): nobody needs to look at a closed one."""
    PullRequestLook.objects.filter(pull_request_sequence=pull_request).delete()


def ask_for_head(repository_id: int, head_sha: str) -> int:
    """Ask for a look at the open pull requests of that head; a fork's check names none, so the sha decides."""
    rows = PullRequest.objects.filter(repository_id=repository_id, head_sha=head_sha, state=OpenState.OPEN)
    return ask(rows.order_by("pk").values_list("pk", flat=True))
