"""What follows the closing of a pull request: once for each closing, the repository's next one gets its turn."""

from __future__ import annotations

from datetime import datetime
from functools import partial

from django.db.models import F, Q

from bot import setting_specs
from bot.services import notices
from bot.services.reach import Place
from core import bell
from core.functions import CurrentTimestamp
from core.registry import Effective
from core.transactions import patiently
from githubapi.values import PullRequestDetail
from webhooks.models import PullRequest
from webhooks.selectors import FAILED
from webhooks.services import history, looks
from webhooks.services.pending import BOT_BELL, pending_columns
from webhooks.values import Cause, HistoryKind, OpenState, ProcessingState

# How many in line are tried while Events take away one after the other.
TRIES = 20
HANDLED_BEFORE = "what follows was done before"


def finish_closed(
    row: PullRequest, detail: PullRequestDetail, place: Place, settings: Effective, cause: Cause
) -> str:
    """Clean up after a closed pull request and return what was done, in words; raises GithubError."""
    how = "merged" if row.merged else "closed"
    notices.withdraw_unread(row, f"the pull request was {how}", cause)
    looks.drop(row.pk)
    woken = wake_next(row, detail.facts.closed_at or detail.facts.updated_at, cause)
    labels = _remove_labels(detail, place, settings)
    return "; ".join(filter(None, [f"{how} on GitHub", woken, labels]))


def wake_next(row: PullRequest, closed_at: datetime, cause: Cause) -> str:
    """Make the repository's next pull request pending, once for each closing; returns what happened, in words."""
    return patiently(partial(_wake_once, row, closed_at, cause))


def _wake_once(row: PullRequest, closed_at: datetime, cause: Cause) -> str:
    # Told apart by GitHub's own date of the closing, so that a reopened one gets its second closing handled, too.
    unhandled = Q(closed_handled_date=None) | Q(closed_handled_date__lt=closed_at)
    closed = PullRequest.objects.filter(unhandled, pk=row.pk, state=OpenState.CLOSED)
    if not closed.update(closed_handled_date=closed_at, updated_at=F("updated_at")):
        return HANDLED_BEFORE
    for pk, number in _line(row):
        if _wake(pk, row, cause):
            return f"next in line: #{number}"
    return "nobody is next in line"


def _line(row: PullRequest) -> list[tuple[int, int]]:
    """Return (Sequence, number) of the repository's candidates, the next one first.

    Who waits for an automatic merge is closest to its end; of the others, the longest not processed comes first.
    """
    candidates = PullRequest.objects.filter(_RESTING, repository_key=row.repository_key).exclude(pk=row.pk)
    ordered = candidates.order_by(
        "-auto_merge_enabled", F("processed_date").asc(nulls_first=True), "number", "pk"
    )
    return list(ordered.values_list("pk", "number")[:TRIES])


# Open, not pending, claimed by nobody, not failed.
_RESTING = Q(~FAILED, state=OpenState.OPEN, processing_state=ProcessingState.PROCESSED)


def _wake(pk: int, closed: PullRequest, cause: Cause) -> bool:
    columns = pending_columns(ProcessingState.RE_REQUESTED)
    # An Idle Retry's count starts afresh, as after any Event (B1.31).
    columns |= {"idle_retry_count": 0, "updated_at": CurrentTimestamp()}
    if not PullRequest.objects.filter(_RESTING, pk=pk).update(**columns):
        return False
    states = (ProcessingState.PROCESSED, ProcessingState.RE_REQUESTED)
    history.append(
        pk, HistoryKind.RE_REQUEST, states, reason=f"next in line after #{closed.number}", cause=cause
    )
    bell.ring(BOT_BELL)
    return True


def _remove_labels(detail: PullRequestDetail, place: Place, settings: Effective) -> str:
    words: str = settings[setting_specs.OWN_LABELS]
    own = {name.strip().lower() for name in words.split(",")} - {""}
    found = [label for label in detail.labels if label.lower() in own]
    is_dry: bool = settings[setting_specs.DRY_RUN]
    if found and is_dry:
        return f"dry run: would remove {', '.join(found)}"
    removed = [
        label for label in found if place.client.remove_label(place.repository_id, detail.facts.number, label)
    ]
    return f"removed {', '.join(removed)}" if removed else ""
