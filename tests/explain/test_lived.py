"""Explanations of what Events, syncs and the bot really wrote, GitHub being the sandbox."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest

from bot.services.closing import wake_next
from core import clock as the_clock
from core import heartbeat
from core.passes import run_pass
from idle.passes import IDLE
from monitor.explain import timeline
from monitor.explain.asking import ask
from monitor.explain.values import GAP, Fate
from tests.bot.conftest import github, world  # noqa: F401 (fixtures)
from tests.bot.world import World
from tests.explain.conftest import codes
from tests.github_app import REPOSITORY
from tests.sync.conftest import known, pair, pair_with  # noqa: F401 (fixtures)
from webhooks.models import PullRequest
from webhooks.services.claims import claim


def about(number, within=REPOSITORY):
    """Explain the pull request of that number as it is stored now."""
    row = PullRequest.objects.get(number=number, repository_id=within)
    return ask(row.repository_owner, row.repository_name, number)


def gaps(answer):
    return [entry for entry in answer.timeline.entries if entry.kind == GAP]


@pytest.fixture(autouse=True)
def _alive(db):
    heartbeat.beat(heartbeat.WORKER)


def test_a_head_pushed_while_no_event_came_is_healed_by_the_sync_and_said_so(known):  # noqa: F811
    row = PullRequest.objects.filter(state="OPEN").first()
    known.github.changes.push(row.repository_id, row.number)
    known.run("sync-repositories")
    answer = about(row.number, row.repository_id)
    healing = (
        "An Event about it was missed; a sync healed that just now (2026-03-04 10:00:03 UTC): refreshed from"
    )
    assert healing in answer.explanation.sentence
    assert "missed_event_healed" in codes(answer.explanation)
    assert answer.timeline.entries[0].run.words == "sync-repositories"


def test_one_opened_while_no_event_came_is_found_by_the_sync_and_is_pending_for_that(known):  # noqa: F811
    repository_id = next(iter(known.state.repositories))
    pull = known.github.changes.open_pull_request(repository_id, "A missed one")
    known.run("sync-repositories")
    answer = about(pull.number, repository_id)
    assert answer.explanation.state is Fate.HEALED
    assert "a sync healed that (found on GitHub: its Event was missed)" in answer.explanation.sentence
    assert gaps(answer) == []


def test_the_closing_of_one_makes_the_next_in_line_and_the_claims_are_whole(world: World):  # noqa: F811
    closed = world.row(1, state="CLOSED", merged=True)
    world.row(2, processing_state="PROCESSED")
    (one,) = claim(PullRequest, worker="pullkeeper").claims
    wake_next(closed, the_clock.now(), one.cause)
    said = about(2).explanation
    assert said.state is Fate.NEXT_IN_LINE
    assert "it is its repository's next in line after #1." in said.sentence
    assert about(1).explanation.state is Fate.CLAIMED


def test_what_the_bot_did_to_the_end_leaves_no_gap_between_its_lines(world: World):  # noqa: F811
    row = world.row(1)
    world.work()
    answer = about(1)
    assert answer.explanation.state is Fate.RESTING
    # The factory's row was born of no Event of ours: its beginning alone is untold.
    assert [gap.after for gap in gaps(answer)] == [None]
    assert {"claim", "finalize"} <= {entry.kind for entry in timeline.page(row, cursor="").entries}


def test_an_idle_retry_follows_just_when_it_was_promised(world: World, clock):  # noqa: F811
    world.row(1, processing_state="PROCESSED", updated_at=clock.now - timedelta(hours=5))
    resting = about(1).explanation
    assert resting.state is Fate.RESTING
    clock.move_to(resting.next.at)
    heartbeat.beat(heartbeat.WORKER)
    due = about(1).explanation
    assert due.state is Fate.DUE
    assert codes(due)["first_in_line"] is True
    run_pass(IDLE)
    woken = about(1).explanation
    assert woken.state is Fate.PENDING
    assert "Idle Retry 1 of 10: untouched for 1 day." in woken.sentence
    world.work()
    assert about(1).explanation.state is Fate.RESTING


def test_each_in_line_is_served_within_the_hour_that_was_promised(world: World, clock):  # noqa: F811
    for number in range(1, 5):
        world.row(
            number, processing_state="PROCESSED", updated_at=clock.now - timedelta(days=number, hours=30)
        )
    promised = {number: about(number).explanation.next.at for number in range(1, 5)}
    served: dict[int, datetime] = {}
    for _ in range(5):
        run_pass(IDLE)
        for row in PullRequest.objects.filter(processing_state="IDLE"):
            served.setdefault(row.number, clock.now)
        clock.shift(hours=1)
        heartbeat.beat(heartbeat.WORKER)
    assert served == promised
