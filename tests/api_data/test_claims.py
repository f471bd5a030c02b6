"""Claims over the REST API: the bot's own rules, for workers that hold nothing but a token."""

from __future__ import annotations

from datetime import timedelta

import pytest

from core.models import Bell
from tests.api_data.test_processing import ALL, MEMBERS, MODELS
from tests.api_data.workers import PULLS, waiting
from tests.api_data.world import filled
from webhooks.models import PullRequest, PullRequestHistory
from webhooks.services.claims import claim

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("entity", MEMBERS)
def test_b1_36_a_claim_gets_rows_and_a_token(worker, clock, entity):
    row = filled(MODELS[entity], processing_state="UPDATED", processing_date=None)
    got = worker.claim(entity)
    assert set(got) == {"claim_token", "rows"}
    (item,) = got["rows"]
    assert {name: type(value) for name, value in item.items()} == ALL | MEMBERS[entity] | {"claimed_at": str}
    assert (item["sequence"], item["processingState"]) == (row.pk, "PROCESSING")
    assert item["claimed_at"] == item["processingDate"] == "2026-03-04T09:00:00Z"
    row.refresh_from_db()
    assert (row.processing_state, row.claim_token) == ("PROCESSING", got["claim_token"])
    assert row.gstraccini_bot_version == item["gstracciniBotVersion"] == "builder 1.2"
    assert worker.claim(entity) == {"claim_token": None, "rows": []}


def test_f38_a_claimed_row_names_things_as_github_does(worker):
    waiting(ref="feature/a#1%2Fb+c&d", title="<b> & 'c'", repository_owner="o", repository_name="日本")
    (item,) = worker.claim()["rows"]
    assert (item["ref"], item["title"], item["repositoryName"]) == (
        "feature/a#1%2Fb+c&d",
        "<b> & 'c'",
        "日本",
    )


def test_a_claim_is_as_large_as_asked_for_ten_unless_said(worker):
    for number in range(15):
        waiting(repository_name=f"r{number}")
    assert len(worker.claim()["rows"]) == 10
    assert len(worker.claim(limit=3)["rows"]) == 3
    assert len(worker.claim(limit=100)["rows"]) == 2


@pytest.mark.parametrize(
    "body,field",
    [
        ({}, "worker"),
        ({"worker": ""}, "worker"),
        ({"worker": "w" * 101}, "worker"),
        ({"worker": "w", "limit": 0}, "limit"),
        ({"worker": "w", "limit": 101}, "limit"),
        ({"worker": "w", "limit": "many"}, "limit"),
        ({"worker": "w", "token": "x"}, "token"),
        ({"worker": "w\0"}, "worker"),
        ({"worker": " "}, "worker"),
        ({"worker": 5}, "worker"),
        ({"worker": "w", "limit": "5"}, "limit"),
        ({"worker": "w", "limit": True}, "limit"),
    ],
)
def test_a_senseless_claim_is_refused_by_field_and_takes_nothing(worker, body, field):
    row = waiting()
    refused = worker.post(f"{PULLS}/claim", body, status=400)
    assert list(refused["errors"]) == [field]
    row.refresh_from_db()
    assert row.processing_state == "NEW"


def test_rows_whose_attempts_are_used_up_do_not_hide_those_behind_them(worker):
    for number in range(25):
        waiting(repository_name=f"r{number}", processing_attempts=5)
    behind = waiting(repository_name="behind")
    (item,) = worker.claim()["rows"]
    assert item["sequence"] == behind.pk


def test_b1_31_a_re_request_puts_a_row_back_with_its_idle_retries_at_0_and_wakes_the_bot(
    worker, django_capture_on_commit_callbacks
):
    row = waiting(processing_state="PROCESSED", idle_retry_count=7)
    with django_capture_on_commit_callbacks(execute=True):
        state = worker.post(f"{PULLS}/{row.pk}/re-request")
    assert state["processing_state"] == "RE_REQUESTED"
    row.refresh_from_db()
    assert row.idle_retry_count == 0
    assert Bell.objects.filter(name="bot").exists()
    line = PullRequestHistory.objects.latest("sequence")
    assert (line.kind, line.actor) == ("re_request", "operator-user (token test)")


@pytest.mark.parametrize("entity", MEMBERS)
def test_every_table_can_be_finished_failed_and_re_requested(worker, entity):
    model = MODELS[entity]
    row = waiting(model)
    token = worker.claim(entity)["claim_token"]
    failed = worker.post(
        f"{entity}/{row.pk}/failed", {"claim_token": token, "reason": "x", "permanent": True}
    )
    assert failed["error"] == "x"
    assert worker.post(f"{entity}/{row.pk}/re-request")["processing_state"] == "RE_REQUESTED"
    token = worker.claim(entity)["claim_token"]
    assert (
        worker.post(f"{entity}/{row.pk}/processed", {"claim_token": token})["processing_state"] == "PROCESSED"
    )


@pytest.mark.parametrize("ending", ["processed", "failed", "re-request"])
def test_an_unknown_row_is_404_with_a_sentence(worker, ending):
    token = {"claim_token": "00000000-0000-0000-0000-000000000000"}
    body = {"processed": token, "failed": token | {"reason": "y"}, "re-request": {}}
    refused = worker.post(f"{PULLS}/999999/{ending}", body[ending], status=404)
    assert refused["detail"] == "There is no row 999999 in github_pull_requests."
    assert worker.client.post(f"/api/v1/{PULLS}/{2**64}/{ending}", {}).status_code == 404


def test_writes_are_not_redirected_in_either_slash_form(worker):
    waiting()
    assert len(worker.post(f"{PULLS}/claim/", {"worker": "w"})["rows"]) == 1


def test_a_viewer_may_not_claim(caller):
    waiting()
    assert caller("viewer").post(f"/api/v1/{PULLS}/claim", {"worker": "w"}, format="json").status_code == 403


def test_our_bot_and_workers_over_rest_take_turns_and_never_the_same_row(worker):
    rows = [waiting(repository_name=f"r{number}") for number in range(40)]
    taken = []
    for _ in range(2):
        taken += [item["sequence"] for item in worker.claim()["rows"]]
        taken += [each.row.pk for each in claim(PullRequest, worker="ours").claims]
    assert sorted(taken) == [row.pk for row in rows]


def test_a_claims_age_counts_from_the_claim_and_not_from_the_answer(worker, clock):
    row = waiting()
    claimed_at = worker.claim()["rows"][0]["claimed_at"]
    clock.shift(minutes=59)
    assert worker.claim()["rows"] == []
    clock.shift(minutes=1)
    again = worker.claim()["rows"][0]
    assert again["sequence"] == row.pk
    assert again["claimed_at"] == f"{clock.now:%Y-%m-%dT%H:%M:%SZ}" != claimed_at
    assert clock.now - timedelta(hours=1) == row.created_at
