"""Runs that somebody asks for: the worker does them, because a pass may take minutes and a request may not."""

from __future__ import annotations

from dataclasses import dataclass

from django_q.tasks import async_task
from redis.exceptions import RedisError

from core import heartbeat, registry
from core.passes import find_pass, run_pass

TASK = "core.run_now.forced_run"


@dataclass(frozen=True)
class Answer:
    """Whether the wish was passed on, and the sentence for whoever wished."""

    accepted: bool
    sentence: str


def accepted(sentence: str) -> Answer:
    return Answer(accepted=True, sentence=sentence)


def refused(sentence: str) -> Answer:
    return Answer(accepted=False, sentence=sentence)


def ask_for_run(name: str, *, actor: str) -> Answer:
    """Have the worker run a pass now, recorded as forced by the actor; raises KeyError for an unknown pass."""
    job = find_pass(name)
    if not registry.effective()[job.switch.enabled]:
        return refused(f"The pass {name} is paused ({job.switch.enabled.name} is off), so it was not run.")
    if obstacle := job.obstacle():
        return refused(f"The pass {name} cannot run, so it was not run: {obstacle}.")
    try:
        async_task(TASK, name, actor)
    except RedisError:
        return refused(f"The pass {name} was not run: the queue's Redis does not answer.")
    if not heartbeat.is_alive(heartbeat.WORKER):
        return accepted(f"The pass {name} runs as soon as the worker is back: it is silent now.")
    return accepted(f"The pass {name} runs now; its record is in the list of runs.")


def forced_run(name: str, actor: str) -> str:
    """The worker's door: run a pass now and return the sentence about it."""
    return str(run_pass(find_pass(name), force=True, actor=actor))
