"""Endpoints of merges: the queue, asking for one, and what a person decides about it."""

from __future__ import annotations

from collections.abc import Callable
from http import HTTPStatus
from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from core.access.values import Permission
from core.api.acts import note_act
from core.api.describing import describe
from core.api.endpoints import Endpoint, identity_of
from core.api.paging import KeysetQuery, page_answer, page_schema
from core.api.problems import ApiProblem, conflict, not_found, unavailable
from core.api.serializers import NoInput, StrictSerializer, read_input, read_query
from githubapi.errors import GithubError, Throttled
from merge import selectors
from merge.models import Merge
from merge.services import approving
from merge.services.asking import WAITING, Answer, Unknown, ask
from merge.values import Status
from workqueue.values import Refused

FULL_NAME = r"^[\w.-]+/[\w.-]+$"
MOST = 2**31 - 1
EXAMPLE = {
    "outcome": "waiting",
    "detail": "Still waiting for build. The pass merge looks again by itself; nothing is stored meanwhile.",
    "merge": None,
}
STATUSES = {"created": HTTPStatus.CREATED, WAITING: HTTPStatus.ACCEPTED}


class MergeItem(serializers.ModelSerializer):
    """One merge: a wish to merge one head of one pull request."""

    status = serializers.SerializerMethodField()
    repository = serializers.SerializerMethodField()

    class Meta:
        model = Merge
        fields = [
            "sequence",
            "status",
            "repository",
            "repository_id",
            "number",
            "head_sha",
            "reason",
            "caller_identity",
            "approved_by",
            "rejected_by",
            "rejection",
            "attempts",
            "error",
            "merge_sha",
            "created_at",
            "updated_at",
            "ended_at",
        ]

    def get_status(self, merge: Any) -> str:
        return str(selectors.status(merge))

    def get_repository(self, merge: Merge) -> str:
        return f"{merge.repository_owner}/{merge.repository_name}"


class MergesQuery(KeysetQuery):
    status = serializers.ChoiceField(choices=[str(each) for each in Status], required=False)
    repository = serializers.RegexField(FULL_NAME, required=False, help_text="owner/name")
    number = serializers.IntegerField(required=False, min_value=1, max_value=MOST)


class MergeInput(StrictSerializer):
    repository = serializers.RegexField(FULL_NAME, max_length=200, help_text="owner/name")
    number = serializers.IntegerField(min_value=1, max_value=MOST)


class RejectionInput(StrictSerializer):
    reason = serializers.CharField(max_length=1000, help_text="Why; people see it beside the merge.")


class MergeAnswer(serializers.Serializer):
    """What came of asking: created, unchanged, updated, retried, or waiting, in which case no merge is stored."""

    outcome = serializers.CharField()
    detail = serializers.CharField()
    merge = MergeItem(allow_null=True)


class Merges(Endpoint):
    """`merges`: the queue and its past, and asking for a merge."""

    permissions = {"GET": Permission.READ, "POST": Permission.OPERATE}

    @extend_schema(operation_id="merges_list")
    @describe("Merges, newest first", answer=page_schema(MergeItem), query=MergesQuery)
    def get(self, request: Request) -> Response:
        wanted = read_query(request, MergesQuery)
        rows = selectors.chosen(**{name: wanted.get(name) for name in ("status", "repository", "number")})
        return page_answer(self, request, rows, MergeItem)

    @describe(
        "Ask for a merge",
        answer=MergeAnswer,
        status=HTTPStatus.CREATED,
        body=MergeInput,
        examples={HTTPStatus.ACCEPTED: EXAMPLE},
        also={
            200: "A merge of it was there already, and has got what this asks for.",
            202: "It is only too early: nothing is stored, and the pass merge looks again.",
        },
        fails={
            404: "There is no such repository or pull request within our reach.",
            409: "It cannot be merged as it is: the code and the sentence say why.",
            502: "GitHub cannot be asked.",
        },
    )
    def post(self, request: Request) -> Response:
        given = read_input(request, MergeInput)
        owner, _, name = given["repository"].partition("/")
        caller = identity_of(request).name
        answer = _told(lambda: ask(owner, name, given["number"], caller=caller))
        note_act(request, f"{owner}/{name}#{given['number']}", f"asked for its merge: {answer.word}")
        return Response(_answer_body(answer), status=STATUSES.get(answer.word, HTTPStatus.OK))


