"""Both passes bring the tables to GitHub's state, whatever they hold, by the fewest requests; then nothing changes."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from sync import selectors
from tests.sync.github import INSTALLATIONS, REPOSITORIES, differences, dump, rows, truth
from tests.sync.stories import corrupt, least_requests, live_on, work_pending, world
from webhooks import models

pytestmark = pytest.mark.django_db

SIZES = [
    pytest.param({"installations": 4, "repositories": 3, "pull_requests": 200}, id="12"),
    pytest.param(
        {"installations": 10, "repositories": 30, "pull_requests": 5_000}, id="300", marks=pytest.mark.prove
    ),
]
MONTHS = 100


def converge(pair):
    """Sync all, let the bot work what is pending, sync again, and return the runs of the first round."""
    runs = pair.sync_everything()
    states = Counter(models.PullRequest.objects.values_list("state", flat=True))
    work_pending(pair)
    pair.sync_everything()
    assert differences(pair.state) == {}
    before = dump()
    pair.sync_everything()
    assert dump() == before
    return runs, states


@pytest.mark.parametrize("size", SIZES)
def test_from_an_empty_database(pair_with, size):
    pair = pair_with(world(**size))
    runs, _ = converge(pair)
    assert sum(run.counters["added"] for run in runs) == sum(map(len, truth(pair.state).values()))
    assert not any(
        run.counters["updated"] + run.counters["removed"] + run.counters["re_requested"] for run in runs
    )
    pulls = models.PullRequest.objects
    assert pulls.count() == size["pull_requests"]
    assert not pulls.exclude(hook_id=0, webhooks_receiver_version__startswith="pullkeeper").exists()


@pytest.mark.parametrize("size", SIZES)
def test_from_a_stale_database(pair_with, size):
    pair = pair_with(world(**size))
    converge(pair)
    opened = models.PullRequest.objects.filter(state="OPEN").count()
    pair.clock.shift(days=MONTHS)
    live_on(pair, random.Random(1))
    pair.clock.shift(hours=1)
    runs, states = converge(pair)
    totals = sum((Counter(run.counters) for run in runs), Counter())
    assert min(totals[name] for name in ("added", "updated", "removed", "re_requested")) > 0
    # The pass itself closes nothing (B3.23): what it found closed is left to the bot.
    assert states["CLOSED"] == 0
    assert states["OPEN"] > opened


@pytest.mark.parametrize("seed", [1, pytest.param(2, marks=pytest.mark.prove)])
@pytest.mark.parametrize("size", SIZES)
def test_from_a_corrupted_database(pair_with, size, seed):
    pair = pair_with(world(**size))
    converge(pair)
    pair.clock.shift(days=MONTHS)
    assert corrupt(random.Random(seed)) > 50
    converge(pair)


@pytest.mark.parametrize("size", SIZES)
def test_a_repository_costs_the_fewest_requests_that_can_read_it(pair_with, size):
    pair = pair_with(world(**size))
    pair.sync_everything()
    for _ in range(selectors.active_repositories().count()):
        repository = selectors.next_repository()
        used = pair.run(REPOSITORIES).counters["requests"]
        assert used <= 1.2 * least_requests(pair.state, repository.github_id)


def test_an_installation_costs_a_token_and_its_pages(pair_with):
    pair = pair_with(installations=3, repositories=250)
    # The list of installations, and for each a token and three pages.
    assert pair.run(INSTALLATIONS).counters["requests"] == 1 + 3 * (1 + 3)
    assert len(rows(models.Repository)) == 750
    pair.clock.shift(days=31)
    assert pair.run(INSTALLATIONS).counters["requests"] == 1
