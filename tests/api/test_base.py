"""What all endpoints have in common: who may call, how errors look, and how pages go."""

from __future__ import annotations

import pytest
from django.db import OperationalError
from django.test import Client
from django_q.models import OrmQ
from rest_framework.exceptions import ValidationError
from rest_framework.test import APIClient

from core import registry
from core.api.problems import answer_problem
from core.models import PassRun
from core.setting_specs import READS_PER_MINUTE

RUNS = "/api/v1/passes/idle/runs"


@pytest.mark.django_db
def test_without_credentials_the_answer_is_401_with_a_challenge():
    answer = APIClient().get(RUNS)
    assert answer.status_code == 401
    assert answer["WWW-Authenticate"].startswith("token ")
    assert answer["Content-Type"] == "application/problem+json"
    assert set(answer.json()) == {"type", "title", "status", "code", "detail"}


def test_a_caller_without_a_role_is_told_which_permission_is_missing(caller):
    answer = caller("").get(RUNS)
    assert answer.status_code == 403
    assert answer.json()["detail"] == "This needs the permission read."


@pytest.mark.parametrize("path", [RUNS, RUNS + "/"])
def test_paths_work_with_and_without_a_final_slash(caller, path):
    assert caller().get(path).json() == {"next": None, "previous": None, "results": []}


@pytest.mark.parametrize("word", ["token", "Token", "TOKEN"])
def test_the_word_token_may_be_written_in_any_case(caller, word):
    client = caller()
    key = client._credentials["HTTP_AUTHORIZATION"].split()[1]
    assert Client().get(RUNS, headers={"Authorization": f"{word} {key}"}).status_code == 200


@pytest.mark.parametrize("path", ["nowhere", "", "tokens/%0A/x", "branches/%C3%A9%0A/failed"])
def test_an_unknown_path_is_a_problem_and_no_page(caller, path):
    answer = caller().get(f"/api/v1/{path}")
    assert (answer.status_code, answer["Content-Type"]) == (404, "application/problem+json")


@pytest.mark.parametrize("name", ["limit", "cursor"])
def test_an_empty_query_parameter_is_refused(caller, name):
    answer = caller().get(RUNS, {name: ""})
    assert answer.json()["errors"] == {name: ["This must not be empty."]}


def test_an_unknown_query_parameter_is_refused_by_name(caller):
    answer = caller().get(RUNS, {"colour": "red"})
    assert answer.status_code == 400
    assert answer.json()["errors"] == {"colour": ["There is no such field."]}


@pytest.mark.parametrize("cursor", ["x", "r", "", "-1", "1.0", "1e9", "9" * 19, "bz0xMA==", "\u0661", "%00"])
def test_a_cursor_that_was_made_up_is_refused(caller, cursor):
    assert caller().get(RUNS, {"cursor": cursor}).status_code == 400


def test_f37_every_row_is_on_exactly_one_page_while_rows_come_and_go(caller):
    PassRun.objects.bulk_create(PassRun(name="idle") for _ in range(250))
    client, seen, url = caller(), [], RUNS + "?limit=20"
    while url:
        page = client.get(url).json()
        seen += [run["sequence"] for run in page["results"]]
        PassRun.objects.create(name="idle")
        PassRun.objects.filter(sequence=seen[-1]).delete()
        url = page["next"]
    assert len(seen) == len(set(seen)) == 250


def test_f37_the_way_back_shows_the_same_rows(caller):
    PassRun.objects.bulk_create(PassRun(name="idle") for _ in range(50))
    client = caller()
    first = client.get(RUNS + "?limit=20").json()
    second = client.get(first["next"]).json()
    assert client.get(second["previous"]).json()["results"] == first["results"]


def test_a_read_too_many_in_a_minute_is_429_and_says_when_to_go_on(caller, clock):
    registry.write(READS_PER_MINUTE, "3")
    client, other = caller(), caller("operator")
    assert [client.get(RUNS).status_code for _ in range(4)] == [200, 200, 200, 429]
    refused = client.get(RUNS)
    assert 1 <= int(refused["Retry-After"]) <= 60
    assert refused.json()["code"] == "throttled"
    assert other.get(RUNS).status_code == 200
    clock.shift(seconds=60)
    assert client.get(RUNS).status_code == 200


@pytest.mark.parametrize("slash", ["", "/"])
@pytest.mark.parametrize(
    "body, content_type",
    [
        ("", "application/x-www-form-urlencoded"),
        ("a=1&b=2", "application/x-www-form-urlencoded"),
        ("null", "application/json"),
        ("", "application/json"),
        ('{"a": 1}', "application/json"),
        ("{broken", "application/json"),
        ("\xff\x00", "text/plain"),
        ("", ""),
    ],
)
def test_the_existing_client_may_send_any_body(caller, slash, body, content_type):
    path = f"/api/v1/workers/cleanup/run{slash}"
    answer = caller("operator").generic("POST", path, body, content_type)
    assert (answer.status_code, answer.json()) == (202, {"status": "accepted", "worker": "cleanup"})


