"""Claimed rows over the REST API are finished or fail by the token of their claim, and by nothing else."""

from __future__ import annotations

from typing import Any

import pytest

from core import registry
from tests.api_data.workers import PULLS, waiting
from webhooks.models import PullRequest, PullRequestHistory
from webhooks.setting_specs import MAX_ATTEMPTS

pytestmark = pytest.mark.django_db


def test_a_finished_row_is_processed_and_its_history_says_by_whom(worker, clock):
    row = waiting()
    token = worker.claim()["claim_token"]
    done = worker.post(f"{PULLS}/{row.pk}/processed", {"claim_token": token})
    assert done == {
        "sequence": row.pk,
        "processing_state": "PROCESSED",
        "attempts": 0,
        "not_before": None,
        "error": None,
    }
    line = PullRequestHistory.objects.latest("sequence")
    assert (line.kind, line.actor, line.reason) == ("finalize", "builder 1.2", "done, says builder 1.2")


def test_a_token_works_once(worker):
    row = waiting()
    token = worker.claim()["claim_token"]
    worker.post(f"{PULLS}/{row.pk}/processed", {"claim_token": token})
    refused = worker.post(f"{PULLS}/{row.pk}/processed", {"claim_token": token}, status=409)
    assert (refused["code"], refused["detail"]) == (
        "claim_over",
        "The claim is over: the row is PROCESSED already.",
    )


def test_b1_36_an_event_during_the_work_is_not_swallowed(worker):
    row = waiting()
    token = worker.claim()["claim_token"]
    worker.post(f"{PULLS}/{row.pk}/re-request")
    for ending, more in (("processed", {}), ("failed", {"reason": "odd"})):
        refused = worker.post(f"{PULLS}/{row.pk}/{ending}", {"claim_token": token} | more, status=409)
        assert refused["detail"] == (
            "The claim is over: the row was asked for again meanwhile (RE_REQUESTED) and will be claimed anew."
        )
    row.refresh_from_db()
    assert row.processing_state == "RE_REQUESTED"


def test_the_token_of_a_claim_that_went_silent_is_old(worker, clock):
    row = waiting()
    old = worker.claim()["claim_token"]
    clock.shift(seconds=3600)
    new = worker.claim(worker="another")["claim_token"]
    refused = worker.post(f"{PULLS}/{row.pk}/processed", {"claim_token": old}, status=409)
    assert refused["detail"] == "The claim is over: another worker holds the row by now."
    worker.post(f"{PULLS}/{row.pk}/processed", {"claim_token": new})


def test_a_row_that_a_program_claims_by_sql_is_no_longer_ours(worker, clock):
    row = waiting()
    token = worker.claim()["claim_token"]
    clock.shift(seconds=3600)
    PullRequest.objects.filter(pk=row.pk).update(processing_date=clock.now, updated_at=clock.now)
    refused = worker.post(f"{PULLS}/{row.pk}/processed", {"claim_token": token}, status=409)
    assert refused["detail"] == "The claim is over: another program has claimed the row meanwhile."


@pytest.mark.parametrize(
    "token", ["00000000-0000-0000-0000-000000000000", "ffffffff-ffff-ffff-ffff-ffffffffffff"]
)
def test_a_made_up_token_ends_nothing(worker, token):
    row = waiting()
    worker.claim()
    assert (
        worker.post(f"{PULLS}/{row.pk}/processed", {"claim_token": token}, status=409)["code"] == "claim_over"
    )
    row.refresh_from_db()
    assert row.processing_state == "PROCESSING"


def test_a_token_is_for_its_own_rows(worker):
    first, second = waiting(repository_name="a"), waiting(repository_name="b")
    token = worker.claim(limit=1)["claim_token"]
    worker.claim(limit=1)
    worker.post(f"{PULLS}/{second.pk}/processed", {"claim_token": token}, status=409)
    worker.post(f"{PULLS}/{first.pk}/processed", {"claim_token": token})


def test_b1_37_a_failed_row_comes_back_after_a_pause_and_in_the_end_is_given_up_on(worker, clock):
    registry.write(MAX_ATTEMPTS, "2")
    row = waiting()

    def fail() -> Any:
        token = worker.claim()["claim_token"]
        return worker.post(f"{PULLS}/{row.pk}/failed", {"claim_token": token, "reason": "no disk"})

    first = fail()
    assert (first["processing_state"], first["attempts"], first["error"]) == ("NEW", 1, "no disk")
    assert first["not_before"] == "2026-03-04T09:01:00Z"
    assert worker.claim()["rows"] == []
    clock.shift(minutes=1)
    assert fail() | {"not_before": None} == {
        "sequence": row.pk,
        "processing_state": "PROCESSED",
        "attempts": 2,
        "not_before": None,
        "error": "no disk",
    }


def test_a_permanent_failure_is_given_up_on_at_once(worker):
    row = waiting()
    token = worker.claim()["claim_token"]
    body = {"claim_token": token, "reason": "gone", "permanent": True}
    assert worker.post(f"{PULLS}/{row.pk}/failed", body)["processing_state"] == "PROCESSED"


@pytest.mark.parametrize(
    "ending,more,field",
    [
        ("processed", {"claim_token": "x"}, "claim_token"),
        ("processed", {"claim_token": None}, "claim_token"),
        ("processed", {"reason": "a\0b"}, "reason"),
        ("processed", {"permanent": True}, "permanent"),
        ("failed", {}, "reason"),
        ("failed", {"reason": "  "}, "reason"),
        ("failed", {"reason": "odd", "permanent": "yes"}, "permanent"),
    ],
)
def test_a_senseless_ending_is_refused_by_field_and_ends_nothing(worker, ending, more, field):
    row = waiting()
    body = {"claim_token": worker.claim()["claim_token"]} | more
    assert list(worker.post(f"{PULLS}/{row.pk}/{ending}", body, status=400)["errors"]) == [field]
    row.refresh_from_db()
    assert row.processing_state == "PROCESSING"
