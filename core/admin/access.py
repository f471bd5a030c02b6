"""Access in the admin: people make and revoke their tokens; the access rules are shown."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django import forms
from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.db.models import Model, QuerySet
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.utils.cache import add_never_cache_headers

from core.access import tokens
from core.access.loading import access_rules
from core.actions import note
from core.admin.base import CappedPaginator, ReadOnlyAdmin
from core.models import ApiAccess, ApiToken

LIFETIMES = [(7, "7 days"), (30, "30 days"), (90, "90 days"), (365, "a year")]


class TokenForm(forms.Form):
    """What a person says of a new token."""

    name = forms.CharField(max_length=100, help_text="What it is for, so that you know it again.")
    lifetime = forms.TypedChoiceField(choices=LIFETIMES, coerce=int, initial=90, label="Expires in")


@admin.register(ApiToken)
class ApiTokenAdmin(admin.ModelAdmin):
    """A person's own tokens; who manages access sees everybody's. Made and revoked, never changed or deleted."""

    paginator = CappedPaginator
    show_full_result_count = False
    list_display = ["name", "prefix", "user", "created_at", "expires_at", "last_used_at", "revoked_at"]
    list_select_related = ["user"]
    ordering = ["-pk"]
    sortable_by = ()
    list_display_links = None
    actions = ["revoke"]

    def get_queryset(self, request: HttpRequest) -> QuerySet[ApiToken]:
        rows = super().get_queryset(request)
        return rows if request.user.has_perm("core.admin") else rows.filter(user_id=request.user.pk)

    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        return super().changelist_view(request, {"title": "API tokens", **(extra_context or {})})

    # Every person who may enter the admin has tokens of their own, with their own rights and no others.
    def has_module_permission(self, request: HttpRequest) -> bool:
        return True

    def has_view_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return True

    def has_add_permission(self, request: HttpRequest) -> bool:
        return True

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def add_view(
        self, request: HttpRequest, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Ask for a name, or make the token and show its key: in this answer and nowhere else.

        So neither a redirect nor a message, which a cookie would carry.
        """
        form = TokenForm(request.POST or None)
        context = {**admin.site.each_context(request), "title": "New API token", "form": form}
        if request.method == "POST" and form.is_valid():
            context |= {"title": "API token made", "made": self._make(request, form)}
        response = TemplateResponse(request, "admin/core/new_token.html", context)
        add_never_cache_headers(response)
        return response

    def _make(self, request: HttpRequest, form: TokenForm) -> tokens.NewToken:
        owner: Any = request.user
        lifetime = timedelta(days=form.cleaned_data["lifetime"])
        made = tokens.make(user=owner, name=form.cleaned_data["name"], lifetime=lifetime)
        self.log_addition(request, made.token, "Made.")
        return made

    @admin.action(description="Revoke the selected tokens")
    def revoke(self, request: HttpRequest, rows: QuerySet[ApiToken]) -> None:
        revoked = [token for token in rows if tokens.revoke(token)]
        for token in revoked:
            note(request.user, f"token {token.name}", "revoked it")
        self.message_user(request, f"{len(revoked)} revoked. Calls with them are refused from now on.")


@admin.register(ApiAccess)
class AccessRulesAdmin(ReadOnlyAdmin):
    """The access rules in force, as this process read them from the file."""

    def has_module_permission(self, request: HttpRequest) -> bool:
        return self.has_view_permission(request)

    def has_view_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return request.user.has_perm("core.admin")

    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        if not self.has_view_permission(request):
            raise PermissionDenied
        context = {**admin.site.each_context(request), "title": "Access rules", "rules": access_rules()}
        return TemplateResponse(request, "admin/core/access_rules.html", context)
