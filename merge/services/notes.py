"""Lines of history about merging."""

from __future__ import annotations

from core.version import STAMP
from merge.values import Verdict
from webhooks.models import PullRequest
from webhooks.services import history
from webhooks.values import NO_CAUSE, Cause, HistoryKind


def note_verdict(repository_id: int, number: int, verdict: Verdict) -> None:
    """Append a verdict to the pull request's history; one without a row has no history yet."""
    rows = PullRequest.objects.filter(repository_id=repository_id, number=number).order_by("-pk")
    for sequence in rows.values_list("pk", flat=True)[:1]:
        note(sequence, f"{verdict.standing}: {verdict.sentence}", Cause(actor=STAMP))


def note(pull_request: int, reason: str, cause: Cause = NO_CAUSE) -> None:
    """Append a line about merging that leaves the row's ProcessingState as it is."""
    rows = PullRequest.objects.filter(pk=pull_request).values_list("processing_state", flat=True)
    state = rows.first() or ""
    history.append(pull_request, HistoryKind.MERGE_VERDICT, (state, state), reason=reason, cause=cause)
