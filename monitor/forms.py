"""Filters: what may stand in the query of a list's address."""

from __future__ import annotations

from typing import Any

from django import forms
from django.core.validators import RegexValidator

from idle.values import IdleStatus
from monitor.paging import LARGEST
from monitor.selectors.failures import LOOKS
from monitor.selectors.processing import TABLES
from monitor.values import RepositoryStatus
from webhooks.models.base import NAME_LENGTH, OWNER_LENGTH
from webhooks.values import STATES, DeliveryStatus
from workqueue.models import IDENTITY_LENGTH, TYPE_LENGTH
from workqueue.values import Phase

repository_form = RegexValidator(r"^[^/\s]+/[^/\s]+$", "Write it as owner/name.")


def _choices(any_word: str, values: Any) -> list[tuple[str, str]]:
    return [("", any_word), *((value.value, value.value) for value in values)]


def _repository() -> forms.CharField:
    return forms.CharField(
        required=False,
        max_length=OWNER_LENGTH + NAME_LENGTH + 1,
        validators=[repository_form],
        widget=forms.TextInput(attrs={"placeholder": "owner/name", "spellcheck": "false"}),
    )


class Filter(forms.Form):
    """A filter; `conditions` is what was filled in, None when something of it cannot be.

    `choosing` names fields that say which list it is, and narrow nothing.
    """

    choosing: frozenset[str] = frozenset()

    def __init__(self, query: Any) -> None:
        super().__init__(query, label_suffix="", auto_id="filter_%s")

    @property
    def conditions(self) -> dict[str, Any] | None:
        if not self.is_valid():
            return None
        return {name: value for name, value in self.cleaned_data.items() if value}

    @property
    def is_narrowed(self) -> bool:
        return bool((self.conditions or {}).keys() - self.choosing)


class IdleFilter(Filter):
    status = forms.ChoiceField(
        required=False, choices=_choices("every status", IdleStatus), widget=forms.HiddenInput
    )
    repository = _repository()


class RepositoryFilter(Filter):
    owner = forms.CharField(
        required=False, max_length=OWNER_LENGTH, widget=forms.TextInput(attrs={"spellcheck": "false"})
    )
    name = forms.CharField(
        required=False,
        max_length=NAME_LENGTH,
        label="Part of the name",
        widget=forms.TextInput(attrs={"spellcheck": "false"}),
    )
    status = forms.ChoiceField(
        required=False, choices=_choices("every status", RepositoryStatus), widget=forms.HiddenInput
    )
    installation = forms.IntegerField(
        required=False, min_value=1, max_value=LARGEST, widget=forms.HiddenInput
    )


class DeliveryFilter(Filter):
    status = forms.ChoiceField(required=False, choices=_choices("every status", DeliveryStatus))
    event = forms.CharField(required=False, max_length=50)
    repository = _repository()
    guid = forms.UUIDField(
        required=False, label="GUID", widget=forms.TextInput(attrs={"size": "36", "spellcheck": "false"})
    )


class WorkItemFilter(Filter):
    item_type = forms.CharField(required=False, max_length=TYPE_LENGTH, label="Type")
    about = forms.CharField(
        required=False,
        max_length=IDENTITY_LENGTH,
        label="Repository, branch or number",
        widget=forms.TextInput(attrs={"spellcheck": "false"}),
    )
    least_attempts = forms.IntegerField(
        required=False, min_value=1, max_value=LARGEST, label="Failures in a row, at least"
    )
    status = forms.ChoiceField(
        required=False, choices=_choices("every phase", Phase), widget=forms.HiddenInput
    )


class StateFilter(Filter):
    choosing = frozenset({"state"})

    state = forms.ChoiceField(required=False, choices=_choices("", STATES), widget=forms.HiddenInput)
    repository = _repository()


class RowChoice(Filter):
    """Which of several rows of one address is meant."""

    row = forms.IntegerField(required=False, min_value=1, max_value=LARGEST)


class ActionFilter(Filter):
    user = forms.CharField(required=False, max_length=150, label="Who")


class ReRequestFilter(Filter):
    table = forms.ChoiceField(choices=[(slug, slug) for slug in TABLES])
    state = forms.ChoiceField(choices=_choices("", STATES)[1:])
    repository = _repository()


class ResetFilter(Filter):
    status = forms.ChoiceField(choices=_choices("", IdleStatus)[1:])
    repository = _repository()


class ReplayFilter(Filter):
    event = forms.CharField(required=False, max_length=50)
    repository = _repository()


class FailureFilter(Filter):
    table = forms.ChoiceField(
        required=False, choices=[(name, name) for name in (*TABLES, LOOKS)], widget=forms.HiddenInput
    )
