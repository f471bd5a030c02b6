"""The Idle Pull Requests in the order in which they are served, how many there are, and who is next."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from core.access.values import Permission
from core.api.acts import note_act
from core.api.describing import describe
from core.api.endpoints import Endpoint, identity_of
from core.api.paging import NumberQuery, page_schema
from core.api.problems import not_found
from core.api.serializers import NoInput, read_input, read_query
from idle import selectors, services
from idle.models import IdlePullRequest
from idle.selectors import Wanted
from idle.values import Blocked, IdleStatus
from webhooks.models import PullRequest

LONGEST_NAME = 501  # two names of 250 characters and the slash between them
MOST_RETRIES = 2**31


class IdlePullRequestItem(serializers.ModelSerializer):
    """One Idle Pull Request, with all that explains its place."""

    sequence = serializers.IntegerField(source="pk")
    idle_status = serializers.ChoiceField([status.value for status in IdleStatus])
    blocked = serializers.ChoiceField(
        [blocked.value for blocked in Blocked],
        allow_null=True,
        help_text="Why GitHub cannot be asked about it.",
    )

    class Meta:
        model = IdlePullRequest
        fields = [
            "sequence",
            "repository_owner",
            "repository_name",
            "repository_id",
            "repository_private",
            "installation_id",
            "number",
            "node_id",
            "title",
            "sender",
            "sender_login",
            "ref",
            "head_sha",
            "draft",
            "auto_merge_enabled",
            "idle_status",
            "idle_retry_count",
            "idle_retry_limit",
            "next_retry_at",
            "repository_idle_rank",
            "repository_last_pull_request_update",
            "blocked",
            "processed_date",
            "processing_error",
            "created_at",
            "updated_at",
        ]


class IdleQuery(NumberQuery):
    """Filters; each that is given must hold."""

    status = serializers.ChoiceField([status.value for status in IdleStatus], required=False)
    repository = serializers.RegexField(
        r"^[^/]+/[^/]+\Z",
        max_length=LONGEST_NAME,
        required=False,
        trim_whitespace=False,
        help_text="owner/name",
    )
    private = serializers.BooleanField(required=False, allow_null=True, help_text="As far as it is known.")
    blocked = serializers.BooleanField(
        required=False, allow_null=True, help_text="true: only those whose repository is out of reach."
    )
    retry_count = serializers.IntegerField(required=False, min_value=0, max_value=MOST_RETRIES)


class IdleCounts(serializers.Serializer):
    DUE = serializers.IntegerField()
    WAITING = serializers.IntegerField()
    GAVE_UP = serializers.IntegerField()


class NextIdle(serializers.Serializer):
    next = IdlePullRequestItem(allow_null=True)


class ResetAnswer(serializers.Serializer):
    sequence = serializers.IntegerField()
    idle_retry_count = serializers.IntegerField()
    before = serializers.IntegerField(help_text="How many Idle Retries it had had.")


class IdlePullRequests(Endpoint):
    """`idle-pull-requests`."""

    @describe(
        "Idle Pull Requests, in the order they are served",
        answer=page_schema(IdlePullRequestItem),
        query=IdleQuery,
    )
    def get(self, request: Request) -> Response:
        asked = read_query(request, IdleQuery)
        number, limit = asked.pop("page"), asked.pop("limit")
        page = selectors.page(Wanted(**asked), number=number, size=limit)
        return Response(
            {
                "next": _page_url(request, number + 1) if page.has_next else None,
                "previous": _page_url(request, number - 1) if number > 1 else None,
                "results": IdlePullRequestItem(page.rows, many=True).data,
            }
        )


class IdlePullRequestCounts(Endpoint):
    """`idle-pull-requests/counts`."""

    @describe(
        "How many there are of each IdleStatus",
        answer=IdleCounts,
        example={"DUE": 4, "WAITING": 31, "GAVE_UP": 2},
    )
    def get(self, request: Request) -> Response:
        return Response(selectors.counts())


class NextIdlePullRequest(Endpoint):
    """`idle-pull-requests/next`."""

    @describe("The one that the next run of the pass would take, null when nothing is due", answer=NextIdle)
    def get(self, request: Request) -> Response:
        row = selectors.next_due()
        return Response({"next": row and IdlePullRequestItem(row).data})


class IdleReset(Endpoint):
    """`idle-pull-requests/{sequence}/reset`."""

    permissions = {"POST": Permission.OPERATE}

    @describe(
        "Count its Idle Retries from 0 again; UpdatedAt stays",
        answer=ResetAnswer,
        body=NoInput,
        example={"sequence": 4711, "idle_retry_count": 0, "before": 10},
    )
    def post(self, request: Request, sequence: int) -> Response:
        read_input(request, NoInput)
        try:
            row = PullRequest.objects.get(pk=sequence)
            before = services.reset(sequence, actor=identity_of(request).name)
        except PullRequest.DoesNotExist:
            raise not_found(f"There is no pull request {sequence}.") from None
        note_act(request, str(row), f"had its Idle Retries counted from 0 again, after {before}")
        return Response({"sequence": sequence, "idle_retry_count": 0, "before": before})


def _page_url(request: Request, number: int) -> Any:
    query = request.query_params.copy()
    query["page"] = str(number)
    return request.build_absolute_uri(f"{request.path}?{query.urlencode()}")
