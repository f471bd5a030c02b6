"""The pretended GitHub as an outsider sees it: who may ask what, pages, redirects, quotas."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest
import time_machine

from sandbox.server import SandboxGithub, worlds
from tests.github_app import INSTALLATION, REPOSITORY, jwt
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
