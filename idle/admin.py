"""The idle line, to read and to start somebody's retries afresh."""

from __future__ import annotations

from typing import Any

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest

from core.actions import note
from core.admin import ReadOnlyAdmin
from idle.models import IdlePullRequest
from idle.services import reset

MOST_RESET = 100


@admin.register(IdlePullRequest)
class IdlePullRequestAdmin(ReadOnlyAdmin):
    """Its rows are a view's; the reset is asked for by Django's permission to change them."""

    actions = ["reset_retries"]
    list_display = ["__str__", "idle_status", "idle_retry_count", "next_retry_at", "updated_at"]
    list_filter = ["idle_status"]
    search_fields = ["repository_owner__exact"]
    search_help_text = "A repository's owner."

    def has_reset_permission(self, request: HttpRequest) -> bool:
        return bool(request.user.has_perm("idle.change_idlepullrequest"))

    @admin.action(description="Count the Idle Retries of the selected from 0 again", permissions=["reset"])
    def reset_retries(self, request: HttpRequest, rows: QuerySet[Any]) -> None:
        sequences = list(rows.order_by("pk").values_list("pk", flat=True)[: MOST_RESET + 1])
        if len(sequences) > MOST_RESET:
            sentence = f"Choose at most {MOST_RESET} at a time, or use the page Bulk; nothing was done."
            self.message_user(request, sentence, messages.ERROR)
            return
        for sequence in sequences:
            reset(sequence, actor=request.user.get_username())
        note(request.user, f"{len(sequences)} Idle Pull Requests", "counted their retries from 0 again")
        self.message_user(request, f"Reset: {len(sequences)}.", messages.SUCCESS)
