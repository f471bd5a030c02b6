"""The whole work task under fire: four processes, an outside program, and every second one of them is killed.

Rows of all eight tables, work at GitHub included. Each is finalized once, none is lost, none is stuck for longer than
the stale-claim hour, and nothing is written to GitHub twice.
"""

from __future__ import annotations

import itertools
import os
import random
import re
import signal
import time
import uuid
from collections import Counter
from collections.abc import Callable, Iterable
from contextlib import closing
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.db import connection

from bot import setting_specs
from core import clock
from core.models import Setting
from core.version import STAMP
from sandbox.server import SandboxGithub, worlds
from tests.ageing import age
from tests.bot.world import World
from tests.contract.outsider import VERSION
from tests.factories import InstallationFactory
from tests.github_app import APP_ID, INSTALLATION, REPOSITORY, private_key
from tests.idle.processes import Starter, processes
from tests.webhooks.hook import SECRET, SLUG
from webhooks import models
from webhooks.models import CLAIMED, PullRequestHistory
from webhooks.values import PENDING, STATES_WITHOUT_IDLE

pytestmark = [pytest.mark.prove, pytest.mark.django_db(transaction=True)]

HOUR = 3600
# What the test itself may take between two steps: it never looks closer than that at the hour.
SLACK = 60
WORKERS = 5
REPOSITORIES, PULLS, ISSUES = 40, 10, 8
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


def fill(world: World, number: int) -> None:
    """Store that many pending rows: all that the forty repositories hold, and cheap ones of every table."""
    since = clock.now() - timedelta(days=1)
    for repository in range(REPOSITORY, REPOSITORY + REPOSITORIES):
        world.changes.move_base(repository)
        for place in range(1, PULLS + 1):
            world.row(place, repository, processing_state=PENDING[place % len(PENDING)], updated_at=since)
    models.Issue.objects.bulk_create(list(_issues(world, since)))
    models.Comment.objects.bulk_create([_comment(world, place, since) for place in range(100)])
    left = number - sum(model.objects.exclude(processing_state="PROCESSED").count() for model in CLAIMED)
    for model, rows in itertools.groupby(sorted(range(left), key=_kind), key=_kind):
        made = [CHEAP[model][0](**_common(n, since), **CHEAP[model][1](n)) for n in rows]
        CHEAP[model][0].objects.bulk_create(made, batch_size=1_000)


def _common(number: int, since: datetime) -> dict[str, Any]:
    waiting = [state for state in STATES_WITHOUT_IDLE if state in PENDING]
    state = waiting[number % len(waiting)]
    return {"delivery_id": uuid.uuid4(), "processing_state": state, "updated_at": since}


def _issues(world: World, since: datetime) -> Iterable[models.Issue]:
    places = itertools.product(
        range(REPOSITORY, REPOSITORY + REPOSITORIES), range(PULLS + 1, PULLS + ISSUES + 1)
    )
    for repository, number in places:
        thing = world.github.state.thing(repository, number)
        yield models.Issue(
            **_common(number, since),
            **_at(world, repository),
            github_id=thing.id,
            number=number,
            node_id=thing.node_id,
        )


def _comment(world: World, place: int, since: datetime) -> models.Comment:
    """Return the row of a comment that asks for help, below one pull request in four."""
    repository, number = REPOSITORY + place % REPOSITORIES, 1 + place // REPOSITORIES
    world.changes.permit(repository, "mira", "write")
    body = f"@{SLUG} help"
    return models.Comment(
        **_common(place, since),
        **_at(world, repository),
        comment_id=world.changes.comment(repository, number, body, by="mira"),
        comment_sender="mira",
        comment_body=body,
        pull_request_number=number,
    )


def _at(world: World, repository_id: int) -> dict[str, Any]:
    repository = world.pull(1, repository_id).repository
    return {
        "repository_owner": repository.owner.login,
        "repository_name": repository.name,
        "repository_id": repository_id,
        "installation_id": INSTALLATION,
    }


# Rows that are acknowledged without asking GitHub.
CHEAP: list[tuple[Any, Callable[[int], dict[str, Any]]]] = [
    (models.Push, lambda n: {"head_commit_id": f"{n:040x}"}),
    (models.Branch, lambda n: {"ref": f"branch-{n}", "repository_id": n}),
    (models.Repository, lambda n: {"github_id": 10**7 + n}),
    (models.User, lambda n: {"user_id": n}),
    (models.Comment, lambda n: {"comment_id": 10**7 + n, "comment_body": "no command"}),
    (models.Installation, lambda n: {"installation_id": 10**7 + n}),
]


def _kind(number: int) -> int:
    return number % len(CHEAP)


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
