"""A submission over REST: shapes, sizes and all that can be judged without the database."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from core.api.serializers import StrictSerializer
from submissions.decisions.actions import faults_of
from submissions.decisions.paths import branch_fault
from submissions.values import MODES, Change, Encoding, FileAction, Method

LONGEST_TITLE = 250
LONGEST_BODY = 60_000
LONGEST_MESSAGE = 60_000
LONGEST_LABEL = 50
MOST_LABELS = 50
FULL_NAME = r"^[A-Za-z0-9][A-Za-z0-9_-]{0,99}/[A-Za-z0-9._-]{1,100}$"


class FileActionInput(StrictSerializer):
    """One change of one file."""

    action = serializers.ChoiceField(choices=[each.value for each in Change])
    path = serializers.CharField(max_length=1024, trim_whitespace=False)
    previous_path = serializers.CharField(
        max_length=1024, trim_whitespace=False, default="", help_text="Where a moved file is now."
    )
    content = serializers.CharField(
        trim_whitespace=False, allow_blank=True, allow_null=True, default=None, help_text="None for a delete."
    )
    encoding = serializers.ChoiceField(choices=[each.value for each in Encoding], default=Encoding.TEXT.value)
    mode = serializers.ChoiceField(
        choices=list(MODES), default="", help_text="Left out: as it is, 100644 for a new file."
    )


class OptionsInput(StrictSerializer):
    """What else is to happen with the pull request."""

    merge_when_ready = serializers.BooleanField(
        default=False, help_text="Merge it as soon as GitHub says that it can and every check has passed."
    )
    merge_method = serializers.ChoiceField(
        choices=[each.value for each in Method], default=Method.SQUASH.value
    )
    ci_retry = serializers.BooleanField(
        default=True, help_text="Start failed jobs again when their runners failed and not what they test."
    )
    draft = serializers.BooleanField(default=False)


class SubmissionInput(StrictSerializer):
    """The desired state of one pull request, whole; sent again it replaces what was sent before."""

    repository = serializers.RegexField(FULL_NAME, help_text="owner/name")
    head_branch = serializers.CharField(max_length=244, trim_whitespace=False)
    base_branch = serializers.CharField(max_length=244, trim_whitespace=False)
    title = serializers.CharField(max_length=LONGEST_TITLE)
    body = serializers.CharField(max_length=LONGEST_BODY, allow_blank=True, default="")
    labels = serializers.ListField(
        child=serializers.CharField(max_length=LONGEST_LABEL), max_length=MOST_LABELS, default=list
    )
    commit_message = serializers.CharField(max_length=LONGEST_MESSAGE)
    file_actions = FileActionInput(many=True, allow_empty=False)
    options = OptionsInput(default=dict)

    def validate_head_branch(self, name: str) -> str:
        return _branch(name)

    def validate_base_branch(self, name: str) -> str:
        return _branch(name)

    def validate_title(self, title: str) -> str:
        """A title is one line."""
        return " ".join(title.split())

    def validate_file_actions(self, listed: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """Name every action that makes no sense by its position."""
        if faults := faults_of([FileAction(**_typed(each)) for each in listed]):
            raise serializers.ValidationError([f"Action {place}: {fault}" for place, fault in faults.items()])
        return listed

    def validate(self, data: dict[str, Any]) -> dict[str, Any]:
        if data["head_branch"] == data["base_branch"]:
            raise serializers.ValidationError(
                {"head_branch": ["A pull request leads from one branch to another."]}
            )
        return data | {"options": _with_defaults(data["options"])}


def _branch(name: str) -> str:
    if fault := branch_fault(name):
        raise serializers.ValidationError(fault)
    return name


def _typed(action: dict[str, Any]) -> dict[str, Any]:
    return {**action, "action": Change(action["action"]), "encoding": Encoding(action["encoding"])}


def _with_defaults(options: dict[str, Any]) -> dict[str, Any]:
    """Options that are left out altogether are those of an empty object."""
    checked = OptionsInput(data=options)
    checked.is_valid(raise_exception=True)
    return dict(checked.validated_data)
