"""Claims over the REST API: the bot's own rules, for workers that hold nothing but a token."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from core import registry
from core.models import Bell
from tests.api_data.test_processing import ALL, MEMBERS, MODELS
from tests.api_data.world import filled
from tests.contract.rows import make_row
from webhooks.models import PullRequest, PullRequestHistory
from webhooks.services.claims import claim
from webhooks.setting_specs import MAX_ATTEMPTS

pytestmark = pytest.mark.django_db
PULLS = "pull-requests"


class Worker:
    """An external worker with an operator's token."""

    def __init__(self, client: Any) -> None:
        self.client = client

    def post(self, path: str, body: Any = None, status: int = 200) -> Any:
        answer = self.client.post(f"/api/v1/{path}", {} if body is None else body, format="json")
        assert answer.status_code == status, answer.content
        return answer.json()

    def claim(self, entity: str = PULLS, **more: Any) -> Any:
        return self.post(f"{entity}/claim", {"worker": "builder 1.2"} | more)


@pytest.fixture
def worker(caller: Any) -> Worker:
    return Worker(caller("operator"))


def waiting(model: type[Any] = PullRequest, **columns: Any) -> Any:
    return make_row(model, **{"processing_state": "NEW"} | columns)


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