class MergeDetail(Endpoint):
    """`merges/{sequence}`: one merge."""

    permissions = {"GET": Permission.READ}

    @describe("One merge", answer=MergeItem)
    def get(self, request: Request, sequence: int) -> Response:
        return Response(MergeItem(_merge(sequence)).data)


class MergeApproval(Endpoint):
    """`merges/{sequence}/approve`: a person approves what a machine may not."""

    permissions = {"POST": Permission.OPERATE}

    @describe("Approve a pending merge", answer=MergeItem, body=NoInput, fails={409: "It is not pending."})
    def post(self, request: Request, sequence: int) -> Response:
        read_input(request, NoInput)
        actor = identity_of(request).name
        return _decided(request, sequence, "approved", lambda: approving.approve(sequence, actor=actor))


class MergeRejection(Endpoint):
    """`merges/{sequence}/reject`: the head is not merged, unless somebody asks anew."""

    permissions = {"POST": Permission.OPERATE}

    @describe(
        "Reject a merge",
        answer=MergeItem,
        body=RejectionInput,
        fails={409: "It has ended, or is being carried out."},
    )
    def post(self, request: Request, sequence: int) -> Response:
        reason = read_input(request, RejectionInput)["reason"]
        actor = identity_of(request).name
        return _decided(
            request,
            sequence,
            "rejected",
            lambda: approving.reject(sequence, actor=actor, reason=reason),
        )


class MergeRetry(Endpoint):
    """`merges/{sequence}/retry`: a failed merge gets a further attempt."""

    permissions = {"POST": Permission.OPERATE}

    @describe(
        "Retry a failed merge",
        answer=MergeItem,
        body=NoInput,
        fails={409: "It has not failed, was rejected, or a younger one is live."},
    )
    def post(self, request: Request, sequence: int) -> Response:
        read_input(request, NoInput)
        actor = identity_of(request).name
        return _decided(request, sequence, "tried again", lambda: approving.retry(sequence, actor=actor))


def _told(call: Callable[[], Answer]) -> Answer:
    """Return the answer, or raise the problem that says why there is none."""
    try:
        return call()
    except Unknown as error:
        raise not_found(str(error)) from error
    except Refused as error:
        raise conflict(error.code, error.sentence) from error
    except Throttled as error:
        raise unavailable(str(error), wait=error.wait.total_seconds()) from error
    except GithubError as error:
        raise ApiProblem(HTTPStatus.BAD_GATEWAY, error.reason, str(error)) from error


def _decided(request: Request, sequence: int, word: str, decide: Callable[[], None]) -> Response:
    try:
        decide()
    except Merge.DoesNotExist:
        raise _no_merge(sequence) from None
    except Refused as error:
        raise conflict(error.code, error.sentence) from error
    merge = _merge(sequence)
    note_act(request, merge.place, f"merge {word}")
    return Response(MergeItem(merge).data)


def _merge(sequence: int) -> Any:
    found = selectors.merges().filter(pk=sequence).first()
    if found is None:
        raise _no_merge(sequence)
    return found


def _no_merge(sequence: int) -> ApiProblem:
    return not_found(f"There is no merge {sequence}.")


def _answer_body(answer: Answer) -> dict[str, Any]:
    merge = None if answer.merge is None else MergeItem(_merge(answer.merge)).data
    return {"outcome": answer.word, "detail": answer.sentence, "merge": merge}
