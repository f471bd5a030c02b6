"""What callers do over the API, kept where people look."""

from __future__ import annotations

from rest_framework.request import Request

from core import actions
from core.api.endpoints import identity_of


def note_act(request: Request, target: str, sentence: str) -> None:
    """Keep an act among those that the page Actions lists, with the name by which its caller was known."""
    actions.note_call(request.user, identity_of(request).name, target, sentence)
