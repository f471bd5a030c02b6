"""Counts and lists of pending and claimed rows, in the shapes that the existing dashboard reads."""

from __future__ import annotations

from functools import partial

from drf_spectacular.utils import extend_schema, extend_schema_view
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from core.api.describing import describe
from core.api.endpoints import ExistingClientEndpoint
from core.api.existing_client import client_date, zone_of
from webhooks.api.plain_lists import ListQuery, part_of, plain_answer
from webhooks.api.shapes import Entity, item_schema
from webhooks.models import CLAIMED
from webhooks.selectors import counts, listings
from webhooks.values import STATES

TABLES = [model._meta.db_table for model in CLAIMED]
TableCounts = type(
    "TableCounts", (serializers.Serializer,), {table: serializers.IntegerField() for table in TABLES}
)
StateCounts = type("StateCounts", (serializers.Serializer,), {state.value: TableCounts() for state in STATES})


class ProcessingStates(ExistingClientEndpoint):
    """How many rows of each table are in each state."""

    @describe("Rows by ProcessingState and table", answer=StateCounts)
    def get(self, request: Request) -> Response:
        return Response(counts.matrix())


def processing_list(entity: Entity) -> type[ExistingClientEndpoint]:
    """Return the endpoint that lists the pending and claimed rows of a table."""

    class ProcessingList(ExistingClientEndpoint):
        """The rows of one table that wait for a worker or are being worked on."""

        @describe(
            f"The {entity.title} that are pending or claimed, newest first",
            answer=item_schema(entity)(many=True),
            query=ListQuery,
        )
        def get(self, request: Request) -> Response:
            return _answer(request, entity)

    return ProcessingList


def same_under_another_path(view: type[ExistingClientEndpoint], name: str) -> type[ExistingClientEndpoint]:
    """Return the endpoint once more, with a name of its own in the description of the API."""
    copy = type(view.__name__, (view,), {})
    return extend_schema_view(get=extend_schema(operation_id=name))(copy)


def _answer(request: Request, entity: Entity) -> Response:
    part, date = part_of(request), partial(client_date, zone=zone_of(request))
    rows = listings.processing(entity.model, entity.columns, limit=part.limit, before=part.before)
    last = rows[-1][0] if rows else None
    return plain_answer(request, entity.items(rows, date), part, last=last)
