"""Workflow runs: listed, started again, read again, deleted. By GitHub's id, or by the row's Sequence."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from http import HTTPStatus
from typing import Any

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from core.access.values import Permission
from core.api.acts import note_act
from core.api.describing import any_body, describe
from core.api.endpoints import ExistingClientEndpoint, identity_of
from core.api.existing_client import client_date, zone_of
from core.api.paths import LARGEST
from core.api.problems import conflict, not_found, unprocessable
from core.api.serializers import LenientSerializer, read_input
from webhooks.api.github_problems import FAILS, as_problems
from webhooks.api.plain_lists import ListQuery, part_of, plain_answer
from webhooks.decisions import RetryType
from webhooks.models import WorkflowRun
from webhooks.selectors import listings
from webhooks.services import workflow_runs

RETRIED = {
    "message": "The failed jobs of the run are started again.",
    "workflow_run_id": 30433642,
    "retry_type": RetryType.RERUN_FAILED_JOBS.value,
}
DELETED = {"message": "The run was deleted."}
NOT_RETRYABLE = {409: "The run cannot be started again as it is; the sentence says why."}


class WorkflowRunItem(serializers.Serializer):
    owner = serializers.CharField()
    repo = serializers.CharField()
    workflow_run_id = serializers.IntegerField()
    name = serializers.CharField()
    display_title = serializers.CharField()
    run_number = serializers.IntegerField()
    run_attempt = serializers.IntegerField()
    event = serializers.CharField()
    status = serializers.CharField()
    conclusion = serializers.CharField(allow_null=True)
    actor_login = serializers.CharField()
    updated_at = serializers.CharField(help_text="In the zone of X-Timezone.")


class Done(serializers.Serializer):
    message = serializers.CharField()


class Retried(Done):
    workflow_run_id = serializers.IntegerField()
    retry_type = serializers.ChoiceField([kind.value for kind in RetryType])


class BySequence(LenientSerializer):
    sequence = serializers.IntegerField(
        min_value=1, max_value=LARGEST, help_text="The Sequence of the run's row."
    )


class WorkflowRuns(ExistingClientEndpoint):
    """`workflow-runs`."""

    @describe("Workflow runs, newest first", answer=WorkflowRunItem(many=True), query=ListQuery)
    def get(self, request: Request) -> Response:
        part, zone = part_of(request), zone_of(request)
        rows = listings.workflow_runs(limit=part.limit, before=part.before)
        items = [run_item(row, lambda at: client_date(at, zone)) for row in rows]
        return plain_answer(request, items, part, last=rows[-1].pk if rows else None)


class WorkflowRunRetry(ExistingClientEndpoint):
    """`workflow-runs/{id}/retry`."""

    permissions = {"POST": Permission.OPERATE}
    problems_have_error = True

    @describe(
        "Start a run again, its failed jobs alone where that is enough",
        answer=Retried,
        status=HTTPStatus.ACCEPTED,
        body=any_body(LenientSerializer),
        example=RETRIED,
        fails=FAILS | NOT_RETRYABLE,
    )
    def post(self, request: Request, run_id: int) -> Response:
        return Response(_retry(request, run_of(workflow_run_id=run_id)), status=HTTPStatus.ACCEPTED)


class WorkflowRunOne(ExistingClientEndpoint):
    """`workflow-runs/{id}`."""

    permissions = {"DELETE": Permission.OPERATE}
    problems_have_error = True

    @describe("Delete a run at GitHub and here", answer=Done, example=DELETED, fails=FAILS)
    def delete(self, request: Request, run_id: int) -> Response:
        return Response(_delete(request, run_of(workflow_run_id=run_id)))


class RunsBySequence(ExistingClientEndpoint):
    """`github/workflow`: the run is named by its row's Sequence, in the body."""

    permissions = {"POST": Permission.OPERATE, "PUT": Permission.OPERATE}
    problems_have_error = True

    @describe(
        "Start a run again",
        answer=Retried,
        status=HTTPStatus.CREATED,
        body=any_body(BySequence),
        example=RETRIED,
        fails=FAILS | NOT_RETRYABLE,
    )
    def post(self, request: Request) -> Response:
        return Response(_retry(request, _named(request)), status=HTTPStatus.CREATED)

    @describe(
        "Read a run from GitHub again",
        answer=Done,
        status=HTTPStatus.ACCEPTED,
        body=any_body(BySequence),
        fails=FAILS,
    )
    def put(self, request: Request) -> Response:
        row = _named(request)
        with as_problems():
            written = workflow_runs.refresh(row)
        note_act(request, _target(row), "read it from GitHub again")
        known = "" if written else " An Event has told something newer than that."
        return Response({"message": f"The run was read from GitHub.{known}"}, status=HTTPStatus.ACCEPTED)


class RunBySequence(ExistingClientEndpoint):
    """`github/workflow/{sequence}`."""

    permissions = {"DELETE": Permission.OPERATE}
    problems_have_error = True

    @describe("Delete a run at GitHub and here", answer=Done, status=HTTPStatus.ACCEPTED, fails=FAILS)
    def delete(self, request: Request, sequence: int) -> Response:
        return Response(_delete(request, run_of(pk=sequence)), status=HTTPStatus.ACCEPTED)


def run_item(row: WorkflowRun, date: Callable[[datetime | None], Any]) -> dict[str, Any]:
    """Return a run as the list shows it."""
    return {
        "owner": row.repository_owner,
        "repo": row.repository_name,
        "workflow_run_id": row.workflow_run_id,
        "name": row.name,
        "display_title": row.display_title,
        "run_number": row.run_number,
        "run_attempt": row.run_attempt,
        "event": row.event,
        "status": row.status,
        "conclusion": row.conclusion,
        "actor_login": row.actor_login,
        "updated_at": date(row.updated_at),
    }


def run_of(**key: int) -> WorkflowRun:
    """Return the run; raises ApiProblem (404) when we know none."""
    row = WorkflowRun.objects.filter(**key).first()
    if row is None:
        raise not_found("There is no such workflow run here.")
    return row


def _named(request: Request) -> WorkflowRun:
    sequence = read_input(request, BySequence)["sequence"]
    if sequence is None:
        raise unprocessable(
            "no_sequence", "The body names no sequence: that of a row of github_workflow_runs."
        )
    return run_of(pk=sequence)


def _retry(request: Request, row: WorkflowRun) -> dict[str, Any]:
    try:
        with as_problems():
            how = workflow_runs.retry(row, actor=identity_of(request).name)
    except workflow_runs.NotRetryable as reason:
        raise conflict("not_retryable", str(reason)) from None
    note_act(request, _target(row), f"started it again: {how.value}")
    what = "The failed jobs of the run" if how is RetryType.RERUN_FAILED_JOBS else "All jobs of the run"
    return {
        "message": f"{what} are started again.",
        "workflow_run_id": row.workflow_run_id,
        "retry_type": how.value,
    }


def _delete(request: Request, row: WorkflowRun) -> dict[str, str]:
    with as_problems():
        workflow_runs.delete(row, actor=identity_of(request).name)
    note_act(request, _target(row), "deleted it at GitHub and here")
    return DELETED


def _target(row: WorkflowRun) -> str:
    return f"workflow run {row.workflow_run_id} of {row.repository_owner}/{row.repository_name}"
