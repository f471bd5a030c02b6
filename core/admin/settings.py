"""Settings, typed and validated; the records of passes."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import admin
from django.db.models import Model, QuerySet
from django.forms import ModelForm
from django.http import HttpRequest

from core import registry
from core.admin.base import ReadOnlyAdmin
from core.functions import CurrentTimestamp
from core.models import PassRun, Setting


class SettingForm(forms.ModelForm):
    """Takes what the Setting's spec takes; blank means the default."""

    class Meta:
        model = Setting
        fields = ["value"]
        widgets = {"value": forms.TextInput(attrs={"size": 60, "spellcheck": "false"})}

    def clean_value(self) -> str | None:
        text: str = (self.cleaned_data["value"] or "").strip()
        if not text:
            return None
        _, problem = registry.read(registry.SPECS[self.instance.name], text)
        if problem:
            raise forms.ValidationError(problem)
        return text


@admin.register(Setting)
class SettingAdmin(admin.ModelAdmin):
    """Settings of ours can be changed, never added or deleted: `manage.py prepare` sees to the rows.

    Rows of other programs, which no spec of ours names, are shown and never touched.
    """

    form = SettingForm
    list_display = ["name", "in_force", "kind", "default", "note"]
    search_fields = ["name"]
    fields = ["name", "about", "value", "kind", "default", "in_force", "note", "updated_at"]
    readonly_fields = ["name", "kind", "default", "in_force", "note", "about", "updated_at"]
    actions = None

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Setting | None = None) -> bool:
        ours = obj is None or obj.name in registry.SPECS
        return ours and super().has_change_permission(request, obj)

    def save_model(
        self,
        request: HttpRequest,
        obj: Setting,
        form: ModelForm,
        change: bool,  # noqa: FBT001 -- Django's signature
    ) -> None:
        Setting.objects.filter(pk=obj.pk).update(value=obj.value, updated_at=CurrentTimestamp())

    # Django stores a text as it is; its type only knows the list of changed fields.
    def construct_change_message(  # type: ignore[override]
        self,
        request: HttpRequest,
        form: Any,
        formsets: Any,
        add: bool = False,  # noqa: FBT001, FBT002 -- Django's signature
    ) -> str:
        """Say in the history which value made way for which."""
        before, after = form.initial["value"], form.cleaned_data["value"]
        return "Saved unchanged." if before == after else f"{before or 'default'} → {after or 'default'}"

    @admin.display(description="in force")
    def in_force(self, setting: Setting) -> str | None:
        spec = registry.SPECS.get(setting.name)
        return spec.show(registry.read(spec, setting.value)[0]) if spec else setting.value

    @admin.display
    def kind(self, setting: Setting) -> str:
        spec = registry.SPECS.get(setting.name)
        return spec.kind if spec else "not known here"

    @admin.display
    def default(self, setting: Setting) -> str:
        spec = registry.SPECS.get(setting.name)
        return spec.show(spec.default) if spec else ""

    @admin.display
    def note(self, setting: Setting) -> str:
        spec = registry.SPECS.get(setting.name)
        if spec is None:
            return "another program's: read-only here"
        problem = registry.read(spec, setting.value)[1]
        if problem:
            return f"refused, the default is used: {problem}"
        return "default" if setting.value is None else "set here"

    @admin.display(description="description")
    def about(self, setting: Setting) -> str:
        spec = registry.SPECS.get(setting.name)
        return spec.description if spec else setting.description


@admin.register(PassRun)
class PassRunAdmin(ReadOnlyAdmin):
    list_display = ["sequence", "name", "started_at", "finished_at", "outcome", "counters", "forced", "actor"]
    list_filter = ["outcome", "forced"]
    search_fields = ["name__exact"]
    search_help_text = "The name of a pass."

    def get_queryset(self, request: HttpRequest) -> QuerySet[PassRun]:
        return super().get_queryset(request).defer("error")
