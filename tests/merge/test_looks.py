"""A look reconsiders one pull request within a minute of its last check, by the same guards and the same classifier."""

from __future__ import annotations

import pytest

from bot.tasks import work as bot_work
from merge import setting_specs
from tests.github_app import REPOSITORY
from tests.webhooks.hook import SLUG
from webhooks.models import PullRequestLook
from workqueue.models import WorkItem

pytestmark = pytest.mark.django_db


def look(world, clock) -> None:
    """Let the Events of GitHub come in and the bot take what looks they asked for, a minute later at most."""
    world.deliver()
    clock.shift(minutes=1)
    bot_work()


def test_the_last_check_merges_within_a_minute_without_a_tick(world, clock):
    number = world.open(green=False)
    world.deliver()
    world.changes.finish_check(REPOSITORY, number, "success")
    look(world, clock)
    assert world.statuses(number) == ["approved"]
    world.work()
    assert world.pull(number).merged


def test_a_look_at_a_held_one_judges_nothing(world, clock):
    number = world.open("(HELD) wait", green=False)
    world.deliver()
    world.changes.finish_check(REPOSITORY, number, "success")
    look(world, clock)
    assert (world.statuses(number), world.calls(number).count("/files")) == ([], 0)


def test_a_look_in_the_window_after_a_failure_proposes_nothing(world, clock):
    number = world.open()
    world.deliver()
    world.tick()
    world.github.inject(".*/merge", "status", status=405, message="no")
    world.work()
    world.changes.finish_check(REPOSITORY, number, "success", name="late")
    look(world, clock)
    assert world.statuses(number) == ["failed"]


def test_while_merging_is_off_a_look_proposes_nothing(world, clock):
    world.set(setting_specs.SWITCH.enabled, "off")
    number = world.open(green=False)
    world.deliver()
    world.changes.finish_check(REPOSITORY, number, "success")
    look(world, clock)
    assert not WorkItem.objects.exists()
    assert world.github.requests(".*/files") == []
    assert not PullRequestLook.objects.exists()


def test_a_hold_and_its_end_by_comment_stop_and_free_the_merge(world, clock):
    number = world.open()
    world.changes.permit(REPOSITORY, "mira", "write")
    world.deliver()
    for command, held in (("hold", True), ("unhold", False)):
        world.changes.comment(REPOSITORY, number, f"@{SLUG} {command}", by="mira")
        world.deliver()
        clock.shift(minutes=1)
        bot_work()
        world.deliver()
        assert ("(HELD)" in world.pull(number).title) is held
        assert world.tick()["held"] == int(held)
    world.work()
    assert world.pull(number).merged
