"""Input that is taken as it is meant or refused with a sentence: unknown fields are refused."""

from __future__ import annotations

from typing import Any, TypeVar

from rest_framework import serializers
from rest_framework.request import Request


class StrictSerializer(serializers.Serializer):
    """Input of this product's own endpoints: a field that is not listed is an error, never ignored."""

    def to_internal_value(self, data: Any) -> Any:
        if hasattr(data, "keys"):
            unknown = sorted(str(name) for name in set(data.keys()) - set(self.fields))
            if unknown:
                raise serializers.ValidationError({name: ["There is no such field."] for name in unknown})
        return super().to_internal_value(data)


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
    checked = serializer(data=request.query_params)
    checked.is_valid(raise_exception=True)
    return dict(checked.validated_data)


class NoInput(StrictSerializer):
    """The body of a call that takes none: nothing, or an empty object."""
