"""Plain arrays: the existing client reads the first one whole, others may go on by the Link header."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from core.api.paths import LARGEST
from core.api.serializers import LenientSerializer
from webhooks.selectors.listings import LONGEST


@dataclass(frozen=True)
class Part:
    """How many rows are wanted, and below which Sequence (None: from the newest on)."""

    limit: int
    before: int | None


class ListQuery(LenientSerializer):
    """Which part of a list; what makes no sense counts as not given."""

    limit = serializers.IntegerField(
        required=False, min_value=1, max_value=LONGEST, help_text=f"Rows, {LONGEST} unless given."
    )
    before = serializers.IntegerField(
        required=False, min_value=1, max_value=LARGEST, help_text="Only rows of a lower Sequence than this."
    )


def part_of(request: Request) -> Part:
    """Return which part of a list the request asks for."""
    asked = ListQuery(data=request.query_params)
    asked.is_valid()
    values = asked.validated_data
    return Part(values["limit"] or LONGEST, values["before"])


def plain_answer(request: Request, items: list[dict[str, Any]], part: Part, *, last: int | None) -> Response:
    """Answer an array; `last` = the lowest Sequence in it. When it is full a Link header leads to what follows."""
    answer = Response(items)
    if last is not None and len(items) == part.limit:
        query = request.query_params.copy()
        query["before"] = str(last)
        url = request.build_absolute_uri(f"{request.path}?{query.urlencode()}")
        answer["Link"] = f'<{url}>; rel="next"'
    return answer
