"""The gates a pull request has to pass, each with what it says now, and the facts worth knowing beside them."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from core.reasons import Next, Reason
from idle.values import IDLE_AFTER, IdleStatus
from monitor.explain.decisions.words import ago, behind, date, ended, error_in_short, ordinal, when
from monitor.explain.decisions.working import queue_words, stale_at, wake
from monitor.explain.values import Code, Fate, IdleFacts, Line, Pace, Snapshot
from monitor.wording import span
from webhooks.values import PENDING, HistoryKind, ProcessingState


def gates(snapshot: Snapshot, now: datetime) -> Iterator[Reason]:
    """Yield the gates of what comes next: of the next Idle Retry when it is PROCESSED, else of the next claim."""
    if snapshot.pull.state == ProcessingState.PROCESSED:
        yield from _idle_gates(snapshot, now)
    else:
        yield from _claim_gates(snapshot, now)


def gate(passed: Code, failed: Code, texts: tuple[str, str], *, is_open: bool) -> Reason:
    """Return a gate with the code and the text (open, closed) of how it stands."""
    return Reason(passed, texts[0], passed=True) if is_open else Reason(failed, texts[1], passed=False)


# --- of an Idle Retry -------------------------------------------------------------------------------------------------
def _idle_gates(snapshot: Snapshot, now: datetime) -> Iterator[Reason]:
    pull, idle = snapshot.pull, snapshot.idle
    texts = ("It is open.", "It was merged." if pull.merged else "It is closed.")
    yield gate(Code.OPEN, Code.NOT_OPEN, texts, is_open=pull.is_open)
    yield Reason(Code.PROCESSED, "It is PROCESSED: nobody has to work on it.", passed=True)
    if not pull.is_open:
        return
    if idle is None:
        idle_at = pull.updated_at + IDLE_AFTER
        text = (
            f"It was written {ago(now, pull.updated_at)}; untouched, it counts as idle {when(now, idle_at)}."
        )
        yield Reason(Code.NOT_IDLE_YET, text, passed=False)
    else:
        yield from _gates_of_status(snapshot, idle, now)
    yield _reach(snapshot, now)
    yield _idle_pass(snapshot.idle_pass, now)


def _gates_of_status(snapshot: Snapshot, idle: IdleFacts, now: datetime) -> Iterator[Reason]:
    had = f"It had {snapshot.pull.retries} of {idle.limit} Idle Retries."
    untouched = f"It was not touched for {span(now - snapshot.pull.updated_at)}."
    yield Reason(Code.IDLE, untouched, passed=True)
    left = idle.status is not IdleStatus.GAVE_UP
    yield gate(Code.RETRIES_LEFT, Code.RETRIES_USED_UP, (had, had), is_open=left)
    if idle.due_at is None:
        return
    texts = (f"Its wait ended {ago(now, idle.due_at)}.", f"Its wait ends {when(now, idle.due_at)}.")
    yield gate(Code.WAIT_IS_OVER, Code.WAIT_GOES_ON, texts, is_open=idle.status is IdleStatus.DUE)
    if idle.status is IdleStatus.DUE and not snapshot.reach.blocked:
        yield _line(idle)


def _line(idle: IdleFacts) -> Reason:
    where = ordinal(idle.place) if idle.place else behind(idle)
    texts = ("It is the first in line.", f"Others in line come first: it is {where}.")
    return gate(Code.FIRST_IN_LINE, Code.BEHIND_OTHERS, texts, is_open=idle.place == 1)


def _idle_pass(pace: Pace, now: datetime) -> Reason:
    if pace.stop:
        return pace.stop
    at = when(now, pace.next_run) if pace.next_run else "at a time that is not known"
    return Reason(Code.PASS_RUNS, f"The idle pass is switched on and runs next {at}.", passed=True)


def _reach(snapshot: Snapshot, now: datetime) -> Reason:
    reach = snapshot.reach
    since = f" since {date(now, reach.since)}" if reach.since else ""
    texts = ("Nothing is known that keeps the App out.", f"The App cannot reach it: {reach.blocked}{since}.")
    return gate(Code.IN_REACH, Code.OUT_OF_REACH, texts, is_open=reach.blocked is None)


# --- of a claim -------------------------------------------------------------------------------------------------------
def _claim_gates(snapshot: Snapshot, now: datetime) -> Iterator[Reason]:
    pull = snapshot.pull
    texts = ("Nobody holds it.", _holder(snapshot, now))
    yield gate(Code.FREE, Code.CLAIM_HOLDS, texts, is_open=_is_free(snapshot, now))
    stop = snapshot.bot.stop
    yield stop or Reason(Code.BOT_CLAIMS, "The bot is switched on.", passed=True)
    yield _put_off(pull.not_before, now)
    yield _throttle(snapshot.reach.throttled_until, now)
    tried = f"It was tried {pull.attempts} of {snapshot.max_attempts} times."
    left = pull.attempts < snapshot.max_attempts
    yield gate(Code.ATTEMPTS_LEFT, Code.ATTEMPTS_USED_UP, (tried, tried), is_open=left)
    yield _reach(snapshot, now)


def _is_free(snapshot: Snapshot, now: datetime) -> bool:
    if snapshot.pull.state != ProcessingState.PROCESSING:
        return True
    at = stale_at(snapshot)
    return at is not None and at <= now


def _holder(snapshot: Snapshot, now: datetime) -> str:
    at = stale_at(snapshot)
    until = f" until it goes stale {when(now, at)}" if at else ""
    return f"{snapshot.pull.worker or 'A worker without a name'} holds it{until}."


def _put_off(until: datetime | None, now: datetime) -> Reason:
    waits = until is not None and until > now
    text = f"It is put off: claimed again {when(now, until)}." if until else ""
    return gate(Code.NOT_PUT_OFF, Code.PUT_OFF, ("It is not put off.", text), is_open=not waits)


def _throttle(until: datetime | None, now: datetime) -> Reason:
    waits = until is not None and until > now
    text = f"GitHub throttles its installation: asked again {when(now, until)}." if until else ""
    texts = ("GitHub does not throttle its installation.", text)
    return gate(Code.NOT_THROTTLED, Code.THROTTLED, texts, is_open=not waits)


# --- facts worth knowing ----------------------------------------------------------------------------------------------
def facts(snapshot: Snapshot, now: datetime) -> Iterator[Reason]:
    """Yield what is no gate and still explains something."""
    pull = snapshot.pull
    if pull.state in PENDING:
        found = wake(snapshot)
        yield Reason(Code.WOKEN, f"It is pending since {date(now, found.at)}: {ended(found.words)}")
        yield Reason(Code.IN_QUEUE, queue_words(snapshot))
        if found.fate is Fate.HEALED:
            yield Reason(Code.MISSED_EVENT_HEALED, "A sync found what a missed Event would have said.")
    else:
        yield from _healed(snapshot, now)
    if pull.error:
        yield Reason(Code.LAST_ERROR, f"The last error: {ended(error_in_short(pull.error))}")
    yield from _of_github(snapshot)
    yield from _closing(snapshot, now)
    if snapshot.look_at:
        look = Next("A check has finished, so it is looked at again", snapshot.look_at)
        text = f"A check has finished: it is looked at again {when(now, snapshot.look_at)}."
        yield Reason(Code.LOOK_ASKED, text, next=look)


def healing(line: Line, now: datetime) -> str:
    """Return the sentence about a line that a sync wrote: it writes for nothing but what no Event has told."""
    return f"An Event about it was missed; a sync healed that {ago(now, line.at)}: {ended(line.reason)}"


def _healed(snapshot: Snapshot, now: datetime) -> Iterator[Reason]:
    for line in snapshot.lines:
        if line.kind == HistoryKind.SYNC:
            yield Reason(Code.MISSED_EVENT_HEALED, healing(line, now))
            return


def _of_github(snapshot: Snapshot) -> Iterator[Reason]:
    pull = snapshot.pull
    if pull.held:
        yield Reason(Code.HELD, "Its title says (HELD): nothing of ours merges it or calls it ready.")
    if pull.draft:
        yield Reason(Code.DRAFT, "It is a draft.")
    if pull.auto_merge:
        yield Reason(Code.AUTO_MERGE, "GitHub merges it by itself once its conditions are met.")


def _closing(snapshot: Snapshot, now: datetime) -> Iterator[Reason]:
    pull = snapshot.pull
    if pull.is_open:
        return
    at = pull.closed_handled_date
    if at:
        text = f"What follows from its closing {ago(now, at)} is done."
        yield Reason(Code.CLOSED_HANDLED, text)
    else:
        yield Reason(Code.CLOSED_NOT_HANDLED, "What follows from its closing was not done by our bot.")
