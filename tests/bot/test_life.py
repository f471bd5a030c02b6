"""The full life of abandoned pull requests: stale, retried, updated, echoed, waiting longer, given up on."""

from __future__ import annotations

from collections import defaultdict
from datetime import datetime, timedelta
from itertools import pairwise
from typing import Any

import pytest

from core.passes import run_pass
from githubapi.client import InstallationClient
from idle.passes import IDLE
from sandbox.server import SandboxGithub, worlds
from tests.bot.world import World, told
from tests.clock import DrivenClock
from tests.factories import InstallationFactory, RepositoryFactory
from tests.github_app import INSTALLATION, REPOSITORY
from tests.idle import stored
from webhooks.models import Delivery, PullRequest

UPDATE = r"/repositories/(\d+)/pulls/\d+/update-branch"
DAY = timedelta(days=1)
RETRY_DAYS = [1, 3, 6, 10, 15, 21, 28, 36, 45, 55]


class Life:
    """So many repositories, an installation each; a pull request is opened in one after the other and left alone."""

    def __init__(self, world: World, clock: DrivenClock, repositories: int) -> None:
        self.world = world
        self.clock = clock
        self.hours = 0
        self.repositories = range(REPOSITORY, REPOSITORY + repositories)
        self.opened: dict[int, datetime] = {}
        self.retries: dict[int, list[datetime]] = defaultdict(list)
        for number, repository_id in enumerate(self.repositories):
            self._store(number, repository_id)

    def _store(self, number: int, repository_id: int) -> None:
        repository = self.world.github.state.repositories[repository_id]
        InstallationFactory(installation_id=INSTALLATION + number, processing_state="PROCESSED")
        RepositoryFactory(
            github_id=repository_id,
            owner_login=repository.owner.login,
            name=repository.name,
            installation_id=INSTALLATION + number,
            processing_state="PROCESSED",
        )

    def live(self, *, hours: int, every: int = 2) -> None:
        """Open one every so many hours, move each base once a day, and let the idle pass run hourly."""
        for _ in range(hours):
            if self.hours % every == 0 and len(self.opened) < len(self.repositories):
                self._open(self.repositories[len(self.opened)])
            # At an hour in which none is opened: so each is behind its base at every retry, and at no other time.
            if self.hours % 24 == 13:
                for repository_id in self.repositories:
                    self.world.changes.move_base(repository_id)
            self._hour()
            self.clock.shift(hours=1)
            self.hours += 1

    def _open(self, repository_id: int) -> None:
        self.world.changes.open_pull_request(repository_id, "Left alone", by="mira")
        self.opened[repository_id] = self.clock.now

    def _hour(self) -> None:
        self.world.deliver()
        self.world.work()
        assert stored.seen() == stored.expected(self.clock.now)
        run_pass(IDLE)
        for row in PullRequest.objects.filter(processing_state="IDLE"):
            self.retries[row.repository_id or 0].append(self.clock.now)
        self.world.work()
        assert not PullRequest.objects.exclude(processing_state="PROCESSED").exists()

    def days(self, repository_id: int) -> list[float]:
        return [(at - self.opened[repository_id]) / DAY for at in self.retries[repository_id]]

    def updates(self) -> dict[int, int]:
        """Return how many branch updates GitHub has accepted, by repository."""
        counts: dict[int, int] = defaultdict(int)
        for one in self.world.github.requests(UPDATE):
            assert one.status == 202
            counts[int(one.path.split("/")[2])] += 1
        return dict(counts)


@pytest.fixture
def echo_at_once(monkeypatch: pytest.MonkeyPatch, github: SandboxGithub) -> None:
    """The Events of an update arrive while its row is still being worked on, as they do."""
    update = InstallationClient.update_branch

    def updated(self: InstallationClient, *arguments: Any) -> Any:
        answer = update(self, *arguments)
        github.hook.flush()
        return answer

    monkeypatch.setattr(InstallationClient, "update_branch", updated)


def of_repositories(github: SandboxGithub, number: int) -> None:
    """Give GitHub so many repositories without anything in them, each of an installation of its own."""
    state = worlds.regular(installations=number, repositories=1)
    for installation in state.installations.values():
        github.state.add_installation(installation)
    github.state.repositories.clear()
    for repository in state.repositories.values():
        github.state.add_repository(repository)
        github.state.things[repository.id] = {}


@pytest.fixture
def life(clock: DrivenClock, github: SandboxGithub, echo_at_once: None, request: Any) -> Life:
    of_repositories(github, request.param)
    return Life(World(github), clock, request.param)


def check_echoes(life: Life) -> None:
    """Each update came back as an Event of our own, and none of them reset anything."""
    for row in PullRequest.objects.all():
        repository = row.repository_id or 0
        assert row.idle_retry_count == len(life.retries[repository])
        assert len(told(row, "echo")) == len(told(row, "branch_update")) == life.updates().get(repository, 0)


@pytest.mark.parametrize("life", [3], indirect=True)
def test_four_days_of_three_repositories(life: Life):
    life.live(hours=4 * 24)
    assert [life.days(repository) for repository in life.repositories] == [[1, 3]] * 3
    assert life.updates() == dict.fromkeys(life.repositories, 2)
    assert len(life.world.writes()) == 6
    assert Delivery.objects.filter(status="echo", event="pull_request").count() == 6
    check_echoes(life)
    row = PullRequest.objects.first()
    kinds = [kind for kind, _ in told(row)]
    assert kinds[:3] == ["event", "claim", "finalize"]
    assert kinds[3:8] == ["idle_retry", "claim", "echo", "branch_update", "finalize"]


@pytest.mark.parametrize("life", [1], indirect=True)
@pytest.mark.prove
def test_b1_8_one_on_a_moving_base_is_retried_ten_times_and_given_up_on(life: Life):
    life.live(hours=66 * 24)
    assert life.days(REPOSITORY) == RETRY_DAYS
    assert life.updates() == {REPOSITORY: 10}
    assert len(life.world.writes()) == 10
    check_echoes(life)
    assert [line.status for line in stored.seen()] == ["GAVE_UP"]


@pytest.mark.parametrize("life", [40], indirect=True)
@pytest.mark.prove
def test_sixty_days_of_forty_repositories_one_uninstalled_one_archived(life: Life):
    uninstalled, archived = life.repositories[0], life.repositories[1]
    life.live(hours=80, every=2)
    life.world.changes.uninstall(INSTALLATION, by="mira")
    life.world.changes.archive_repository(archived, by="mira")
    gone = {repository: len(life.retries[repository]) for repository in (uninstalled, archived)}
    life.live(hours=60 * 24)
    for repository in life.repositories[2:]:
        assert len(life.retries[repository]) == len(RETRY_DAYS)
        touched = [life.opened[repository], *life.retries[repository]]
        for wait, (before, at) in enumerate(pairwise(touched), start=1):
            assert timedelta(0) <= at - before - wait * DAY <= DAY
    assert {repository: len(life.retries[repository]) for repository in gone} == gone
    retries = {repository: len(found) for repository, found in life.retries.items() if found}
    assert life.updates() == retries
    assert len(life.world.writes()) == sum(retries.values())
    check_echoes(life)
