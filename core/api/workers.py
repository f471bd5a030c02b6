"""Workers, as the existing dashboard calls the passes."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from core import registry
from core.access.values import Permission
from core.api.acts import note_act
from core.api.describing import any_body, describe
from core.api.endpoints import ExistingClientEndpoint, identity_of
from core.api.problems import conflict, unprocessable
from core.api.serializers import LenientSerializer
from core.passes import Pass
from core.registry import Effective
from core.run_now import ask_for_run
from core.worker_names import all_workers, pass_behind


class WorkerItem(serializers.Serializer):
    """A worker: a pass under its own name, or under the name that the existing dashboard knows."""

    name = serializers.CharField()
    description = serializers.CharField()
    run_modes = serializers.ListField(child=serializers.CharField(), help_text="None: a worker just runs.")
    daemon_sleep_seconds = serializers.IntegerField(help_text="The least time between two runs.")
    memory_limit = serializers.CharField(allow_null=True)
    systemd_service = serializers.CharField(allow_null=True)


class RunAccepted(serializers.Serializer):
    """The wish was passed on to the worker cluster."""

    status = serializers.CharField()
    worker = serializers.CharField()


class AnyInput(LenientSerializer):
    """Whatever the client sends along."""


class Workers(ExistingClientEndpoint):
    """`workers`: what can be run."""

    @describe("Workers", answer=WorkerItem(many=True))
    def get(self, request: Request) -> Response:
        values = registry.effective()
        return Response([_item(name, job, values) for name, job in all_workers()])


class WorkerRun(ExistingClientEndpoint):
    """`workers/{name}/run`: run one now."""

    permissions = {"POST": Permission.OPERATE}
    problems_have_error = True

    @describe(
        "Run a worker now",
        answer=RunAccepted,
        status=HTTPStatus.ACCEPTED,
        body=any_body(AnyInput),
        fails={409: "The pass is paused, or cannot run here.", 422: "No worker has this name."},
        example={"status": "accepted", "worker": "service"},
    )
    def post(self, request: Request, name: str) -> Response:
        job = pass_behind(name)
        if job is None:
            raise unprocessable("unknown_worker", f"There is no worker {name!r}.")
        answer = ask_for_run(job.name, actor=identity_of(request).name)
        if not answer.accepted:
            raise conflict("not_run", answer.sentence)
        note_act(request, f"pass {job.name}", "asked for a run")
        return Response({"status": "accepted", "worker": name}, status=HTTPStatus.ACCEPTED)


def _item(name: str, job: Pass, values: Effective) -> dict[str, Any]:
    return {
        "name": name,
        "description": job.description,
        "run_modes": [],
        "daemon_sleep_seconds": job.interval(values),
        "memory_limit": None,
        "systemd_service": None,
    }
