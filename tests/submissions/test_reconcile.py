"""One look at GitHub: what differs is put right, and what is empty is closed."""

from __future__ import annotations

from contextlib import suppress

import pytest
from django.db import OperationalError, connection

from githubapi.client.channel import Channel
from submissions.models import PullRequestItem
from tests.github_app import INSTALLATION, REPOSITORY, app_client
from tests.submissions.world import BRANCH, READY, World, green, hand_in, item, needs, opened, told


def test_b5_51_one_fetch_serves_all_the_cheap_corrections(world: World) -> None:
    opened(world, labels=["bulbs", "dark"])
    world.changes.edit_pull_request(REPOSITORY, 1, title="Mine", body="No.", labels=("other",))
    since = len(world.github.log)
    world.settle()
    assert world.asked(since)[:3] == ["GET /pulls/1", "PATCH /pulls/1", "POST /issues/1/labels"]
    pull = world.pull()
    assert (pull.title, pull.body) == ("Add a bulb", "It was dark.")
    assert pull.labels == ("other", "bulbs", "dark")


def test_b5_51_what_is_as_submitted_is_only_read(world: World) -> None:
    opened(world, labels=["bulbs"])
    since = len(world.github.log)
    world.changes.edit_pull_request(REPOSITORY, 1, draft=False)
    world.settle()
    assert world.asked(since) == ["GET /pulls/1"]


def test_b5_48_a_pull_request_that_the_base_has_emptied_is_closed_and_never_merged(world: World) -> None:
    opened(world, **READY)
    world.changes.commit_file(REPOSITORY, "bulbs/one.txt", "lit\n")
    _merge_base_into_branch(world)
    green(world)
    world.settle()
    pull = world.pull()
    assert (pull.state, pull.merged, item().phase) == ("closed", False, "completed")
    assert not world.github.requests(".*/merge", verb="PUT")
    assert told()[-1].endswith("closed #1: nothing is left to be changed: the base holds all of it")


def _merge_base_into_branch(world: World) -> None:

    world.github.state.standing(REPOSITORY, 1).behind = 1
    with app_client(world.github.url) as app:
        app.for_installation(INSTALLATION).update_branch(REPOSITORY, 1, world.branches[BRANCH])


def test_b5_48_the_comparison_is_made_when_it_is_due_and_not_before(world: World) -> None:
    opened(world)
    since = len(world.github.log)
    world.changes.edit_pull_request(REPOSITORY, 1, draft=False)
    world.settle()
    assert not [call for call in world.asked(since) if "compare" in call]
    world.shift(minutes=20)
    world.settle()
    assert not [call for call in world.asked(since) if "compare" in call]
    world.shift(minutes=20)
    world.settle()
    assert len([call for call in world.asked(since) if "compare" in call]) == 1


def test_b5_58_no_dimension_describes_a_state_and_the_head_run_is_a_typed_column(world: World) -> None:
    opened(world, **READY)
    green(world)
    world.changes.review(REPOSITORY, 1, "APPROVED")
    world.changes.run_workflow(REPOSITORY, 1, conclusion="failure")
    world.settle()
    names = {name.partition("[")[0] for name in needs()}
    assert names == {"needs_pr", "needs_ci_retry", "needs_reconcile", "needs_empty_check"}
    assert PullRequestItem._meta.get_field("head_run_id").get_internal_type() == "PositiveBigIntegerField"


def test_f18_a_connection_that_is_gone_after_every_call_fails_nothing(
    mariadb, transactional_db, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    ask = Channel.ask

    def cut_off(channel: Channel, *arguments: object) -> object:
        answer = ask(channel, *arguments)
        with suppress(OperationalError), connection.cursor() as cursor:
            cursor.execute("KILL CONNECTION_ID()")
        return answer

    monkeypatch.setattr(Channel, "ask", cut_off)
    hand_in(labels=["bulbs"], **READY)
    world.work()
    assert (world.pull().labels, item().phase, item().attempts) == (("bulbs",), "active", 0)
    assert not [sentence for sentence in told() if "done" not in sentence]