@pytest.mark.parametrize(
    "body, status", [("{broken", 400), ("[1]", 400), ('{"x": NaN}', 400), ("a" * 1_000_001, 413)]
)
def test_our_own_endpoints_refuse_what_is_no_json_object(caller, body, status):
    answer = caller("operator").generic("POST", RUNS, body, "application/json")
    assert answer.status_code == status, answer.content
    assert answer["Content-Type"] == "application/problem+json"


def test_our_own_endpoints_refuse_another_kind_of_body(caller):
    assert caller("operator").post(RUNS, {"a": "1"}, format="multipart").status_code == 415


def test_a_run_over_the_api_is_queued_and_recorded_with_the_caller(caller):
    answer = caller("operator", name="ada").post(RUNS)
    assert (answer.status_code, answer.json()["status"]) == (202, "accepted")
    assert OrmQ.objects.get().task["args"] == ("idle", "ada (token test)")


def test_an_unknown_worker_is_422_with_a_top_level_error(caller):
    answer = caller("operator").post("/api/v1/workers/nobody/run")
    assert answer.status_code == 422
    assert answer.json()["error"] == answer.json()["detail"]


def test_strings_for_the_existing_client_leave_escaped(caller):
    answer = caller("operator").post("/api/v1/workers/%3Cimg%20src=x%3E/run")
    assert "<img" not in answer.content.decode()
    assert "&lt;img" in answer.json()["error"]


def test_workers_are_a_plain_array_under_the_names_that_the_dashboard_accepts(caller):
    workers = caller().get("/api/v1/workers").json()
    names = [worker["name"] for worker in workers]
    assert {"service", "cleanup", "maintenance", "idle"} <= set(names)
    assert len(names) == len(set(names))
    assert set(workers[0]) == {
        "name", "description", "run_modes", "daemon_sleep_seconds", "memory_limit", "systemd_service",
    }  # fmt: skip
    assert all(worker["description"] for worker in workers)


def test_passes_say_how_they_stand(caller):
    found = {job["name"]: job for job in caller().get("/api/v1/passes").json()}
    assert found["idle"]["enabled"]
    assert found["idle"]["interval_seconds"] == 3600
    assert found["idle"]["last_run"] is None


@pytest.mark.parametrize("accept", ["text/html", "application/xml", "", "nonsense", "*/*"])
def test_the_existing_client_gets_json_whatever_it_accepts(caller, accept):
    answer = caller().get("/api/v1/workers", headers={"Accept": accept})
    assert (answer.status_code, answer["Content-Type"]) == (200, "application/json")


def test_our_own_endpoints_say_when_they_cannot_answer_in_the_form_asked_for(caller):
    answer = caller().get(RUNS, headers={"Accept": "application/xml"})
    assert (answer.status_code, answer["Content-Type"]) == (406, "application/problem+json")


@pytest.mark.parametrize("method", ["patch", "delete", "options", "trace"])
def test_a_method_that_a_path_lacks_is_405_for_every_known_caller(caller, method):
    assert getattr(caller(), method)(RUNS).status_code == 405


def test_a_write_with_a_session_needs_the_csrf_token(user_with):
    client = APIClient(enforce_csrf_checks=True)
    client.force_login(user_with("operator"))
    refused = client.post(RUNS)
    assert (refused.status_code, refused.json()["code"]) == (403, "permission_denied")
    client.get("/api/v1/docs/?script=")
    token = client.cookies["csrftoken"].value
    assert client.post(RUNS, headers={"X-CSRFToken": token}).status_code == 202


@pytest.mark.parametrize(
    "error, status, code",
    [
        (OperationalError("gone away, password hunter2"), 503, "unavailable"),
        (ZeroDivisionError("hunter2"), 500, "fault"),
    ],
)
def test_what_breaks_is_a_problem_that_tells_no_details(caller, monkeypatch, error, status, code):
    def broken(*_: object, **__: object):
        raise error

    client = caller()
    monkeypatch.setattr("core.api.passes.standings", broken)
    answer = client.get("/api/v1/passes")
    assert (answer.status_code, answer.json()["code"]) == (status, code)
    assert "hunter2" not in answer.content.decode()
    assert ("Retry-After" in answer) is (status == 503)


def test_errors_of_nested_input_are_named_by_their_path():
    nested = {"steps": [{}, {"name": ["Too long."]}], "name": ["Missing.", "Really."]}
    answer = answer_problem(ValidationError(nested), {"view": None})
    assert answer.data["errors"] == {"steps.1.name": ["Too long."], "name": ["Missing.", "Really."]}
    assert answer.data["detail"] == "steps.1.name: Too long."
