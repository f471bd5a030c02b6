"""The worker: claims a batch of every table in turn, works on it, and repeats while its time lasts.

Any number of these may run at once; claims keep them apart.
"""

from __future__ import annotations

import time
import traceback
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import structlog

from bot import setting_specs
from bot.decisions.endings import ending_of
from bot.services import looking, reach
from bot.services.ending import end
from bot.services.reach import Bench
from bot.values import Ending, Failed
from core import heartbeat, registry, stopping
from core.passes import BUDGET
from core.version import STAMP
from githubapi.errors import GithubError
from sync.services.github import why_not_configured
from webhooks.services import finishing
from webhooks.services.claims import Claim, claim

log = structlog.get_logger(__name__)

Handler = Callable[[Claim, Bench], Ending]


@dataclass
class Shift:
    """One run of the worker: what it may take, how long it lasts, what came of it."""

    handlers: Mapping[type[Any], Handler]
    deadline: float = field(default_factory=lambda: time.monotonic() + BUDGET)
    # Until when the table whose turn it is may go on.
    turn_ends: float = 0.0
    counts: Counter[str] = field(default_factory=Counter)
    # Why it was switched off, "" while it is not.
    off: str = ""

    def is_over(self) -> bool:
        return stopping.is_asked() or time.monotonic() >= self.deadline

    def begin_turn(self, waiting: int) -> None:
        """Give the next one of so many its share of the time: slow rows of one table cost no other its turn (F32)."""
        now = time.monotonic()
        self.turn_ends = now + (self.deadline - now) / waiting

    def turn_is_over(self) -> bool:
        return self.is_over() or time.monotonic() >= self.turn_ends

    def __str__(self) -> str:
        done = [f"{word} {number}" for word, number in sorted(self.counts.items()) if number]
        if self.off:
            done.append(f"switched off ({setting_specs.BOT.enabled.name}): {self.off}")
        return ", ".join(done) or "nothing to do"


def work(handlers: Mapping[type[Any], Handler]) -> str:
    """Work until nothing is left or the time is up, and return the outcome in words."""
    if obstacle := why_not_configured():
        return f"The bot claims nothing: {obstacle}."
    shift = Shift(handlers)
    try:
        with reach.app_client() as app:
            while _round(shift, Bench(app, registry.effective())) and not shift.is_over():
                pass
    except GithubError as error:
        log.error("bot cannot work", reason=error.reason, detail=str(error))  # noqa: TRY400 -- said in a sentence
        return f"The bot claims nothing: {error}"
    return f"The bot: {shift}."


def _round(shift: Shift, bench: Bench) -> bool:
    """Take one batch of each table, and as many due looks; tell whether there was anything."""
    if not bench.settings[setting_specs.BOT.enabled]:
        shift.off = bench.settings[setting_specs.BOT.reason] or "no reason was given"
        return False
    heartbeat.beat(heartbeat.WORKER)
    turns = [
        *(partial(_batch, shift, bench, model) for model in shift.handlers),
        partial(_looks, shift, bench),
    ]
    found = False
    for begun, turn in enumerate(turns):
        shift.begin_turn(len(turns) - begun)
        found |= turn()
    return found


def _batch(shift: Shift, bench: Bench, model: type[Any]) -> bool:
    if shift.is_over():
        return False
    values = bench.settings
    batch = claim(
        model,
        worker=STAMP,
        limit=values[setting_specs.BATCH_SIZE],
        max_attempts=values[setting_specs.MAX_ATTEMPTS],
    )
    shift.counts["worn out"] += len(batch.failed)
    _work_on(shift, bench, batch.claims)
    return bool(batch)


def _work_on(shift: Shift, bench: Bench, claims: Sequence[Claim]) -> None:
    """Work on claims one by one; whatever ends the run in the middle, those not begun go back at once."""
    left = list(claims)
    try:
        while left and not shift.turn_is_over():
            one = left.pop(0)
            shift.counts[process(one, shift.handlers[one.model], bench)] += 1
    finally:
        for one in left:
            finishing.defer(one, 0, "the worker had no time left for it")


def process(one: Claim, handler: Handler, bench: Bench) -> str:
    """Work on one claimed row, and return what came of it, in a word. One bad row never stops the rest."""
    try:
        ending = handler(one, bench)
    except GithubError as error:
        ending = ending_of(error)
    except Exception:
        log.exception("row failed", table=one.model._meta.db_table, sequence=one.row.pk)
        ending = Failed(traceback.format_exc())
    try:
        ours = end(one, ending, bench)
    except Exception:
        # The claim goes stale within the hour and the row is claimed again.
        log.exception("claim not ended", table=one.model._meta.db_table, sequence=one.row.pk)
        return "not ended"
    log.info("row worked on", table=one.model._meta.db_table, sequence=one.row.pk, ours=ours, **_said(ending))
    return type(ending).__name__.lower() if ours else "taken over"


def _looks(shift: Shift, bench: Bench) -> bool:
    attempts, found = bench.settings[setting_specs.MAX_ATTEMPTS], False
    for _ in range(bench.settings[setting_specs.BATCH_SIZE]):
        look = None if shift.turn_is_over() else looking.take_due(max_attempts=attempts)
        if look is None:
            break
        found = True
        shift.counts[f"look {looking.work_on(look, bench, STAMP)}"] += 1
    return found


def _said(ending: Ending) -> dict[str, str]:
    reason = getattr(ending, "reason", "") or getattr(ending, "error", "")
    return {
        "ending": type(ending).__name__.lower(),
        "reason": reason.strip().splitlines()[-1] if reason else "",
    }
