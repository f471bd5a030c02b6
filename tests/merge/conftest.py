from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from merge import setting_specs
from sandbox.server import SandboxGithub, worlds
from sync.services import github as way_to_github
from tests.api.conftest import caller, user_with  # noqa: F401 (fixtures)
from tests.bot.world import receive
from tests.clock import DrivenClock
from tests.factories import InstallationFactory, RepositoryFactory
from tests.github_app import APP_ID, INSTALLATION, REPOSITORY, private_key
from tests.merge.world import World
from tests.monitor.conftest import person, see, viewer  # noqa: F401 (fixtures)
from tests.webhooks.hook import SECRET, SLUG


@pytest.fixture
def github(settings: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[SandboxGithub]:
    """GitHub with one empty repository."""
    with SandboxGithub(worlds.regular(), secret=SECRET, receiver=receive) as running:
        settings.GITHUB_API_URL = running.url
        settings.GITHUB_APP_ID = APP_ID
        settings.GITHUB_APP_PRIVATE_KEY = private_key()
        settings.GITHUB_APP_SLUG = SLUG
        settings.GITHUB_WEBHOOK_SECRETS = [SECRET]
        quick = replace(way_to_github.LIMITS, first_pause=0.0, longest_pause=0.0)
        monkeypatch.setattr(way_to_github, "LIMITS", quick)
        yield running


@pytest.fixture
def world(clock: DrivenClock, github: SandboxGithub) -> World:
    """The world with its installation and repository known, and merging switched on, under the driven clock."""
    return known_world(github)


@pytest.fixture
def real_world(transactional_db: None, github: SandboxGithub) -> World:
    """The same in real time, for tests over several processes."""
    return known_world(github)


def known_world(github: SandboxGithub) -> World:
    InstallationFactory(installation_id=INSTALLATION, account_login="account-1", processing_state="PROCESSED")
    RepositoryFactory(
        github_id=REPOSITORY, owner_login="account-1", name="repository-1", installation_id=INSTALLATION
    )
    made = World(github)
    made.set(setting_specs.SWITCH.enabled, "on")
    return made
