"""The whole work task under fire: four processes, an outside program, and every second one of them is killed.

Rows of all eight tables, work at GitHub included. Each is finalized once, none is lost, none is stuck for longer than
the stale-claim hour, and nothing is written to GitHub twice.
"""

from __future__ import annotations

import os
import random
import re
import signal
import time
from collections import Counter
from collections.abc import Callable, Iterable
from contextlib import closing

import pytest
from django.db import connection

from bot import setting_specs
from core.models import Setting
from core.version import STAMP
from sandbox.server import SandboxGithub, worlds
from tests.ageing import age
from tests.bot.many_rows import ISSUES, PULLS, REPOSITORIES, fill
from tests.bot.world import World
from tests.contract.outsider import VERSION
from tests.factories import InstallationFactory
from tests.github_app import APP_ID, INSTALLATION, private_key
from tests.idle.processes import Starter, processes
from tests.webhooks.hook import SECRET, SLUG
from webhooks import models
from webhooks.models import CLAIMED, PullRequestHistory
from webhooks.values import PENDING

pytestmark = [pytest.mark.prove, pytest.mark.django_db(transaction=True)]

HOUR = 3600
# What the test itself may take between two steps: it never looks closer than that at the hour.
SLACK = 60
WORKERS = 5
# Starting Python takes longer than a worker of this test lives. So a process that has everything loaded forks the
# worker, says its number, and forks the next one as soon as it is dead.
NURSERY = """
import os
import sys
import time
from django.db import connections
from bot.tasks import work
from tests.contract.outsider import Outsider
from webhooks.models import CLAIMED
from webhooks.services import finishing
{worker}
while True:
    connections.close_all()
    child = os.fork()
    if not child:
        toil()
    print("pid", child, flush=True)
    os.waitpid(child, 0)
"""
# The task behind the bell, in a loop; says what it finalized.
OURS = NURSERY.format(
    worker="""
def told(claim, reason, finalize=finishing.finalize):
    done = finalize(claim, reason)
    if done:
        print(claim.model._meta.db_table, claim.row.pk, flush=True)
    return done
def toil():
    finishing.finalize = told
    while True:
        work()
        time.sleep(0.05)
"""
)
THEIRS = NURSERY.format(
    worker="""
def toil():
    outsider = Outsider("-05:00")
    while True:
        for model in CLAIMED:
            one_batch(outsider, model._meta.db_table)
            time.sleep(0.2)
def one_batch(outsider, table):
    outsider.begin()
    sequences = outsider.claim(table)
    outsider.commit()
    for sequence in sequences:
        time.sleep(0.002)
        if outsider.finalize(table, sequence):
            print(table, sequence, flush=True)
"""
)


@pytest.fixture
def world(monkeypatch: pytest.MonkeyPatch) -> Iterable[World]:
    """GitHub with forty repositories, every pull request in them behind its base, reachable for other processes."""
    state = worlds.regular(repositories=REPOSITORIES, pull_requests=PULLS, issues=ISSUES)
    with SandboxGithub(state, secret=SECRET, receiver=lambda *_: 202) as github:
        environment = {
            "GITHUB_API_URL": github.url,
            "GITHUB_APP_ID": APP_ID,
            "GITHUB_APP_PRIVATE_KEY": private_key(),
            "GITHUB_APP_SLUG": SLUG,
        }
        for name, value in environment.items():
            monkeypatch.setenv(name, value)
        InstallationFactory(installation_id=INSTALLATION, processing_state="PROCESSED")
        yield World(github)


def left(*states: str) -> int:
    connection.close_if_unusable_or_obsolete()
    return sum(model.objects.filter(processing_state__in=states).count() for model in CLAIMED)


def wait_for(condition: Callable[[], object], *, seconds: float) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.3)


def quiet() -> bool:
    """Tell whether no claim that is left belongs to anybody alive."""
    before = left("PROCESSING")
    time.sleep(3)
    return left("PROCESSING") == before and not left(*PENDING)


