"""Pages: by Sequence, stable while rows come and go (field case F37), and by number where the order itself moves."""

from __future__ import annotations

import re
from typing import Any

from django.db.models import Model, QuerySet
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.pagination import Cursor, CursorPagination
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.utils.urls import replace_query_param
from rest_framework.views import APIView

from core.api.serializers import StrictSerializer

PAGE = 50
MOST_ROWS = 200
# Of the row beyond which the page goes on: its Sequence; r = backwards.
CURSOR = re.compile("^(r?)([0-9]{1,18})$")


class KeysetQuery(StrictSerializer):
    """The query parameters of a page by Sequence; endpoints with filters extend it."""

    cursor = serializers.RegexField(CURSOR, required=False, help_text="From `next` or `previous`.")
    limit = serializers.IntegerField(
        required=False, min_value=1, max_value=MOST_ROWS, help_text=f"Rows a page, {PAGE} unless given."
    )


class SequencePages(CursorPagination):
    """`{next, previous, results}`, newest first. O(page) at any depth; a row is on exactly one page."""

    ordering = "-sequence"
    page_size = PAGE
    page_size_query_param = "limit"
    max_page_size = MOST_ROWS

    def decode_cursor(self, request: Request) -> Cursor | None:
        text = request.query_params.get(self.cursor_query_param)
        if text is None:
            return None
        found = CURSOR.fullmatch(text)
        if found is None:
            raise ValidationError({"cursor": ["The cursor was cut or altered."]})
        position: Any = found[2]  # the stubs say int, DRF compares with what filter() takes
        return Cursor(offset=0, reverse=bool(found[1]), position=position)

    def encode_cursor(self, cursor: Cursor) -> str:
        """Return the page's address. A Sequence is unique, so that no cursor ever needs an offset."""
        text = f"{'r' if cursor.reverse else ''}{cursor.position}"
        return replace_query_param(self.base_url or "", self.cursor_query_param, text)


def page_answer(
    view: APIView,
    request: Request,
    rows: QuerySet[Any],
    serializer: type[serializers.BaseSerializer],
    *,
    pages: type[SequencePages] = SequencePages,
) -> Response:
    """Answer a page of rows by Sequence."""
    paginator = pages()
    page: list[Model] | None = paginator.paginate_queryset(rows, request, view)
    return paginator.get_paginated_response(serializer(page, many=True).data)


class NumberQuery(StrictSerializer):
    """The query parameters of a page by number; endpoints with filters extend it."""

    page = serializers.IntegerField(required=False, min_value=1, max_value=100_000, default=1)
    limit = serializers.IntegerField(required=False, min_value=1, max_value=MOST_ROWS, default=PAGE)


def page_schema(item: type[serializers.Serializer]) -> serializers.Serializer:
    """Return the serializer of `{next, previous, results: [item]}`, for the schema."""
    from drf_spectacular.utils import inline_serializer

    name = item.__name__.removesuffix("Item")
    return inline_serializer(
        f"{name}Page",
        {
            "next": serializers.URLField(allow_null=True, help_text="The next page, null on the last."),
            "previous": serializers.URLField(allow_null=True),
            "results": item(many=True),
        },
    )
