"""The pretended GitHub as an outsider sees it: who may ask what, pages, redirects, quotas, deliveries,
faults.
"""

from __future__ import annotations

import http.client
import json
import threading
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import urlsplit

import pytest
import time_machine

from githubapi.protocol import verify_signature
from sandbox.server import SandboxGithub, worlds
from sandbox.server.changer import CHANGES
from tests.github_app import INSTALLATION, REPOSITORY, jwt

SECRET = "the hook's secret"
PULLS = f"/repositories/{REPOSITORY}/pulls"


@pytest.fixture
def github() -> Iterator[SandboxGithub]:
    state = worlds.regular(installations=2, repositories=2, pull_requests=12, issues=3)
    with SandboxGithub(state, secret=SECRET) as running:
        yield running


class Caller:
    """Plain HTTP over one connection."""

    def __init__(self, url: str) -> None:
        self.connection = http.client.HTTPConnection(urlsplit(url).netloc, timeout=5)
        self.url = url
        self.credential = f"Bearer {jwt()}"
        self.headers: dict[str, str] = {}

    def __call__(self, path: str, verb: str = "GET", body: Any = None) -> tuple[int, Any]:
        text = None if body is None else json.dumps(body)
        self.connection.request(verb, path, text, {"Authorization": self.credential})
        response = self.connection.getresponse()
        self.headers = {name.lower(): value for name, value in response.getheaders()}
        read = response.read()
        return response.status, json.loads(read) if read else None

    def become(self, installation_id: int) -> None:
        self.credential = f"Bearer {jwt()}"
        self.credential = (
            f"token {self(f'/app/installations/{installation_id}/access_tokens', 'POST')[1]['token']}"
        )


@pytest.fixture
def ask(github: SandboxGithub) -> Iterator[Caller]:
    caller = Caller(github.url)
    yield caller
    caller.connection.close()


# --- who may ask
# -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "credential", ["", "Bearer", "Bearer a.b.c", "Bearer bm8.bm8.bm8", "token ghs_unknown", "Basic abc"]
)
def test_nobody_known_gets_401(ask, credential):
    ask.credential = credential
    assert ask("/app")[0] == 401
    assert ask("/installation/repositories")[0] == 401


def test_an_old_jwt_and_another_apps_are_refused(github, ask):
    with time_machine.travel(datetime.now(UTC) - timedelta(hours=1)):
        ask.credential = f"Bearer {jwt()}"
    assert ask("/app")[0] == 401
    ask.credential = f"Bearer {jwt()}"
    assert ask("/app")[0] == 200
    github.state.app_id = 7
    assert ask("/app")[0] == 401


def test_a_token_ends_by_the_sandboxs_clock(github, ask):
    ask.become(INSTALLATION)
    assert ask(PULLS)[0] == 200
    github.clock.shift(3599)
    assert ask(PULLS)[0] == 200
    github.clock.shift(1)
    assert ask(PULLS)[0] == 401


def test_an_installation_sees_its_own_and_public_repositories(ask):
    ask.become(INSTALLATION + 1)
    assert ask(f"/repositories/{REPOSITORY}")[0] == 200
    assert ask(f"/repositories/{REPOSITORY + 1}")[0] == 404  # private
    assert ask("/installation/repositories")[1]["total_count"] == 2


# --- pages, names, quotas
# ------------------------------------------------------------------------------------------


def test_pages_are_linked_as_githubs_are(github, ask):
    ask.become(INSTALLATION)
    assert len(ask(f"{PULLS}?per_page=5&page=2&state=open")[1]) == 5
    start = f"<{github.url}{PULLS}?per_page=5&page="
    assert ask.headers["link"] == ", ".join(
        f'{start}{page}&state=open>; rel="{relation}"'
        for relation, page in (("prev", 1), ("next", 3), ("last", 3), ("first", 1))
    )
    ask(f"{PULLS}?per_page=5&page=3")
    assert 'rel="next"' not in ask.headers["link"]
    assert ask(f"{PULLS}?per_page=5&page=9")[1] == []
    assert len(ask(f"{PULLS}?per_page=1000")[1]) == 12
    assert "link" not in ask.headers


def test_state_sort_and_direction_are_heeded(github, ask):
    ask.become(INSTALLATION)
    github.changes.close_pull_request(REPOSITORY, 3)
    github.clock.shift(60)
    github.changes.edit_pull_request(REPOSITORY, 5, title="Newer")
    assert [one["number"] for one in ask(f"{PULLS}?state=closed")[1]] == [3]
    assert [one["number"] for one in ask(PULLS)[1]][:2] == [12, 11]
    assert [one["number"] for one in ask(f"{PULLS}?direction=asc")[1]][:3] == [1, 2, 4]
    assert ask(f"{PULLS}?sort=updated&state=all")[1][0]["title"] == "Newer"


def test_every_address_in_an_answer_points_to_the_sandbox(github, ask):
    ask.become(INSTALLATION)
    _, pulls = ask(PULLS)
    assert "api.github.com" not in json.dumps(pulls)
    assert ask(pulls[0]["url"].removeprefix(github.url))[1]["id"] == pulls[0]["id"]


