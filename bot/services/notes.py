"""Lines of history about what a handler decided."""

from __future__ import annotations

from webhooks.models import PullRequest
from webhooks.services import history
from webhooks.values import Cause, HistoryKind


def note(pull_request: int, kind: HistoryKind, reason: str, cause: Cause) -> None:
    """Append a line that leaves the row's ProcessingState, which is read for the line alone, as it is."""
    state = (
        PullRequest.objects.filter(pk=pull_request).values_list("processing_state", flat=True).first() or ""
    )
    history.append(pull_request, kind, (state, state), reason=reason, cause=cause)
