"""Faults on demand, and the control API."""

from __future__ import annotations

import http.client
import threading
import time
from collections.abc import Iterator

import pytest

from githubapi.protocol import decode_payload, verify_signature
from sandbox.server import SandboxGithub, store, worlds
from sandbox.server.changer import CHANGES
from sandbox.server.hook import FORM
from tests.github_app import INSTALLATION, REPOSITORY
from tests.sandbox.caller import Caller

PULLS = f"/repositories/{REPOSITORY}/pulls"


@pytest.fixture
def github() -> Iterator[SandboxGithub]:
    state = worlds.regular(installations=2, repositories=2, pull_requests=12, issues=3)
    with SandboxGithub(state, secret="the hook's secret") as running:
        yield running


@pytest.fixture
def ask(github: SandboxGithub) -> Iterator[Caller]:
    caller = Caller(github.url)
    yield caller
    caller.connection.close()


def test_a_fault_strikes_the_wanted_requests_only(github, ask):
    ask.become(INSTALLATION)
    github.inject(
        rf"{PULLS}", "status", verb="GET", page=2, times=2, after=1, status=503, headers={"X-A": "b"}
    )
    assert [ask(f"{PULLS}?page={page}")[0] for page in (2, 1, 2, 2, 2)] == [200, 200, 503, 503, 200]
    assert [one.fault for one in github.requests(PULLS)] == ["", "", "status", "status", ""]
    github.inject(".*", "html", times=None)
    github.heal()
    assert ask(PULLS)[0] == 200


def test_an_unknown_fault_is_refused_at_once(github):
    with pytest.raises(ValueError, match="none of the faults"):
        github.inject(".*", "earthquake")


def test_pages_can_be_emptied_dropped_and_repeated(github, ask):
    ask.become(INSTALLATION)
    path = f"{PULLS}?per_page=5&direction=asc&page=2"
    proper = ask(path)[1]
    for kind, numbers, linked in (
        ("empty", [], False),
        ("empty_announced", [], True),
        ("drop", [11, 12], False),
        ("repeat", [1, 2, 3, 4, 5], True),
        ("no_link", [6, 7, 8, 9, 10], False),
    ):
        github.inject(PULLS, kind)
        assert [one["number"] for one in ask(path)[1]] == numbers
        assert ('rel="next"' in ask.headers.get("link", "")) is linked
    assert ask(path)[1] == proper


@pytest.mark.parametrize(
    "kind,error", [("disconnect", http.client.RemoteDisconnected), ("cut", http.client.IncompleteRead)]
)
def test_connections_break_on_demand(github, ask, kind, error):
    github.inject("/app", kind)
    with pytest.raises(error):
        ask("/app")
    ask.connection.close()
    assert ask("/app")[0] == 200


def test_a_delayed_answer_holds_nobody_else_up(github, ask):
    github.inject("/app", "delay", seconds=0.5)
    slow = Caller(github.url)
    thread = threading.Thread(target=slow, args=("/app",))
    thread.start()
    while not github.requests("/app"):
        time.sleep(0.005)
    assert ask("/app/installations")[0] == 200
    assert github.requests("/app")[0].status == 0  # still waiting
    thread.join()
    slow.connection.close()
    assert github.requests("/app")[0].status == 200


def test_everything_can_be_driven_over_http(github, ask):
    assert ask("/_sandbox/clock", "POST", {"at": "2030-01-01T00:00:00+00:00"})[1].startswith(
        "2030-01-01T00:00:00"
    )
    assert ask("/_sandbox/clock", "POST", {"shift": 3600})[1].startswith("2030-01-01T01:00:0")
    change = {"change": "close_pull_request", "repository_id": REPOSITORY, "number": 2, "merged": True}
    assert ask("/_sandbox/changes", "POST", change)[1]["merged"] is True
    state = ask("/_sandbox/state")[1]
    assert state["things"][str(REPOSITORY)]["2"]["updated_at"].startswith("2030-01-01T01:00:0")
    assert ask("/_sandbox/faults", "POST", {"pattern": "/app", "kind": "html", "times": None})[0] == 200
    ask.connection.request("GET", "/app")
    assert ask.connection.getresponse().read().startswith(b"<!DOCTYPE")
    assert ask("/_sandbox/faults", "DELETE")[1] == 0
    assert ask("/app")[0] == 200
    assert {one["path"] for one in ask("/_sandbox/log")[1]} == {"/app"}
    ask("/_sandbox/log", "DELETE")
    assert ask("/_sandbox/log")[1] == []


