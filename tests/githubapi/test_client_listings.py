"""Complete or nothing: whatever goes wrong at whichever page, a listing is never shorter than the truth."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from githubapi.client import AppClient
from githubapi.errors import GithubError
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


@pytest.mark.parametrize("fault", [fault for fault in FAULTS if fault != "no Link"])
@pytest.mark.parametrize("page", range(2, PAGES + 1))
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
