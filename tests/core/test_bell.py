"""Bells: soon, seldom, after commit, and never in the way."""

from __future__ import annotations

import pytest
from django.db import transaction
from django_q.models import OrmQ

from core import bell
from core.models import Bell

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def rung(settings, monkeypatch) -> list[str]:
    """The tasks that bells have asked for."""
    settings.BELLS = {"bot": "bot.tasks.work"}
    tasks: list[str] = []
    monkeypatch.setattr(bell, "async_task", tasks.append)
    return tasks


def test_a_bell_asks_for_its_task(rung):
    bell.ring("bot")
    assert rung == ["bot.tasks.work"]


def test_a_bell_without_a_task_is_a_no_op(rung):
    bell.ring("nobody")
    assert (rung, Bell.objects.count()) == ([], 0)


def test_many_rings_are_one_until_it_is_answered(rung):
    for _ in range(5):
        bell.ring("bot")
    assert len(rung) == 1
    bell.answer("bot")
    bell.ring("bot")
    assert len(rung) == 2


def test_a_bell_that_nobody_answers_rings_again_after_a_minute(rung, clock):
    bell.ring("bot")
    clock.shift(seconds=59)
    bell.ring("bot")
    assert len(rung) == 1
    clock.shift(seconds=1)
    bell.ring("bot")
    assert len(rung) == 2


def test_it_rings_after_the_commit_and_not_before(rung):
    with transaction.atomic():
        bell.ring("bot")
        assert (rung, Bell.objects.count()) == ([], 0)
    assert len(rung) == 1


def test_a_rolled_back_transaction_rings_nothing(rung):
    def ring_and_fail() -> None:
        with transaction.atomic():
            bell.ring("bot")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        ring_and_fail()
    assert rung == []


@pytest.mark.parametrize("inside", [True, False])
def test_a_broken_broker_is_nobodys_problem_but_the_logs(monkeypatch, caplog, inside):
    def broken(task: str) -> None:
        raise ConnectionError("no Redis")

    monkeypatch.setattr(bell, "async_task", broken)
    if inside:
        with transaction.atomic():
            bell.ring("bot")
    else:
        bell.ring("bot")
    assert "no Redis" in caplog.text


def test_the_real_queue_gets_one_message(settings, monkeypatch):
    monkeypatch.undo()
    settings.BELLS = {"bot": "core.heartbeat.beat"}
    bell.ring("bot")
    bell.ring("bot")
    assert [message.func() for message in OrmQ.objects.all()] == ["core.heartbeat.beat"]
