"""Complete or nothing: whatever goes wrong at whichever page, a listing is never shorter than the truth."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from githubapi.client import AppClient
from githubapi.errors import GithubError, Transient
from sandbox.server import SandboxGithub, worlds
from sandbox.server.state import State
from tests.github_app import INSTALLATION, REPOSITORY, app_client

PAGES = 3
ITEMS = 25  # two full pages of 10 and a short one

Listing = Callable[[AppClient], list[Any]]

LISTINGS: dict[str, tuple[str, Listing]] = {
    "installations": ("/app/installations", lambda app: app.installations()),
    "repositories": (
        "/installation/repositories",
        lambda app: app.for_installation(INSTALLATION).repositories(),
    ),
    "pull requests": (
        rf"/repositories/{REPOSITORY}/pulls",
        lambda app: app.for_installation(INSTALLATION).open_pull_requests(REPOSITORY, some_expected=True),
    ),
    "issues": (
        rf"/repositories/{REPOSITORY + 1}/issues",
        lambda app: app.for_installation(INSTALLATION).open_issues(REPOSITORY + 1, some_expected=True),
    ),
    "branches": (
        rf"/repositories/{REPOSITORY + 1}/branches",
        lambda app: app.for_installation(INSTALLATION).branches(REPOSITORY + 1),
    ),
}

FAULTS: dict[str, dict[str, Any]] = {
    "502": {"kind": "status", "status": 502},
    "500": {"kind": "status", "status": 500},
    "404": {"kind": "status", "status": 404, "message": "Not Found"},
    "403": {"kind": "status", "status": 403, "message": "Resource not accessible by integration"},
    "primary limit": {"kind": "primary_limit", "seconds": 3300},
    "secondary limit": {"kind": "secondary_limit"},
    "429": {"kind": "status", "status": 429, "message": "Too many requests"},
    "empty page": {"kind": "empty"},
    "empty page with Link": {"kind": "empty_announced"},
    "dropped page": {"kind": "drop"},
    "shifted page": {"kind": "repeat"},
    "no Link": {"kind": "no_link"},
    "Link past a page": {"kind": "skip"},
    "half the JSON": {"kind": "truncate"},
    "empty body": {"kind": "body"},
    "204": {"kind": "body", "status": 204},
    "304": {"kind": "body", "status": 304},
    "202": {"kind": "body", "status": 202, "text": "{}"},
    "object": {"kind": "body", "text": '{"message": "ok"}'},
    "HTML": {"kind": "html"},
    "302 to another server": {"kind": "redirect", "status": 302, "location": "https://elsewhere.example/"},
    "disconnect": {"kind": "disconnect"},
    "cut connection": {"kind": "cut"},
}


def world() -> State:
    """25 installations, the first with 25 repositories: one full of pull requests, one of all else."""
    state = worlds.regular(repositories=ITEMS)
    for installation in worlds.regular(installations=ITEMS, repositories=0).installations.values():
        state.add_installation(installation)
    worlds.fill(state, state.repositories[REPOSITORY], pull_requests=ITEMS)
    worlds.fill(state, state.repositories[REPOSITORY + 1], issues=ITEMS, branches=ITEMS - 1)
    return state


@pytest.fixture(scope="module")
def running() -> Iterator[SandboxGithub]:
    with SandboxGithub(world()) as github:
        yield github


@pytest.fixture
def github(running: SandboxGithub) -> SandboxGithub:
    """The one server of this module, healed and with an empty log."""
    running.heal()
    running.log.clear()
    return running


@pytest.mark.parametrize("name", LISTINGS)
def test_an_unspoilt_listing_is_whole_and_costs_one_request_a_page(github, name):
    path, read = LISTINGS[name]
    with app_client(github.url) as app:
        assert len(read(app)) == ITEMS
    assert len(github.requests(path)) == PAGES


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("page", range(1, PAGES + 1))
@pytest.mark.parametrize("name", LISTINGS)
def test_a_fault_at_any_page_is_healed_or_raised(github, name, page, fault):
    path, read = LISTINGS[name]
    github.inject(path, page=page, **FAULTS[fault])
    with app_client(github.url) as app:
        try:
            found = len(read(app))
        except GithubError:
            found = ITEMS
        assert found == ITEMS


# Without any Link header the pages are found all the same (below), and the last page links to none.
STAYING = [
    (page, fault)
    for page in range(2, PAGES + 1)
    for fault in FAULTS
    if fault != "no Link" and (page, fault) != (PAGES, "Link past a page")
]


@pytest.mark.parametrize("page,fault", STAYING)
@pytest.mark.parametrize("name", LISTINGS)
def test_a_fault_that_stays_is_raised(github, name, page, fault):
    path, read = LISTINGS[name]
    github.inject(path, page=page, times=None, **FAULTS[fault])
    with app_client(github.url) as app, pytest.raises(GithubError):
        read(app)


@pytest.mark.parametrize("name", LISTINGS)
def test_without_any_link_header_the_pages_are_found_all_the_same(github, name):
    path, read = LISTINGS[name]
    github.inject(path, "no_link", times=None)
    with app_client(github.url) as app:
        assert len(read(app)) == ITEMS


@pytest.mark.parametrize("kind", ["empty", "empty_announced", "drop", "repeat", "skip"])
@pytest.mark.parametrize("name", LISTINGS)
def test_a_list_that_changed_while_it_was_read_is_read_once_more(github, name, kind):
    path, read = LISTINGS[name]
    github.inject(path, kind, page=2)
    with app_client(github.url) as app:
        assert len(read(app)) == ITEMS
    assert [int(one.query["page"]) for one in github.requests(path)][-PAGES:] == [1, 2, 3]


@pytest.mark.parametrize("page", range(1, PAGES + 1))
def test_f12_a_list_shorter_than_its_own_total_is_an_error(github, page):
    path, read = LISTINGS["repositories"]
    github.inject(path, "lose", page=page, times=None)
    with app_client(github.url) as app, pytest.raises(Transient) as caught:
        read(app)
    assert caught.value.reason == "incomplete_listing"


def test_a_list_that_never_stands_still_is_an_error(github):
    path, read = LISTINGS["branches"]
    github.inject(path, "repeat", page=2, times=None)
    with app_client(github.url) as app, pytest.raises(Transient) as caught:
        read(app)
    assert caught.value.reason == "unstable_listing"
    assert len(github.requests(path)) == 4


def test_exactly_one_full_page_costs_one_look_behind_it():
    with SandboxGithub(worlds.regular(pull_requests=10)) as github, app_client(github.url) as app:
        assert len(app.for_installation(INSTALLATION).open_pull_requests(REPOSITORY)) == 10
        assert len(github.requests(f"/repositories/{REPOSITORY}/pulls")) == 2


def test_exactly_two_full_pages_need_no_look_for_the_second_says_that_it_is_the_last():
    with SandboxGithub(worlds.regular(pull_requests=20)) as github, app_client(github.url) as app:
        assert len(app.for_installation(INSTALLATION).open_pull_requests(REPOSITORY)) == 20
        assert len(github.requests(f"/repositories/{REPOSITORY}/pulls")) == 2


def test_nothing_is_believed_at_once_where_nothing_was_expected():
    with SandboxGithub(worlds.regular()) as github, app_client(github.url) as app:
        client = app.for_installation(INSTALLATION)
        assert client.open_pull_requests(REPOSITORY) == []
        assert client.open_issues(REPOSITORY, some_expected=True) == []
        assert len(github.requests(".*/pulls")) == 1
        assert len(github.requests(".*/issues")) == 2
