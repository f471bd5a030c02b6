"""Endpoints of work items: submit, list, show, retry, cancel."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any

from django.utils.module_loading import import_string
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from core.access.values import Permission
from core.api.acts import note_act
from core.api.describing import describe
from core.api.endpoints import Endpoint, identity_of
from core.api.paging import SequencePages, page_schema
from core.api.parsers import JsonBodyWithFiles
from core.api.problems import conflict, not_found
from core.api.serializers import NoInput, read_input, read_query
from workqueue.api.serializers import (
    CancelInput,
    ItemQuery,
    SubmittedItem,
    WorkItemDetail,
    WorkItemItem,
    conditions_of,
)
from workqueue.models import WorkItem
from workqueue.registry import TYPES, Door
from workqueue.services import control, showing
from workqueue.values import Refused

WRONG_PHASE = {409: "The item's phase, or a rule of its type, forbids it; the detail says why."}
# Of the type pull_request.
SUBMISSION = {
    "repository": "octo/tools",
    "head_branch": "ada/add-a-lamp",
    "base_branch": "main",
    "title": "Add a lamp",
    "commit_message": "Add a lamp",
    "file_actions": [{"action": "create", "path": "lamps/hall.txt", "content": "lit\n"}],
    "options": {"merge_when_ready": True},
}
EXAMPLE = {"item": 17, "word": "created", "sentence": "The work item was created."}


class Items(Endpoint):
    """`work-items`: all of them."""

    @extend_schema(operation_id="work_items_list")
    @describe("Work items, newest first", answer=page_schema(WorkItemItem), query=ItemQuery)
    def get(self, request: Request) -> Response:
        query = read_query(request, ItemQuery)
        pages = SequencePages()
        rows: Any = pages.paginate_queryset(showing.find(**conditions_of(query)), request, self)
        return pages.get_paginated_response(WorkItemItem(showing.show(rows), many=True).data)


class ItemDetail(Endpoint):
    """`work-items/{sequence}`: one, with its dimensions and recent audit."""

    @describe("One work item", answer=WorkItemDetail)
    def get(self, request: Request, sequence: int) -> Response:
        return _shown(sequence)


class ItemRetry(Endpoint):
    """`work-items/{sequence}/retry`."""

    permissions = {"POST": Permission.OPERATE}

    @describe("Retry a failed or cancelled work item", answer=WorkItemDetail, body=NoInput, fails=WRONG_PHASE)
    def post(self, request: Request, sequence: int) -> Response:
        read_input(request, NoInput)
        try:
            control.retry(sequence, actor=identity_of(request).name)
        except WorkItem.DoesNotExist:
            raise _unknown(sequence) from None
        except Refused as refusal:
            raise conflict(refusal.code, refusal.sentence) from None
        note_act(request, f"work item {sequence}", "retried it")
        return _shown(sequence)


class ItemCancel(Endpoint):
    """`work-items/{sequence}/cancel`."""

    permissions = {"POST": Permission.OPERATE}

    @describe("Cancel a work item", answer=WorkItemDetail, body=CancelInput, fails=WRONG_PHASE)
    def post(self, request: Request, sequence: int) -> Response:
        given = read_input(request, CancelInput)
        try:
            control.cancel(sequence, actor=identity_of(request).name, reason=given["reason"])
        except WorkItem.DoesNotExist:
            raise _unknown(sequence) from None
        except Refused as refusal:
            raise conflict(refusal.code, refusal.sentence) from None
        note_act(request, f"work item {sequence}", "cancelled it")
        return _shown(sequence)


class ItemSubmit(Endpoint):
    """`work-items/{item_type}`: hand work in. What the body holds is a matter of the type."""

    parser_classes = [JsonBodyWithFiles]
    permissions = {"POST": Permission.OPERATE}

    @describe(
        "Submit a work item",
        answer=SubmittedItem,
        status=HTTPStatus.ACCEPTED,
        body={"application/json": {"type": "object"}},
        sends=SUBMISSION,
        fails={
            400: "The body is not what this type takes; `errors` says why, by field.",
            409: "A rule of the type refuses it; the detail says why.",
        },
        example=EXAMPLE,
    )
    def post(self, request: Request, item_type: str) -> Response:
        door = _door(item_type)
        given = read_input(request, import_string(door.serializer))
        try:
            submitted = door.submit(given, identity_of(request).name)
        except Refused as refusal:
            raise conflict(refusal.code, refusal.sentence) from None
        return Response(SubmittedItem(submitted).data, status=HTTPStatus.ACCEPTED)


def _door(item_type: str) -> Door:
    known = TYPES.get(item_type)
    if known is None or known.door is None:
        raise not_found(f"No work items of the type {item_type!r} can be submitted here.")
    return known.door


def _shown(sequence: int) -> Response:
    item = WorkItem.objects.filter(pk=sequence).first()
    if item is None:
        raise _unknown(sequence)
    (shown,) = showing.show([item])
    answer = WorkItemItem(shown).data | {
        "details": dict(shown.details),
        "events_waiting": showing.unread(item),
        "audit": WorkItemDetail().fields["audit"].to_representation(showing.recent_audit(item)),
    }
    return Response(answer)


def _unknown(sequence: int) -> Exception:
    return not_found(f"There is no work item {sequence}.")
