"""Input that is taken as it is meant or refused with a sentence: unknown fields are refused."""

from __future__ import annotations

from typing import Any, TypeVar

from django.http import QueryDict
from rest_framework import serializers
from rest_framework.request import Request

# The type that JSON has for a field's values, and its word. DRF would take "5" for 5, 1 for true and 5 for "5".
JSON_TYPES: tuple[tuple[type[serializers.Field], type, str], ...] = (
    (serializers.BooleanField, bool, "true or false"),
    (serializers.IntegerField, int, "a whole number"),
    (serializers.CharField, str, "text"),
)


class StrictSerializer(serializers.Serializer):
    """Input of this product's own endpoints: a field that is not listed is an error, never ignored.

    JSON must have the very type that the schema says; a query string has nothing but text, which is read as meant.
    """

    def to_internal_value(self, data: Any) -> Any:
        if hasattr(data, "keys"):
            unknown = sorted(str(name) for name in set(data.keys()) - set(self.fields))
            if unknown:
                raise serializers.ValidationError({name: ["There is no such field."] for name in unknown})
        if isinstance(data, dict) and not isinstance(data, QueryDict):
            self._refuse_other_types(data)
        return super().to_internal_value(data)

    def _refuse_other_types(self, data: dict[str, Any]) -> None:
        words = {name: _word_if_wrong(field, data.get(name)) for name, field in self.fields.items()}
        wrong = {name: [f"This must be {word}."] for name, word in words.items() if word}
        if wrong:
            raise serializers.ValidationError(wrong)


def _word_if_wrong(field: serializers.Field, value: Any) -> str:
    """Return what the value of a field should be, "" when it is that, or is null or missing."""
    expected = next(((kind, word) for known, kind, word in JSON_TYPES if isinstance(field, known)), None)
    if expected is None or value is None:
        return ""
    kind, word = expected
    right = isinstance(value, kind) and (kind is bool or not isinstance(value, bool))
    return "" if right else word


class LenientSerializer(serializers.Serializer):
    """Input of the existing client: what is not known is ignored, what is senseless counts as not given."""

    def to_internal_value(self, data: Any) -> Any:
        given = data if hasattr(data, "get") else {}
        values = {}
        for name, field in self.fields.items():
            try:
                values[name] = field.run_validation(given.get(name))
            except serializers.ValidationError:
                values[name] = None
        return values


S = TypeVar("S", bound=serializers.Serializer)


def read_input(request: Request, serializer: type[S]) -> dict[str, Any]:
    """Return the validated body; raises ValidationError (400) with a sentence for each field."""
    checked = serializer(data=request.data)
    checked.is_valid(raise_exception=True)
    return dict(checked.validated_data)


def read_query(request: Request, serializer: type[S]) -> dict[str, Any]:
    """Return the validated query parameters; raises ValidationError (400) as read_input does."""
    # DRF takes an empty value in a query string for one that was not given.
    empty = [name for name, value in request.query_params.items() if not value]
    if empty and issubclass(serializer, StrictSerializer):
        raise serializers.ValidationError({name: ["This must not be empty."] for name in empty})
    checked = serializer(data=request.query_params)
    checked.is_valid(raise_exception=True)
    return dict(checked.validated_data)


class NoInput(StrictSerializer):
    """The body of a call that takes none: nothing, or an empty object."""