class Crew:
    """Four workers of ours and one outside program, each in a nursery that replaces it when it is dead."""

    def __init__(self, start: Starter) -> None:
        self.nurseries = [start(code) for code in (OURS, OURS, OURS, OURS, THEIRS)]
        self.chance = random.Random(4)
        self.killed: set[int] = set()

    def workers(self) -> list[int]:
        """Return the process ids of those that nobody has killed."""
        born = [re.findall(r"^pid (\d+)$", nursery.said(), re.MULTILINE) for nursery in self.nurseries]
        return [int(pids[-1]) for pids in born if pids and int(pids[-1]) not in self.killed]

    def kill_one(self) -> None:
        if workers := self.workers():
            self.kill(self.chance.choice(workers))

    def kill(self, worker: int) -> None:
        os.kill(worker, signal.SIGKILL)
        self.killed.add(worker)

    def close(self) -> None:
        """End the nurseries before their workers, so that no new ones are born."""
        workers = self.workers()
        for nursery in self.nurseries:
            nursery.kill()
        for worker in workers:
            self.kill(worker)

    def deaths(self) -> int:
        """Return how many workers were ever born and are gone: more than were killed, if one died by itself."""
        said = "\n".join(nursery.said() for nursery in self.nurseries)
        return len(re.findall(r"^pid ", said, re.MULTILINE)) - len(self.nurseries)

    def finalized(self) -> Counter[str]:
        """Count what all of them said they finalized; a killed one may have died before its last word."""
        lines = [line for nursery in self.nurseries for line in nursery.said().splitlines()]
        return Counter(line for line in lines if re.fullmatch(r"github_\w+ \d+", line))


def check_each_row_was_finalized_once(crew: Crew, number: int) -> None:
    for model in CLAIMED:
        assert set(model.objects.values_list("processing_state", "processing_error")) == {("PROCESSED", None)}
    assert sum(model.objects.count() for model in CLAIMED) == number + 1  # the installation's own row
    said = crew.finalized()
    assert said.most_common(1)[0][1] == 1
    assert number - len(crew.killed) <= len(said) <= number
    versions = dict(models.PullRequest.objects.values_list("pk", "gstraccini_bot_version"))
    lines = PullRequestHistory.objects.filter(kind="finalize").values_list("pull_request_sequence", flat=True)
    # An outside program writes no history: what it finished last shows its version.
    assert Counter(lines) == Counter(pk for pk, version in versions.items() if version != VERSION)
    assert set(versions.values()) == {STAMP, VERSION}


def check_nothing_was_written_to_github_twice(world: World) -> None:
    """A second reaction is answered by 200 and changes nothing; everything else is written once."""
    written = Counter((one.verb, one.path) for one in world.writes() if one.status in {201, 202})
    assert written.most_common(1)[0][1] == 1
    kinds = Counter(path.rpartition("/")[2] for _, path in written)
    assert min(kinds["update-branch"], kinds["reactions"], kinds["comments"]) > 0


def check_the_hour(began: float) -> None:
    """What the killed have held since `began` (time.monotonic()) waits for the hour, and no longer."""
    stuck, slack = left("PROCESSING"), SLACK + round(time.monotonic() - began)
    age(HOUR - slack)
    time.sleep(2)
    assert left("PROCESSING") == stuck > 0
    age(slack)
    wait_for(lambda: not left(*PENDING, "PROCESSING"), seconds=300)


def report(number: int, crew: Crew, began: float) -> None:
    seconds = time.monotonic() - began
    print(f"{number} rows, {len(crew.killed)} kills, {seconds:.0f} s")  # noqa: T201 -- for who runs it with -s


def prove(world: World, number: int) -> None:
    assert Setting.objects.count() == 0
    assert setting_specs.MAX_ATTEMPTS.default == 5
    fill(world, number)
    assert left(*PENDING) == number
    began = time.monotonic()
    with processes() as start, closing(Crew(start)) as crew:
        wait_for(lambda: len(crew.workers()) == WORKERS, seconds=120)
        while left(*PENDING):
            crew.kill_one()
            time.sleep(1)
        wait_for(quiet, seconds=120)
        check_the_hour(began)
        assert crew.deaths() == len(crew.killed), [nursery.said()[-2_000:] for nursery in crew.nurseries]
        check_each_row_was_finalized_once(crew, number)
        report(number, crew, began)
    check_nothing_was_written_to_github_twice(world)


def test_b1_36_ten_thousand_rows_of_all_tables_through_the_work_task_with_a_kill_every_second(world: World):
    prove(world, 10_000)
