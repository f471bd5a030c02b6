"""Endpoints of passes: how they stand, what their runs did, and running one now."""

from __future__ import annotations

from http import HTTPStatus

from django.conf import settings
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from core import clock, registry
from core.access.values import Permission
from core.api.acts import note_act
from core.api.describing import describe
from core.api.endpoints import Endpoint, identity_of
from core.api.paging import KeysetQuery, page_answer, page_schema
from core.api.problems import conflict, not_found
from core.api.serializers import NoInput, read_input, read_query
from core.models import PassRun
from core.run_now import ask_for_run
from core.standing import standings


class PassRunItem(serializers.ModelSerializer):
    """One run of a pass."""

    counters = serializers.DictField(child=serializers.IntegerField())

    class Meta:
        model = PassRun
        fields = [
            "sequence",
            "name",
            "started_at",
            "finished_at",
            "outcome",
            "counters",
            "error",
            "forced",
            "actor",
        ]


class PassItem(serializers.Serializer):
    """How a pass stands."""

    name = serializers.CharField(source="job.name")
    description = serializers.CharField(source="job.description")
    enabled = serializers.BooleanField()
    paused_reason = serializers.CharField(help_text="Empty while it is enabled.")
    obstacle = serializers.CharField(help_text="Why it cannot run in this installation; empty = it can.")
    running = serializers.BooleanField()
    interval_seconds = serializers.IntegerField(help_text="The least time between two scheduled starts.")
    last_started_at = serializers.DateTimeField(allow_null=True)
    paced_until = serializers.DateTimeField(
        source="paced", help_text="No scheduled start before this instant."
    )
    last_run = PassRunItem(source="last", allow_null=True)


class RunQueued(serializers.Serializer):
    """The wish was passed on to the worker cluster."""

    status = serializers.CharField()
    detail = serializers.CharField()


class Passes(Endpoint):
    """`passes`: all of them."""

    @describe("Passes: schedule and standing", answer=PassItem(many=True))
    def get(self, request: Request) -> Response:
        found = standings(registry.effective(), now=clock.now())
        return Response(PassItem(found, many=True).data)


class PassRuns(Endpoint):
    """`passes/{name}/runs`: the records, and a new run."""

    permissions = {"GET": Permission.READ, "POST": Permission.OPERATE}

    @describe("Runs of a pass, newest first", answer=page_schema(PassRunItem), query=KeysetQuery)
    def get(self, request: Request, name: str) -> Response:
        read_query(request, KeysetQuery)
        return page_answer(self, request, PassRun.objects.filter(name=_known(name)), PassRunItem)

    @describe(
        "Run a pass now",
        answer=RunQueued,
        status=HTTPStatus.ACCEPTED,
        body=NoInput,
        fails={409: "The pass is paused, or cannot run here."},
        example={
            "status": "accepted",
            "detail": "The pass idle runs now; its record is in the list of runs.",
        },
    )
    def post(self, request: Request, name: str) -> Response:
        read_input(request, NoInput)
        answer = ask_for_run(_known(name), actor=identity_of(request).name)
        if not answer.accepted:
            raise conflict("not_run", answer.sentence)
        note_act(request, f"pass {name}", "asked for a run")
        return Response({"status": "accepted", "detail": answer.sentence}, status=HTTPStatus.ACCEPTED)


def _known(name: str) -> str:
    if name not in settings.PASSES:
        raise not_found(f"There is no pass {name!r}.")
    return name