def test_the_receiver_is_set_over_http(github, ask):
    ask("/_sandbox/hook", "POST", {"receiver": "http://127.0.0.1:9/", "held": True})
    github.changes.open_issue(REPOSITORY, "One")
    assert ask("/_sandbox/deliveries")[1] == []
    assert ask("/_sandbox/hook", "POST", {"flush": True})[1] == 1
    assert ask("/_sandbox/deliveries")[1][0]["status_code"] == 502


def test_another_state_takes_the_place_of_the_first_and_is_kept(github, ask):
    kept = []
    github.service.keep = lambda: kept.append(len(github.state.repositories))
    other = worlds.regular(repositories=3, pull_requests=1)
    assert ask("/_sandbox/state", "POST", store.plain(other))[1] == 3
    assert store.plain(github.state) == store.plain(other)
    ask.become(INSTALLATION)
    assert ask("/installation/repositories")[1]["total_count"] == 3
    ask("/_sandbox/changes", "POST", {"change": "push", "repository_id": REPOSITORY, "number": 1})
    assert kept == [3, 3]


def test_half_a_state_changes_nothing(github, ask):
    before = store.plain(github.state)
    half = {name: part for name, part in before.items() if name != "things"}
    assert ask("/_sandbox/state", "POST", half)[0] == 422
    assert store.plain(github.state) == before


def test_a_delivery_of_ones_own_is_signed_listed_and_changes_nothing(github, ask):
    got = []

    def receive(headers, body):
        got.append((headers, body))
        return 202

    github.deliver_to(receive)
    before = store.plain(github.state)
    guid = "6f1d5a5e-3f0b-4f7e-9a53-0f4f6a1b7c21"
    told = {"event": "star", "payload": {"action": "created"}, "guid": guid, "content_type": FORM}
    (first, again) = (ask("/_sandbox/deliveries", "POST", dict(told))[1] for _ in range(2))
    assert (first["guid"], first["action"], first["status_code"]) == (guid, "created", 202)
    assert (first["redelivery"], again["redelivery"]) == (False, True)
    assert [one["id"] for one in ask("/app/hook/deliveries")[1]] == [again["id"], first["id"]]
    headers, body = got[0]
    verify_signature(body, headers, ["the hook's secret"])
    assert decode_payload(body, headers["Content-Type"]) == {"action": "created"}
    assert store.plain(github.state) == before


def test_without_a_hook_ones_own_delivery_is_lost(ask):
    assert ask("/_sandbox/deliveries", "POST", {"event": "star", "payload": {}}) == (200, None)


@pytest.mark.parametrize(
    "path,body",
    [
        ("state", {}),
        ("deliveries", {}),
        ("deliveries", {"event": "star", "payload": "none"}),
        ("deliveries", {"event": "star", "payload": {}, "guid": "none"}),
        ("deliveries", {"event": "star", "payload": {}, "nonsense": 1}),
        ("changes", {"change": "explode"}),
        ("changes", {"change": "_pull"}),
        ("changes", {}),
        ("changes", {"change": "push", "repository_id": 1, "number": 1}),
        ("changes", {"change": "push", "nonsense": 1}),
        ("changes", {"change": "close_issue", "repository_id": REPOSITORY, "number": 1}),
        ("changes", []),
        ("faults", {"pattern": ".*", "kind": "earthquake"}),
        ("clock", {"at": "noon"}),
    ],
)
def test_what_makes_no_sense_is_refused_with_a_sentence(ask, path, body):
    status, refusal = ask(f"/_sandbox/{path}", "POST", body)
    assert status == 422
    assert refusal["message"]


def test_every_change_is_known_by_its_name():
    assert {"open_pull_request", "uninstall", "switch_issues", "rename_repository"} <= CHANGES
    assert not any(name.startswith("_") for name in CHANGES)
