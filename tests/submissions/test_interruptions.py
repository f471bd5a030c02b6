"""A worker that dies at any of its calls to GitHub, before or after GitHub did what was asked."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from githubapi.client.channel import Channel
from tests.submissions.world import World, green, hand_in, item
from workqueue.models import WorkItem

# More calls than any action makes; the loop over them ends with the first that nobody reaches.
MOST_CALLS = 40


class Killed(BaseException):
    """The process is gone: nothing of the product catches this."""


@contextmanager
def killed_at(position: int, *, after: bool) -> Iterator[list[str]]:
    """Die at the call of that position, counted from 0; `after`: GitHub has done it, and its answer is lost."""
    made: list[str] = []
    with pytest.MonkeyPatch.context() as patch:
        ask = Channel.ask

        def dying(channel: Channel, call: Any, deadline: Any = None) -> Any:
            made.append(str(call))
            if len(made) <= position:
                return ask(channel, call, deadline)
            if after:
                ask(channel, call, deadline)
            raise Killed

        patch.setattr(Channel, "ask", dying)
        yield made


def die_at(world: World, position: int, *, after: bool) -> bool:
    """Work until the worker dies; tell whether it did. What it held stays leased until the lease has run out."""
    with killed_at(position, after=after), pytest.MonkeyPatch.context() as patch:
        patch.setattr("workqueue.services.leases.give_back", lambda token: 0)
        try:
            world.work()
        except Killed:
            return True
    return False


@pytest.mark.parametrize("after", [False, True])
def test_b5_61_an_opening_that_dies_anywhere_is_finished_without_doing_anything_twice(world, after):
    died = 0
    for position in range(MOST_CALLS):
        branch = f"auto/{position}"
        handed = hand_in(
            head_branch=branch,
            labels=["bulbs"],
            file_actions=[
                {"action": "create", "path": f"bulbs/{position}.bin", "content": "/w==", "encoding": "base64"}
            ],
        )
        alive = not die_at(world, position, after=after)
        world.shift(seconds=61)
        world.settle()
        stored = item(handed.item)
        (pull,) = [pull for pull in world.pulls() if pull.head_ref == branch]
        assert (stored.phase, stored.number, stored.attempts) == ("active", pull.number, 0)
        assert (len(world.commits(branch)), pull.labels) == (1, ("bulbs",))
        assert world.changed(branch) == {f"bulbs/{position}.bin": "added"}
        if alive:
            break
        died += 1
    assert died > 10


@pytest.mark.prove
@pytest.mark.parametrize("after", [False, True])
def test_b5_61_an_update_that_dies_anywhere_is_one_commit(world, after):
    hand_in()
    world.settle()
    died = 0
    for position in range(MOST_CALLS):
        path = f"bulbs/{position}.txt"
        hand_in(title=path, file_actions=[{"action": "create", "path": path, "content": "lit\n"}])
        before = len(world.commits())
        alive = not die_at(world, position, after=after)
        world.shift(seconds=61)
        world.settle()
        assert (len(world.commits()), world.changed()) == (before + 1, {path: "added"})
        assert (world.pull().title, item().phase) == (path, "active")
        if alive:
            break
        died += 1
    assert died > 6


@pytest.mark.parametrize("after", [False, True])
def test_b5_61_a_merge_that_dies_anywhere_is_one_merge(world, after):
    died = 0
    for position in range(MOST_CALLS):
        handed = hand_in(
            head_branch=f"auto/{position}",
            file_actions=[{"action": "create", "path": f"bulbs/{position}.txt", "content": "lit\n"}],
            options={"merge_when_ready": True},
        )
        world.settle()
        green(world, item(handed.item).number)
        world.deliver()
        alive = not die_at(world, position, after=after)
        world.shift(seconds=61)
        world.settle()
        assert item(handed.item).phase == "completed"
        assert all(pull.merged for pull in world.pulls())
        merges = world.github.requests(rf".*/pulls/{item(handed.item).number}/merge", verb="PUT")
        assert len(merges) == 1
        if alive:
            break
        died += 1
    assert died > 3


@pytest.mark.prove
@pytest.mark.parametrize("after", [False, True])
def test_b5_48_an_emptied_one_whose_closing_dies_anywhere_is_completed_not_cancelled(world, after):
    died = 0
    for position in range(MOST_CALLS):
        path = f"bulbs/{position}.txt"
        branch = f"auto/{position}"
        add = {"action": "create", "path": path, "content": "lit\n"}
        handed = hand_in(head_branch=branch, file_actions=[add])
        world.settle()
        # The next submission takes back what the first has added.
        hand_in(
            head_branch=branch,
            file_actions=[{"action": "update", "path": "README.md", "content": "# A repository\n"}],
        )
        alive = not die_at(world, position, after=after)
        world.shift(seconds=61)
        world.settle()
        world.shift(minutes=40)
        world.settle()
        (pull,) = [pull for pull in world.pulls() if pull.head_ref == branch]
        assert (item(handed.item).phase, pull.state, pull.merged) == ("completed", "closed", False)
        if alive:
            break
        died += 1
    assert died > 8
    assert not WorkItem.objects.filter(phase="cancelled").exists()
