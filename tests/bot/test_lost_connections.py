"""F18: the server closes our connection during each call to GitHub; no row and no look fails, nothing is done twice."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any

import pytest

from core.models import Setting
from githubapi.client.transport import Transport
from tests.bot.world import World, told
from tests.clock import DrivenClock
from tests.github_app import REPOSITORY
from tests.lost import gone
from tests.webhooks.hook import SLUG
from webhooks.models import CLAIMED, Comment, Notification, PullRequest, PullRequestHistory, PullRequestLook
from webhooks.services import looks


@pytest.fixture
def cut_off(mariadb: None, transactional_db: None, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Kill our connection after each answer of GitHub's; returns the calls after which that was done."""
    send, calls = Transport.send, []

    def cut(transport: Transport, call: Any, *more: Any) -> Any:
        answer = send(transport, call, *more)
        calls.append(str(call))
        gone()
        return answer

    monkeypatch.setattr(Transport, "send", cut)
    return calls


def check_nothing_failed() -> None:
    for model in CLAIMED:
        for row in model.objects.all():
            assert (row.processing_state, row.processing_error, row.processing_attempts) == (
                "PROCESSED",
                None,
                0,
            )
    assert not PullRequestHistory.objects.filter(kind__in=["fail", "defer"]).exists()


@pytest.mark.mariadb
def test_f18_a_row_is_worked_on_whole(cut_off: list[str], world: World):
    Setting.objects.create(name="bot.own-labels", value="waiting")
    behind, closed = world.row(1), world.row(2)
    other = world.row(3, processing_state="PROCESSED")
    Notification.objects.create(pull_request_node_id=closed.node_id, notification_type="ready_to_merge")
    world.github.state.add_thing(replace(world.pull(2), labels=("waiting",)))
    world.changes.move_base(REPOSITORY)
    world.changes.close_pull_request(REPOSITORY, 2, merged=True)
    world.work()
    check_nothing_failed()
    assert len(cut_off) > 6
    assert len(told(behind, "branch_update")) == len(told(other, "branch_update")) == 1
    assert PullRequest.objects.get(pk=closed.pk).merged
    assert told(other, "re_request") == [("re_request", "next in line after #2")]
    written = Counter((one.verb, one.path) for one in world.writes())
    assert set(written.values()) == {1}


@pytest.mark.mariadb
@pytest.mark.parametrize("command", ["help", "retry", "update branch", "hold"])
def test_f18_a_command_is_obeyed_once(cut_off: list[str], world: World, command: str):
    world.row(processing_state="PROCESSED")
    world.changes.permit(REPOSITORY, "mira", "write")
    world.changes.comment(REPOSITORY, 1, f"@{SLUG} {command}", by="mira")
    world.deliver()
    world.work()
    check_nothing_failed()
    assert Comment.objects.count() == 1
    assert cut_off
    assert [one.path.rpartition("/")[2] for one in world.writes()].count("reactions") == 1


@pytest.mark.mariadb
def test_f18_a_look_is_had(cut_off: list[str], world: World, clock: DrivenClock):
    row = world.row(processing_state="PROCESSED")
    world.changes.finish_check(REPOSITORY, 1, "success")
    looks.ask([row.pk])
    clock.shift(seconds=30)
    world.work()
    assert cut_off
    assert PullRequestLook.objects.count() == 0
    assert told(row, "look") == [("look", "ready to merge: its only check passed")]
    assert Notification.objects.count() == 1
