from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from sandbox.server import SandboxGithub, worlds
from sync.services import github as way
from tests.api.conftest import caller, user_with  # noqa: F401 (fixtures)
from tests.bot.world import receive
from tests.clock import DrivenClock
from tests.factories import InstallationFactory, RepositoryFactory
from tests.github_app import APP_ID, INSTALLATION, REPOSITORY, private_key
from tests.submissions.world import World
from tests.webhooks.hook import SECRET, SLUG


@pytest.fixture
def github(settings: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[SandboxGithub]:
    """GitHub with one repository that has no pull request yet."""
    with SandboxGithub(worlds.regular(), secret=SECRET, receiver=receive) as running:
        settings.GITHUB_API_URL = running.url
        settings.GITHUB_APP_ID = APP_ID
        settings.GITHUB_APP_PRIVATE_KEY = private_key()
        settings.GITHUB_APP_SLUG = SLUG
        settings.GITHUB_WEBHOOK_SECRETS = [SECRET]
        monkeypatch.setattr(way, "LIMITS", replace(way.LIMITS, first_pause=0.0, longest_pause=0.0))
        yield running


@pytest.fixture
def known(db: None) -> None:
    """Our rows of the installation and its repository."""
    InstallationFactory(installation_id=INSTALLATION, account_login="account-1", processing_state="PROCESSED")
    RepositoryFactory(
        github_id=REPOSITORY,
        owner_login="account-1",
        name="repository-1",
        installation_id=INSTALLATION,
        processing_state="PROCESSED",
    )


@pytest.fixture
def world(clock: DrivenClock, github: SandboxGithub, known: None) -> World:
    return World(github, clock)
