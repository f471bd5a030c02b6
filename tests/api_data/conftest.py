"""Rows of every kind to be shown, and what calls for them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest

from sandbox.server import SandboxGithub, worlds
from tests.api.conftest import caller, user_with
from tests.api_data.runs import Runs
from tests.api_data.workers import Worker
from tests.api_data.world import receive
from tests.github_app import APP_ID, private_key
from tests.webhooks.hook import SECRET, SLUG
from webhooks.services import workflow_runs

__all__ = ["caller", "user_with"]

API = "/api/v1"


@pytest.fixture
def ask(caller: Callable[..., Any]) -> Callable[..., Any]:
    """GET a path below /api/v1 as a viewer and return the JSON of a good answer."""
    client = caller("viewer")

    def ask(path: str, query: dict[str, Any] | None = None, **headers: str) -> Any:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        answer = client.get(f"{API}/{path}", query or {}, headers=named)
        assert answer.status_code == 200, answer.content
        return answer.json()

    return ask


@pytest.fixture
def github(settings: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[SandboxGithub]:
    """GitHub with one repository of three pull requests."""
    state = worlds.regular(installations=2, repositories=1, pull_requests=3)
    with SandboxGithub(state, secret=SECRET, receiver=receive) as running:
        running.hook.held = True
        settings.GITHUB_API_URL = running.url
        settings.GITHUB_APP_ID = APP_ID
        settings.GITHUB_APP_PRIVATE_KEY = private_key()
        settings.GITHUB_APP_SLUG = SLUG
        settings.GITHUB_WEBHOOK_SECRETS = [SECRET]
        quick = replace(workflow_runs.LIMITS, first_pause=0.0, longest_pause=0.0)
        monkeypatch.setattr(workflow_runs, "LIMITS", quick)
        yield running


@pytest.fixture
def runs(github: Any, caller: Callable[..., Any]) -> Runs:
    return Runs(github, caller("operator"))


@pytest.fixture
def worker(caller: Callable[..., Any]) -> Worker:
    return Worker(caller("operator"))