def test_an_old_name_redirects_with_the_query_until_it_is_taken(github, ask):
    ask.become(INSTALLATION)
    github.changes.rename_repository(REPOSITORY, "new")
    status, body = ask("/repos/account-1/Repository-1/pulls?state=all&page=1")
    assert (status, ask.headers["location"]) == (301, body["url"])
    assert body["url"] == f"{github.url}{PULLS}?state=all&page=1"
    assert ask("/repos/ACCOUNT-1/new")[1]["id"] == REPOSITORY
    taken = github.changes.create_repository(INSTALLATION, "repository-1")
    assert ask("/repos/account-1/repository-1")[1]["id"] == taken.id


def test_a_quota_is_counted_for_each_asker_and_begins_anew_after_an_hour(github, ask):
    ask.become(INSTALLATION)
    github.service.quotas.limit = 2
    assert [ask(PULLS)[0] for _ in range(3)] == [200, 200, 403]
    assert ask.headers["x-ratelimit-remaining"] == "0"
    assert ask("/rate_limit")[1]["rate"]["used"] == 2
    github.clock.shift(3599)
    assert ask(PULLS)[0] == 403
    github.clock.shift(1)
    ask.become(INSTALLATION)
    assert ask(PULLS)[0] == 200


# --- deliveries
# ----------------------------------------------------------------------------------------------------


class Inbox:
    def __init__(self) -> None:
        self.got: list[tuple[str, dict[str, Any]]] = []
        self.status = 202

    def __call__(self, headers, body):
        verify_signature(body, headers, [SECRET])
        self.got.append((headers["X-GitHub-Event"], json.loads(body)))
        return self.status


def test_every_change_is_delivered_signed_before_it_returns(github):
    inbox = Inbox()
    github.deliver_to(inbox)
    made = github.changes.open_pull_request(REPOSITORY, "New")
    github.changes.push(REPOSITORY, made.number, by="someone")
    github.changes.close_pull_request(REPOSITORY, made.number, merged=True)
    github.changes.close_issue(REPOSITORY, 13)
    github.changes.create_branch(REPOSITORY, "b")
    github.changes.delete_branch(REPOSITORY, "b")
    github.changes.transfer_repository(REPOSITORY, "another")
    github.changes.suspend(INSTALLATION + 1)
    said = [(event, body.get("action")) for event, body in inbox.got]
    assert said == [
        ("pull_request", "opened"),
        ("pull_request", "synchronize"),
        ("pull_request", "closed"),
        ("issues", "closed"),
        ("create", None),
        ("push", None),
        ("delete", None),
        ("push", None),
        ("repository", "transferred"),
        ("installation", "suspend"),
    ]
    assert inbox.got[1][1]["sender"]["login"] == "someone"
    assert inbox.got[2][1]["pull_request"]["merged"] is True
    assert inbox.got[-2][1]["repository"]["full_name"] == "another/repository-1"
    assert "installation" not in inbox.got[-2][1]
    assert len(github.hook.attempts) == len(said)


def test_what_a_change_says_is_what_is_answered_afterwards(github, ask):
    ask.become(INSTALLATION)
    inbox = Inbox()
    github.deliver_to(inbox)
    github.changes.edit_pull_request(REPOSITORY, 1, title="Edited", auto_merge=True)
    assert ask(f"{PULLS}/1")[1] == inbox.got[0][1]["pull_request"]


def test_without_a_receiver_a_delivery_is_lost_for_good(github):
    github.changes.open_issue(REPOSITORY, "Lost")
    assert github.hook.attempts == {}


def test_a_held_hook_delivers_in_order_when_it_is_flushed(github, ask):
    inbox = Inbox()
    github.deliver_to(inbox)
    github.hook.held = True
    github.changes.open_issue(REPOSITORY, "One")
    github.changes.open_issue(REPOSITORY, "Two")
    ask("/app")
    assert inbox.got == []
    github.hook.flush()
    assert [body["issue"]["title"] for _, body in inbox.got] == ["One", "Two"]


def test_a_redelivery_is_a_second_attempt_under_the_first_guid(github, ask):
    inbox = Inbox()
    inbox.status = 500
    github.deliver_to(inbox)
    github.changes.open_issue(REPOSITORY, "One")
    (first,) = ask("/app/hook/deliveries")[1]
    assert (first["status_code"], first["redelivery"]) == (500, False)
    inbox.status = 202
    assert ask(f"/app/hook/deliveries/{first['id']}/attempts", "POST")[0] == 202
    second, _ = ask("/app/hook/deliveries")[1]
    assert (second["status_code"], second["redelivery"], second["guid"]) == (202, True, first["guid"])
    assert inbox.got[0] == inbox.got[1]


def test_deliveries_are_paged_by_a_cursor(github, ask):
    github.deliver_to(lambda headers, body: 202)
    for number in range(5):
        github.changes.open_issue(REPOSITORY, str(number))
    found, path = [], "/app/hook/deliveries?per_page=2"
    while path:
        found += [one["id"] for one in ask(path)[1]]
        link = ask.headers.get("link", "")
        path = link[1 : link.index(">")].removeprefix(github.url) if link else ""
    assert found == sorted(github.hook.attempts, reverse=True)


# --- faults
# --------------------------------------------------------------------------------------------------------


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


# --- the control API
# ------------------------------------------------------------------------------------------------


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


@pytest.mark.parametrize(
    "path,body",
    [
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
