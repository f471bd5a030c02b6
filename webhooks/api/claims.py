"""Claims of external workers: taken, finished, failed, and rows put back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from core.access.values import Permission
from core.api.acts import note_act
from core.api.describing import describe
from core.api.endpoints import Endpoint, identity_of
from core.api.problems import conflict, not_found
from core.api.serializers import NoInput, StrictSerializer, read_input
from webhooks.api.shapes import Entity
from webhooks.claim_rules import BATCH
from webhooks.models.base import VERSION_LENGTH
from webhooks.services import outside_workers
from webhooks.services.claims import Claim
from webhooks.values import ProcessingState

MOST_ROWS = 100
CONFLICT = {
    409: "The claim is over: the row was asked for again, or another worker holds it. Nothing was written."
}


FINISHED = {
    "sequence": 4711,
    "processing_state": ProcessingState.PROCESSED.value,
    "attempts": 0,
    "not_before": None,
    "error": None,
}
FAILED_ONCE = {
    "sequence": 4711,
    "processing_state": ProcessingState.UPDATED.value,
    "attempts": 1,
    "not_before": "2026-03-04T09:01:00Z",
    "error": "The build machine has no disk left.",
}


class ClaimInput(StrictSerializer):
    limit = serializers.IntegerField(min_value=1, max_value=MOST_ROWS, default=BATCH)
    worker = serializers.RegexField(
        r"^[!-~]([ -~]*[!-~])?\Z",
        max_length=VERSION_LENGTH,
        trim_whitespace=False,
        help_text="The worker's name and version, in ASCII; it becomes GstracciniBotVersion.",
    )


class Ending(StrictSerializer):
    claim_token = serializers.RegexField(
        r"^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\Z",
        trim_whitespace=False,
        help_text="As the claim gave it.",
    )


class FinishInput(Ending):
    reason = serializers.RegexField(
        r"^[^\x00]*\Z",
        max_length=1000,
        default="",
        allow_blank=True,
        trim_whitespace=False,
        help_text="What was done, for the history.",
    )


class FailureInput(Ending):
    reason = serializers.RegexField(
        r"^[^\x00]*[^\x00- ][^\x00]*\Z",
        max_length=8000,
        trim_whitespace=False,
        help_text="What went wrong, for people.",
    )
    permanent = serializers.BooleanField(default=False, help_text="True: trying again cannot help.")


class RowState(serializers.Serializer):
    """What became of the row."""

    sequence = serializers.IntegerField(source="pk")
    processing_state = serializers.CharField()
    attempts = serializers.IntegerField(
        source="processing_attempts", help_text="Failed or running attempts since the row became pending."
    )
    not_before = serializers.DateTimeField(
        allow_null=True, help_text="The earliest next claim, if it must wait."
    )
    error = serializers.CharField(source="processing_error", allow_null=True)


def claim_answer(entity: Entity) -> type[serializers.Serializer]:
    """Return the serializer class of what a claim got."""
    members = entity.schema() | {"claimed_at": serializers.DateTimeField()}
    row = type(f"{entity.name}ClaimedRow", (serializers.Serializer,), members)
    got = {
        "claim_token": serializers.CharField(allow_null=True, help_text="Null: nothing to do."),
        "rows": row(many=True),
    }
    return type(f"{entity.name}Claim", (serializers.Serializer,), got)


def claim_rows(entity: Entity) -> type[Endpoint]:
    """Return the endpoint that claims rows of a table."""

    class ClaimRows(Endpoint):
        """A claim holds its rows for an hour. `claim_token` proves it later; nobody else gets the rows meanwhile."""

        permissions = {"POST": Permission.PROCESS}

        @describe(
            f"Claim {entity.title}, those that waited longest first",
            answer=claim_answer(entity),
            body=ClaimInput,
        )
        def post(self, request: Request) -> Response:
            given = read_input(request, ClaimInput)
            batch = outside_workers.take(entity.model, worker=given["worker"], limit=given["limit"])
            rows = [claimed_row(entity, claim) for claim in batch.claims]
            return Response({"claim_token": batch.token if rows else None, "rows": rows})

    return ClaimRows


def claimed_row(entity: Entity, claim: Claim) -> dict[str, Any]:
    """Return a claimed row as the claim left it. Names are as GitHub has them: a program reads this, no page."""
    values = {column: getattr(claim.row, column) for column in entity.columns} | {
        "pk": claim.row.pk,
        "processing_state": ProcessingState.PROCESSING,
        "processing_date": claim.at,
        "gstraccini_bot_version": claim.worker,
    }
    return entity.item(values, lambda at: at) | {"claimed_at": claim.at}


def finish_row(entity: Entity) -> type[Endpoint]:
    """Return the endpoint that ends a claim: the work is done."""

    class FinishRow(Endpoint):
        """A row that was asked for again during the work is not touched: it will be claimed anew."""

        permissions = {"POST": Permission.PROCESS}

        @describe(
            "The work on a claimed row is done",
            answer=RowState,
            body=FinishInput,
            example=FINISHED,
            fails=CONFLICT,
        )
        def post(self, request: Request, sequence: int) -> Response:
            given = read_input(request, FinishInput)
            return _ended(
                entity,
                sequence,
                lambda: outside_workers.finish(
                    entity.model, sequence, token=given["claim_token"], reason=given["reason"]
                ),
            )

    return FinishRow


def fail_row(entity: Entity) -> type[Endpoint]:
    """Return the endpoint that ends a claim: the attempt failed."""

    class FailRow(Endpoint):
        """The row comes back after a pause, or is given up on: at once, or after so many attempts."""

        permissions = {"POST": Permission.PROCESS}

        @describe(
            "The work on a claimed row failed",
            answer=RowState,
            body=FailureInput,
            example=FAILED_ONCE,
            fails=CONFLICT,
        )
        def post(self, request: Request, sequence: int) -> Response:
            given = read_input(request, FailureInput)
            token = given.pop("claim_token")
            return _ended(
                entity,
                sequence,
                lambda: outside_workers.report_failure(entity.model, sequence, token=token, **given),
            )

    return FailRow


def re_request_row(entity: Entity) -> type[Endpoint]:
    """Return the endpoint that makes a row pending again."""

    class ReRequestRow(Endpoint):
        """Whoever holds the row loses it. A pull request's Idle Retries are counted from 0 again."""

        permissions = {"POST": Permission.PROCESS}

        @describe(
            "Put a row back, whatever its state: it will be claimed anew", answer=RowState, body=NoInput
        )
        def post(self, request: Request, sequence: int) -> Response:
            read_input(request, NoInput)
            actor = identity_of(request).name
            answer = _ended(
                entity, sequence, lambda: outside_workers.ask_again(entity.model, sequence, actor=actor)
            )
            note_act(request, f"row {sequence} of {entity.model._meta.db_table}", "re-requested")
            return answer

    return ReRequestRow


def _ended(entity: Entity, sequence: int, end: Callable[[], None]) -> Response:
    """Call the service and answer what the row is now, or why nothing was done."""
    try:
        end()
    except outside_workers.UnknownRow as unknown:
        raise not_found(str(unknown)) from None
    except outside_workers.ClaimOver as over:
        raise conflict("claim_over", str(over)) from None
    return Response(RowState(outside_workers.state_of(entity.model, sequence)).data)
