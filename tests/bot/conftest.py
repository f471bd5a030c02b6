from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from bot.services import reach
from sandbox.server import SandboxGithub, worlds
from tests.bot.world import World, receive
from tests.clock import DrivenClock
from tests.factories import InstallationFactory
from tests.github_app import APP_ID, INSTALLATION, private_key
from tests.webhooks.hook import SECRET, SLUG


@pytest.fixture
def github(settings: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[SandboxGithub]:
    """GitHub with two repositories of six pull requests each, none of them behind its base."""
    state = worlds.regular(repositories=2, pull_requests=6, issues=2)
    with SandboxGithub(state, secret=SECRET, receiver=receive) as running:
        settings.GITHUB_API_URL = running.url
        settings.GITHUB_APP_ID = APP_ID
        settings.GITHUB_APP_PRIVATE_KEY = private_key()
        settings.GITHUB_APP_SLUG = SLUG
        settings.GITHUB_WEBHOOK_SECRETS = [SECRET]
        monkeypatch.setattr(reach, "LIMITS", replace(reach.LIMITS, first_pause=0.0, longest_pause=0.0))
        yield running


@pytest.fixture
def world(clock: DrivenClock, github: SandboxGithub) -> World:
    InstallationFactory(installation_id=INSTALLATION, account_login="account-1", processing_state="PROCESSED")
    return World(github)
