"""The hourly pass over many days, a bot that answers at once, and the oracle looking on every hour."""

from __future__ import annotations

from collections import Counter, defaultdict
from datetime import datetime, timedelta

import pytest

from core.functions import CurrentTimestamp
from core.passes import Verdict, run_pass
from idle.passes import IDLE
from tests.clock import DrivenClock
from tests.factories import RepositoryFactory
from tests.idle import stored
from webhooks.models import PullRequest

WAITS = [timedelta(days=number) for number in range(1, 11)]
Retries = dict[int, list[datetime]]


class Simulation:
    """Runs the pass by the hour; `retries` says when each pull request got its Idle Retries."""

    def __init__(self, clock: DrivenClock) -> None:
        self.clock = clock
        self.retries: Retries = defaultdict(list)

    def run(self, *, days: int) -> None:
        for _ in range(days * 24):
            self.hour()
            self.clock.shift(hours=1)

    def hour(self) -> None:
        line = stored.expected(self.clock.now)
        assert stored.seen() == line
        due = [entry for entry in line if entry.status == "DUE" and not entry.blocked]
        assert run_pass(IDLE).verdict is Verdict.RAN
        served = list(PullRequest.objects.filter(processing_state="IDLE"))
        assert [row.pk for row in served] == [entry.sequence for entry in due[:1]]
        if served:
            self.serve(served[0], [len(self.retries[entry.sequence]) for entry in due])

    def serve(self, row: PullRequest, retries_of_due: list[int]) -> None:
        """Note the retry, and be the bot that finishes at once."""
        assert len(self.retries[row.pk]) == min(retries_of_due), "a second nudge came before somebody's first"
        self.retries[row.pk].append(self.clock.now)
        PullRequest.objects.filter(pk=row.pk).update(
            processing_state="PROCESSED", updated_at=CurrentTimestamp()
        )


def populate(untouched, *, repositories: int, each: int) -> dict[int, datetime]:
    """At most 24 pull requests, some of them of equal age; return when each was touched last."""
    rows = [
        untouched(repo=f"repo-{number}", hours=(number * place) % 5, row={"repository_owner": owner})
        for number in range(repositories)
        for place, owner in zip(range(each), ("octo", "Octo", "OCTO", "oCTO"), strict=False)
    ]
    untouched(repo="gone", days=30)
    RepositoryFactory(name="gone", last_action="deleted")
    return {row.pk: row.updated_at for row in rows}


def lags(start: datetime, instants: list[datetime]) -> list[timedelta]:
    """How long after becoming DUE each Idle Retry came."""
    touched = [start, *instants]
    return [at - before - wait for before, at, wait in zip(touched, instants, WAITS, strict=False)]


def test_a_week_by_the_hour(untouched, clock):
    started = populate(untouched, repositories=4, each=3)
    simulation = Simulation(clock)
    simulation.run(days=7)
    assert set(simulation.retries) == set(started)
    assert Counter(len(instants) for instants in simulation.retries.values()).keys() == {3}
    for pk, instants in simulation.retries.items():
        assert all(timedelta(0) <= lag <= timedelta(days=1) for lag in lags(started[pk], instants))


@pytest.mark.prove
def test_b1_8_sixty_days_by_the_hour(untouched, clock):
    """24 pull requests: as many as an hourly pass can serve a day. Ten retries each, then it gives up."""
    started = populate(untouched, repositories=6, each=4)
    simulation = Simulation(clock)
    simulation.run(days=60)
    assert {pk: len(instants) for pk, instants in simulation.retries.items()} == dict.fromkeys(started, 10)
    for pk, instants in simulation.retries.items():
        assert all(timedelta(0) <= lag <= timedelta(days=1) for lag in lags(started[pk], instants))
    assert {entry.status for entry in stored.seen() if not entry.blocked} == {"GAVE_UP"}


@pytest.mark.prove
def test_b1_8_the_days_of_the_ten_retries(untouched, clock):
    row, start = untouched(days=0), clock.now
    simulation = Simulation(clock)
    simulation.run(days=60)
    days = [(at - start) / timedelta(days=1) for at in simulation.retries[row.pk]]
    assert days == [1, 3, 6, 10, 15, 21, 28, 36, 45, 55]
