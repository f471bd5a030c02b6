"""Workflow runs by the Sequence of their row: started again, read from GitHub anew, deleted."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from tests.api_data.runs import BY_SEQUENCE
from tests.api_data.world import AT
from webhooks.models import WorkflowRun

pytestmark = pytest.mark.django_db

BODIES = {
    "JSON": lambda sequence: {"data": {"sequence": sequence}, "format": "json"},
    "JSON text": lambda sequence: {"data": {"sequence": str(sequence)}, "format": "json"},
    "form": lambda sequence: {
        "data": f"sequence={sequence}",
        "content_type": "application/x-www-form-urlencoded",
    },
    "more than is known": lambda sequence: {"data": {"sequence": sequence, "x": 1}, "format": "json"},
}


@pytest.mark.parametrize("slash", ["", "/"])
@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES)
def test_a_run_is_started_again_by_its_sequence(runs, body, slash):
    row = runs.stored()
    answer = runs.client.post(BY_SEQUENCE + slash, **body(row.pk))
    assert answer.status_code == 201
    assert answer.json()["retry_type"] == "rerun-failed-jobs"


def test_a_run_is_read_from_github_again(runs):
    row = runs.stored("", name="Old", github_updated_at=datetime(2020, 1, 1, tzinfo=UTC))
    runs.github.state.workflow_runs[row.workflow_run_id].conclusion = "failure"
    answer = runs.client.put(BY_SEQUENCE, {"sequence": row.pk}, format="json")
    assert (answer.status_code, answer.json()) == (202, {"message": "The run was read from GitHub."})
    row.refresh_from_db()
    assert (row.status, row.conclusion, row.name) == ("completed", "failure", "CI")
    assert row.updated_at > AT


def test_a_later_event_is_not_overwritten_by_what_was_read(runs):
    row = runs.stored("failure", run_attempt=3, status="in_progress")
    answer = runs.client.put(BY_SEQUENCE, {"sequence": row.pk}, format="json")
    assert "something newer" in answer.json()["message"]
    row.refresh_from_db()
    assert (row.run_attempt, row.status) == (3, "in_progress")


def test_a_run_is_deleted_by_its_sequence(runs):
    row = runs.stored()
    assert runs.client.delete(f"{BY_SEQUENCE}/{row.pk}").status_code == 202
    assert not WorkflowRun.objects.exists()


@pytest.mark.parametrize(
    "sent",
    [
        {},
        {"data": "null", "content_type": "application/json"},
        {"data": "", "content_type": "application/x-www-form-urlencoded"},
        {"data": "sequence=x", "content_type": "application/x-www-form-urlencoded"},
        {"data": "\xff\xfe", "content_type": "text/plain"},
        {"data": "[1]", "content_type": "application/json"},
    ],
)
def test_a_body_that_names_no_run_is_answered_with_a_sentence(runs, sent):
    for call in (runs.client.post, runs.client.put):
        refused = call(BY_SEQUENCE, **sent)
        assert refused.status_code == 422
        assert "names no sequence" in refused.json()["error"]
