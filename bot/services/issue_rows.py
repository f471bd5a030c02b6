"""Writing an issue's state."""

from __future__ import annotations

from core.functions import CurrentTimestamp
from webhooks.models import Issue
from webhooks.values import OpenState


def set_state(row: Issue, state: OpenState, reason: str) -> str:
    """Let the row say what GitHub says, unless an Event changed it since it was claimed; returns the reason."""
    same = Issue.objects.filter(pk=row.pk, state=row.state, github_updated_at=row.github_updated_at)
    if row.state != state and same.update(state=state, updated_at=CurrentTimestamp()):
        return f"{reason}: now {state.value}"
    return reason
