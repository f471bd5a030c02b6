"""Event tables, Deliveries and history: to read, and to send on their way again."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any

from django.contrib import admin, messages
from django.contrib.auth import get_permission_codename
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.text import Truncator

from core.actions import note
from core.admin import ReadOnlyAdmin
from webhooks import models
from webhooks.services import pending, receiving

# One press makes at most so many rows pending, or replays so many Deliveries within the request.
MOST_RE_REQUESTED = 1_000
MOST_REPLAYED = 50
SHORT = 120

STATE_COLUMNS = ("processing_state", "processing_attempts", "updated_at")


class WriterAdmin(ReadOnlyAdmin):
    """A read-only admin whose actions ask for Django's change permission of the table."""

    def may_change(self, request: HttpRequest) -> bool:
        codename = get_permission_codename("change", self.opts)
        return bool(request.user.has_perm(f"{self.opts.app_label}.{codename}"))

    def chosen(self, request: HttpRequest, rows: QuerySet[Any], most: int) -> list[int]:
        """Return the keys of the chosen rows, or tell the person that they are too many and return none."""
        keys = list(rows.order_by("pk").values_list("pk", flat=True)[: most + 1])
        if len(keys) <= most:
            return keys
        self.message_user(
            request, f"Choose at most {most:,} rows at a time; nothing was done.", messages.ERROR
        )
        return []


class EventRowAdmin(WriterAdmin):
    """One of the eight tables that are claimed."""

    actions = ["re_request"]
    list_filter = ["processing_state"]

    has_re_request_permission = WriterAdmin.may_change

    @admin.display(description="title")
    def short_title(self, row: Any) -> str:
        """A title may have thousands of characters; a line of a list has no room for them."""
        return Truncator(row.title).chars(SHORT)

    @admin.action(description="Re-request the selected rows", permissions=["re_request"])
    def re_request(self, request: HttpRequest, rows: QuerySet[Any]) -> None:
        if sequences := self.chosen(request, rows, MOST_RE_REQUESTED):
            done = pending.re_request(self.model, sequences, actor=request.user.get_username())
            note(request.user, f"{done:,} of {self.opts.db_table}", "re-requested them")
            self.message_user(request, f"Re-requested: {done:,}.", messages.SUCCESS)


@admin.register(models.PullRequest)
class PullRequestAdmin(EventRowAdmin):
    list_display = ["__str__", "short_title", "state", "idle_retry_count", *STATE_COLUMNS]
    list_filter = ["processing_state", "state"]
    search_fields = ["repository_owner__exact", "node_id__exact"]
    search_help_text = "A repository's owner, or a node id."


@admin.register(models.Issue)
class IssueAdmin(EventRowAdmin):
    list_display = ["__str__", "short_title", "state", *STATE_COLUMNS]
    list_filter = ["processing_state", "state"]
    search_fields = ["repository_owner__exact", "node_id__exact"]
    search_help_text = "A repository's owner, or a node id."


@admin.register(models.Comment)
class CommentAdmin(EventRowAdmin):
    list_display = ["__str__", "comment_sender", *STATE_COLUMNS]
    search_fields = ["repository_owner__exact"]
    search_help_text = "A repository's owner."


@admin.register(models.Branch)
class BranchAdmin(EventRowAdmin):
    list_display = ["__str__", "ref_type", "event", *STATE_COLUMNS]
    search_fields = ["repository_owner__exact"]
    search_help_text = "A repository's owner."


@admin.register(models.Push)
class PushAdmin(EventRowAdmin):
    list_display = ["__str__", "head_commit_id", *STATE_COLUMNS]
    search_fields = ["repository_owner__exact", "head_commit_id__exact"]
    search_help_text = "A repository's owner, or a whole commit id."


@admin.register(models.Repository)
class RepositoryAdmin(EventRowAdmin):
    list_display = [
        "full_name",
        "last_action",
        "installation_action",
        "archived",
        "last_sync_date",
        *STATE_COLUMNS,
    ]
    search_fields = ["owner_login__exact"]
    search_help_text = "A repository's owner."


@admin.register(models.Installation)
class InstallationAdmin(EventRowAdmin):
    list_display = ["__str__", "status", "suspended_date", "last_sync_date", *STATE_COLUMNS]


@admin.register(models.User)
class UserAdmin(EventRowAdmin):
    list_display = ["login", "full_name", *STATE_COLUMNS]
    # A secret of the existing bot's.
    exclude = ["token"]


@admin.register(models.Delivery)
class DeliveryAdmin(WriterAdmin):
    actions = ["replay"]
    list_display = ["guid", "event", "action", "status", "repository_owner", "repository_name", "received_at"]
    list_filter = ["status"]
    search_fields = ["guid__exact"]
    search_help_text = "A whole GUID."
    # Compressed bytes; /deliveries/ shows them as text.
    exclude = ["body"]

    has_replay_permission = WriterAdmin.may_change

    def get_queryset(self, request: HttpRequest) -> QuerySet[models.Delivery]:
        return super().get_queryset(request).defer("body")

    @admin.action(description="Replay the selected deliveries", permissions=["replay"])
    def replay(self, request: HttpRequest, rows: QuerySet[models.Delivery]) -> None:
        for sequence in self.chosen(request, rows, MOST_REPLAYED):
            receipt = receiving.replay(sequence)
            note(request.user, f"delivery {sequence}", f"replayed it: {receipt.word}")
            level = messages.SUCCESS if receipt.http_status < HTTPStatus.BAD_REQUEST else messages.ERROR
            self.message_user(request, f"Delivery {sequence}: {receipt.word}. {receipt.sentence}", level)


@admin.register(models.Rejection)
class RejectionAdmin(ReadOnlyAdmin):
    list_display = ["hour", "reason", "hook_id", "hits", "last_seen"]


@admin.register(models.PullRequestHistory)
class PullRequestHistoryAdmin(ReadOnlyAdmin):
    list_display = ["at", "pull_request_sequence", "kind", "from_state", "to_state", "actor", "reason"]
    search_fields = ["pull_request_sequence__exact"]
    search_help_text = "The Sequence of a pull request."
