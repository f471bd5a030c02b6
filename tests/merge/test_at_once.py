"""Two pollers, two people and two executors at once: one merge, and never two failed ones in the window (B2.18).

The real processes of tests/idle/processes: each has a database session of its own, and nothing but the database and
GitHub between them. The lock of the pass is left out on purpose: the invariant must hold without it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from threading import Barrier

import pytest
from django.db import connection

from core import registry
from merge import selectors
from merge.models import Merge
from merge.services.asking import ask
from merge.services.considering import consider
from merge.services.places import place_of_repository
from sync.services.github import app_client
from tests.claims.test_processes import wait_for
from tests.idle.processes import Process, processes
from tests.merge.world import CODE
from workqueue.services.working import work

pytestmark = pytest.mark.django_db(transaction=True)

# Waits for a file to appear, so that all begin in the same moment.
TOGETHER = """
import time
from pathlib import Path
from core import registry
from merge import selectors
from merge.services import asking, considering
from merge.services.places import place_of_repository
from sync.services.github import app_client
from workqueue.services.working import work
numbers = {numbers}
def every_number(act):
    for number in numbers:
        act(number)
def poll(number):
    with app_client() as app:
        place = place_of_repository(app, selectors.repository_named("account-1", "repository-1"))
        considering.consider(place, number, "Explain it", registry.effective())
def ask(number):
    try:
        asking.ask("account-1", "repository-1", number, caller="mira")
    except Exception as error:
        assert type(error).__name__ == "Refused", error
print("ready", flush=True)
while not Path({go!r}).exists():
    time.sleep(0.005)
{action}
print("done", flush=True)
"""
POLL, ASK, WORK = "every_number(poll)", "every_number(ask)", "work()"


@pytest.fixture
def start(github, settings, monkeypatch, tmp_path):
    """Start processes that do these things at the same moment, and wait until all have done them."""
    for name in ("GITHUB_API_URL", "GITHUB_APP_ID", "GITHUB_APP_PRIVATE_KEY"):
        monkeypatch.setenv(name, getattr(settings, name))
    with processes() as begin:

        def run(numbers: list[int], *actions: str) -> None:
            go = tmp_path / f"go {len(list(tmp_path.iterdir()))}"
            codes = [TOGETHER.format(numbers=numbers, go=str(go), action=action) for action in actions]
            started = [begin(code) for code in codes]
            for process in started:
                wait_for(partial(has_begun, process))
            go.touch()
            for process in started:
                assert process.popen.wait(timeout=120) == 0, process.said()
                assert process.said().splitlines()[-1] == "done", process.said()

        yield run


def has_begun(process: Process) -> bool:
    return "ready" in process.said() or not process.alive()


def statuses(world, numbers: list[int]) -> Counter[tuple[str, ...]]:
    return Counter(tuple(world.statuses(number)) for number in numbers)


@pytest.mark.prove
def test_two_pollers_two_people_and_then_two_executors_make_one_merge_each_b2_18(real_world, start):
    world = real_world
    numbers = [world.open(f"Page {n}") for n in range(4)]
    start(numbers, POLL, POLL, ASK, ASK)
    assert Merge.objects.count() == len(numbers)
    start(numbers, WORK, WORK)
    for _ in range(3):
        if statuses(world, numbers) != {("done",): len(numbers)}:
            start(numbers, WORK)
    assert statuses(world, numbers) == {("done",): len(numbers)}
    merged = [call for call in world.merge_calls() if call.status == 200]
    assert len(merged) == len(numbers)


@pytest.mark.prove
def test_pollers_and_people_at_once_leave_one_failed_merge_in_the_window(real_world, start):
    world = real_world
    world.github.inject(".*/merge", "status", status=405, message="Pull Request is not mergeable", times=None)
    numbers = [world.open(f"Page {n}") for n in range(3)]
    start(numbers, POLL, POLL)
    start(numbers, WORK, WORK)
    start(numbers, POLL, ASK, POLL, ASK)
    start(numbers, WORK, WORK)
    start(numbers, POLL, POLL)
    assert Merge.objects.count() == len(numbers)
    assert statuses(world, numbers) == {("failed",): len(numbers)}


@pytest.mark.prove
def test_a_person_who_rejects_and_a_worker_who_merges_never_both_win(real_world, start):
    world = real_world
    number = world.open(files=CODE)
    start([number], ASK, ASK)
    (merge,) = Merge.objects.all()
    approve = f"from merge.services import approving; approving.approve({merge.pk}, actor='tomas'); work()"
    refuse = (
        "from merge.services import approving\n"
        f"try:\n    approving.reject({merge.pk}, actor='mira', reason='no')\n"
        "except Exception as error:\n    assert type(error).__name__ == 'Refused', error"
    )
    start([number], f"try:\n    {approve}\nexcept Exception as error:\n    print(error)", refuse)
    world.work()
    (status,) = world.statuses(number)
    assert (status == "done") is world.pull(number).merged
    assert status in {"done", "rejected"}


def test_two_pollers_and_two_executors_in_threads_make_one_merge_each_b2_18(real_world):
    """The short form: sessions of their own, in one process."""
    world = real_world
    numbers = [world.open(f"Page {n}") for n in range(2)]
    at_once([lambda: poll_all(numbers)] * 2 + [lambda: ask_all(numbers)])
    assert Merge.objects.count() == len(numbers)
    at_once([work, work])
    work()
    assert statuses(world, numbers) == {("done",): len(numbers)}
    assert len([call for call in world.merge_calls() if call.status == 200]) == len(numbers)


def poll_all(numbers: list[int]) -> None:
    with app_client() as app:
        row = selectors.repository_named("account-1", "repository-1")
        assert row is not None
        for number in numbers:
            consider(place_of_repository(app, row), number, "Page", registry.effective())


def ask_all(numbers: list[int]) -> None:
    for number in numbers:
        ask("account-1", "repository-1", number, caller="mira")


def at_once(acts: Sequence[Callable[[], object]]) -> None:
    """Do these things in as many threads; raises what any of them raises."""
    gate = Barrier(len(acts))

    def do(act: Callable[[], object]) -> None:
        try:
            gate.wait(timeout=30)
            act()
        finally:
            connection.close()

    with ThreadPoolExecutor(len(acts)) as pool:
        for done in [pool.submit(do, act) for act in acts]:
            done.result(timeout=120)
