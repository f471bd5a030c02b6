"""What the demo asks of the product: something to merge, and a pull request handed in, over its own doors."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import User

from merge import selectors as merging
from sandbox import cast
from sandbox.mergeable import GREEN_CODE, GREEN_DOCUMENTS, RED_DOCUMENTS
from sandbox.server import SandboxGithub, worlds
from tests.factories import InstallationFactory, RepositoryFactory
from tests.github_app import APP_ID, private_key
from tests.webhooks.hook import SECRET
from tools import demo_work
from tools.processes import StepFailedError
from workqueue.models import WorkItem

PASSWORD = "long-enough-for-the-validators"
NOW = datetime(2026, 3, 4, 9, tzinfo=UTC)


@pytest.fixture
def github(settings: Any) -> Any:
    settings.GITHUB_APP_ID, settings.GITHUB_APP_PRIVATE_KEY = APP_ID, private_key()
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
    with SandboxGithub(worlds.of_the_demo(NOW), secret=SECRET) as running:
        settings.GITHUB_API_URL = running.url
        running.hook.held = True
        yield running


def known(repository: Any) -> None:
    """Store what the story has told of a repository before."""
    installation = repository.installation
    account = installation.account.login
    InstallationFactory(installation_id=installation.id, account_login=account)
    RepositoryFactory(
        github_id=repository.id, owner_login=account, name=repository.name, installation_id=installation.id
    )


def titles(github: SandboxGithub, repository: Any) -> list[str]:
    return [thing.title for thing in github.state.things[repository.id].values()]


def test_something_is_opened_for_merging_and_asked_for(live_server, github):
    for repository in (cast.ATLAS_API, cast.DOTFILES):
        known(repository)
    User.objects.create_superuser("demo", password=PASSWORD)
    demo_work.ask_for_all(github.url, lambda: demo_work.Person(live_server.url, "demo", PASSWORD))
    for fresh in (GREEN_DOCUMENTS, RED_DOCUMENTS, GREEN_CODE):
        assert fresh.title in titles(github, fresh.repository)
    (merge,) = merging.merges()
    assert (merge.place.partition("#")[0], str(merging.status(merge))) == (
        "northwind-labs/atlas-api",
        "pending",
    )
    assert WorkItem.objects.get(item_type="pull_request").subject == (
        "mira-solano/dotfiles: tidy/editor-settings"
    )
    assert "over the API as demo" in LogEntry.objects.get().change_message


def test_what_cannot_be_asked_for_ends_the_demo_with_a_sentence(live_server, github):
    with pytest.raises(StepFailedError, match="POST /api/v1/merges with 401"):
        demo_work.ask_for_all(github.url, lambda: demo_work.Person(live_server.url, "demo", "wrong"))
    with pytest.raises(StepFailedError, match="No pull request can be opened at"):
        demo_work.ask_for_all(
            "http://127.0.0.1:9/", lambda: demo_work.Person(live_server.url, "demo", PASSWORD)
        )


def test_it_is_asked_for_once(tmp_path):
    assert not demo_work.is_done(tmp_path)
    demo_work.note_done(tmp_path)
    assert demo_work.is_done(tmp_path)
