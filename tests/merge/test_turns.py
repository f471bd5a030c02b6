"""F32, F08: a run that is cut short, or dies, goes on where it ended; nobody keeps the others from their turn."""

from __future__ import annotations

import pytest

from core.models import PassRun
from core.passes import Run
from merge.models import Turn
from merge.rules.rule import refused
from merge.services import considering, polling
from sandbox.server import worlds
from tests.factories import InstallationFactory, RepositoryFactory
from tests.github_app import INSTALLATION, REPOSITORY
from tests.merge.world import CODE, World

pytestmark = pytest.mark.django_db


class Killed(BaseException):
    """Nothing that anybody catches: the process is gone."""


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, int]]:
    """The pull requests that GitHub was asked about, in order."""
    asked: list[tuple[int, int]] = []

    def listening(place, number):
        asked.append((place.repository_id, number))
        return original(place, number)

    original = considering._read
    monkeypatch.setattr(considering, "_read", listening)
    return asked


def cut_off_after(monkeypatch: pytest.MonkeyPatch, steps: int) -> None:
    """Let every run's time be over after so many questions whether it is."""
    left: dict[int, int] = {}

    def out_of_time(run: Run, *, needed: float = 0) -> bool:
        left[run.record_id] = left.get(run.record_id, steps) - 1
        run.stopped_early = left[run.record_id] < 0
        return run.stopped_early

    monkeypatch.setattr(Run, "out_of_time", out_of_time)


def numbers(read: list[tuple[int, int]]) -> list[int]:
    return [number for _, number in read]


def test_those_seen_longest_ago_come_first_so_that_a_run_cut_short_goes_on_where_it_ended(
    world, clock, monkeypatch
):
    first = world.open("First", files=CODE)
    world.tick()
    clock.shift(minutes=10)
    second, third = world.open("Second", files=CODE), world.open("Third")
    order: list[int] = []

    def consider(place, number, *_):
        order.append(number)
        return considering.Considered(considering.Ending.HELD, refused("held", "It is held."))

    monkeypatch.setattr(polling, "consider", consider)
    world.tick()
    assert order == [second, third, first]


def test_f32_refusals_that_stand_do_not_keep_the_others_from_their_turn(world, clock, monkeypatch, read):
    code = [world.open(f"Code {n}", files=CODE) for n in range(3)]
    world.tick()
    waiting = world.open("Waits for its checks", green=False)
    read.clear()
    cut_off_after(monkeypatch, 2)
    for _ in range(8):
        clock.shift(minutes=10)
        world.tick()
    assert numbers(read) == [waiting, *code] * 2


@pytest.mark.parametrize("status", [404, 500])
def test_f32_one_that_cannot_be_read_has_had_its_turn(world, clock, monkeypatch, read, status):
    lost, fine = world.open("Lost"), world.open("Fine", green=False)
    world.github.inject(rf".*/pulls/{lost}", "status", status=status, times=None)
    cut_off_after(monkeypatch, 2)
    for _ in range(4):
        clock.shift(minutes=10)
        world.tick()
    assert numbers(read) == [lost, fine] * 2


def test_f32_no_account_keeps_the_others_from_their_turn(world, clock, monkeypatch, read):
    more = worlds.regular(installations=3)
    for installation in more.installations.values():
        if installation.id != INSTALLATION:
            world.github.state.add_installation(installation)
    for repository in more.repositories.values():
        if repository.id != REPOSITORY:
            world.github.state.add_repository(repository)
            store(repository)
        worlds.fill(world.github.state, repository, pull_requests=2)
    cut_off_after(monkeypatch, 2)
    for _ in range(6):
        clock.shift(minutes=10)
        world.tick()
    first = [(REPOSITORY + n, 1) for n in range(3)]
    second = [(REPOSITORY + n, 2) for n in range(3)]
    assert read == first + second


def test_f32_no_repository_keeps_the_others_from_their_turn(world, clock, monkeypatch, read):
    """GitHub's search does not know all, so the repositories are listed: as many as there is time for."""
    for repository in worlds.regular(repositories=3).repositories.values():
        if repository.id != REPOSITORY:
            world.github.state.add_repository(repository)
            store(repository, with_installation=False)
        worlds.fill(world.github.state, repository, pull_requests=1)
    world.github.state.merging.search_incomplete = True
    cut_off_after(monkeypatch, 2)
    for run in range(1, 7):
        clock.shift(minutes=10)
        world.tick()
        assert len(world.github.requests(r"/repositories/[0-9]+/pulls")) == run
    assert read == [(REPOSITORY + n, 1) for n in range(3)] * 2


def store(repository, *, with_installation: bool = True) -> None:
    installation = repository.installation
    if with_installation:
        InstallationFactory(
            installation_id=installation.id,
            account_login=installation.account.login,
            processing_state="PROCESSED",
        )
    RepositoryFactory(
        github_id=repository.id,
        owner_login=installation.account.login,
        name=repository.name,
        installation_id=installation.id,
    )


def test_f08_one_that_kills_the_poller_comes_last_from_then_on(world, clock, monkeypatch):
    deadly, healthy = world.open("Deadly"), world.open("Healthy")
    original = considering._read

    def read(place, number):
        if number == deadly:
            raise Killed
        return original(place, number)

    monkeypatch.setattr(considering, "_read", read)
    for _ in range(2):
        clock.shift(minutes=10)
        with pytest.raises(Killed):
            world.tick()
    assert world.statuses(healthy) == ["approved"]


def test_f19_one_that_meets_a_fault_of_ours_stops_no_other_and_is_shown(world, monkeypatch, caplog):
    bad = world.open("Bad")
    world.open("Fine")
    original = considering.judge

    def judge(place, detail, settings):
        if detail.facts.number == bad:
            raise ZeroDivisionError
        return original(place, detail, settings)

    monkeypatch.setattr(considering, "judge", judge)
    counters = world.tick()
    assert (counters["failed"], counters["enqueued"], world.last.outcome) == (1, 1, PassRun.Outcome.FAILED)
    assert world.last.error == f"Skipped: account-1/repository-1#{bad} (a fault of ours, the log has it)."
    assert "ZeroDivisionError" in caplog.text


def test_what_a_guard_stops_needs_no_turn_and_old_turns_are_forgotten(world: World, clock):
    world.open("(HELD) not yet")
    seen = world.open("Seen")
    world.tick()
    assert set(Turn.objects.values_list("key", flat=True)) == {
        f"account:{INSTALLATION}",
        f"{REPOSITORY}:{seen}",
    }
    clock.shift(days=31)
    world.changes.close_pull_request(REPOSITORY, seen)
    world.tick()
    assert set(Turn.objects.values_list("key", flat=True)) == {f"account:{INSTALLATION}"}
