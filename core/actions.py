"""Who clicked what: a line in Django's admin log for every act of a person, wherever it was done."""

from __future__ import annotations

from typing import Any

from django.contrib.admin.models import CHANGE, LogEntry

LONGEST_NAME = 200


def note(user: Any, target: str, sentence: str) -> None:
    """Keep that a signed-in user did something to a target: "pass idle", "delivery 7", "octo/tools#12"."""
    LogEntry.objects.create(
        user_id=user.pk,
        action_flag=CHANGE,
        object_repr=target[:LONGEST_NAME],
        change_message=sentence,
    )
