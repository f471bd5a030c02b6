"""The fates of a pull request that is PROCESSED: nobody works on it now."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from core.reasons import Next
from idle.values import IDLE_AFTER, IdleStatus
from monitor.explain.decisions.words import ago, behind, date, ended, error_in_short, ordinal, roughly, when
from monitor.explain.values import Fate, IdleFacts, Snapshot, Verdict
from monitor.wording import span
from webhooks.values import HistoryKind


def resting(snapshot: Snapshot, now: datetime) -> Verdict:
    """Return the fate of a PROCESSED row: the first of these that applies, else what the idle rules make of it."""
    for decide in (_closed, _out_of_reach, _failed, _held):
        if verdict := decide(snapshot, now):
            return verdict
    return outlook(snapshot, now)


def _closed(snapshot: Snapshot, now: datetime) -> Verdict | None:
    pull = snapshot.pull
    if pull.is_open:
        return None
    since = pull.closed_handled_date or pull.processed_date or pull.updated_at
    if pull.merged:
        words = f"was merged {ago(now, since)}. Nothing more happens to it."
        return Verdict(Fate.MERGED, since, words)
    words = f"was closed without being merged {ago(now, since)}. Nothing more happens to it unless it is reopened."
    return Verdict(Fate.CLOSED, since, words)


def _out_of_reach(snapshot: Snapshot, now: datetime) -> Verdict | None:
    reach = snapshot.reach
    if reach.blocked is None:
        return None
    since = f" since {date(now, reach.since)}" if reach.since else ""
    words = (
        f"is out of reach ({reach.blocked}{since}), so the idle pass skips it. "
        "It is taken up again once the App has access and an Event or a sync says so."
    )
    return Verdict(Fate.OUT_OF_REACH, reach.since, words)


def _failed(snapshot: Snapshot, now: datetime) -> Verdict | None:
    pull = snapshot.pull
    if not pull.error:
        return None
    since, then = pull.processed_date or pull.updated_at, outlook(snapshot, now)
    newest = snapshot.lines[0] if snapshot.lines else None
    # The line tells the number of attempts; the row counts from 0 again.
    why = newest.reason if newest and newest.kind == HistoryKind.FAIL else pull.error
    chance = f"Its next chance: it {then.words}" if then.next else f"It {then.words}"
    words = f"failed {ago(now, since)}: {ended(error_in_short(why))} {chance}"
    return Verdict(Fate.FAILED, since, words, then.next)


def _held(snapshot: Snapshot, now: datetime) -> Verdict | None:
    if not snapshot.pull.held:
        return None
    then = outlook(snapshot, now)
    words = (
        "is held: its title says (HELD), so it is neither called ready nor merged until that is gone. "
        f"Apart from that it {then.words}"
    )
    return Verdict(Fate.HELD, then.since, words, then.next)


# --- what the idle rules make of it -----------------------------------------------------------------------------------
def outlook(snapshot: Snapshot, now: datetime) -> Verdict:
    """Return what happens to an open, PROCESSED pull request that no Event touches."""
    idle = snapshot.idle
    if idle is None:
        return _not_idle_yet(snapshot, now)
    return _OF_STATUS[idle.status](snapshot, idle, now)


def _not_idle_yet(snapshot: Snapshot, now: datetime) -> Verdict:
    pull = snapshot.pull
    idle_at = max(now, pull.updated_at + IDLE_AFTER)
    words = (
        f"was last written {ago(now, pull.updated_at)} and needs nothing of the bot now. "
        f"Without an Event it counts as idle {when(now, idle_at)}."
    )
    return Verdict(Fate.RESTING, pull.updated_at, words, Next("Without an Event it counts as idle", idle_at))


def _gave_up(snapshot: Snapshot, idle: IdleFacts, now: datetime) -> Verdict:
    words = (
        f"was given up on: all {idle.limit} Idle Retries are used up, and it was not touched for "
        f"{span(now - snapshot.pull.updated_at)}. Only an Event or a person wakes it."
    )
    return Verdict(Fate.GAVE_UP, snapshot.pull.updated_at, words)


def _waiting(snapshot: Snapshot, idle: IdleFacts, now: datetime) -> Verdict:
    due_at = idle.due_at or now
    words = (
        f"waits: it had {snapshot.pull.retries} of {idle.limit} Idle Retries, "
        f"and the next one falls due {when(now, due_at)}."
    )
    return Verdict(
        Fate.WAITING, snapshot.pull.updated_at, words, Next(f"{_retry(snapshot, idle)} falls due", due_at)
    )


def _due(snapshot: Snapshot, idle: IdleFacts, now: datetime) -> Verdict:
    pace, retry = snapshot.idle_pass, _retry(snapshot, idle)
    where = _place(idle)
    if pace.next_run is None:
        stop = f" {ended(pace.stop.text)}" if pace.stop else ""
        return Verdict(
            Fate.DUE, idle.due_at, f"is due for {retry} and {where}, but nobody is served now.{stop}"
        )
    turns = idle.ahead // pace.served
    at = max(now, pace.next_run) + turns * pace.interval
    rhythm = f" ({pace.served} every {span(pace.interval)})" if turns else ""
    served = f"It gets it {roughly(now, at) if turns else when(now, at)}."
    if idle.place is None:
        served = f"It does not get it before {date(now, at)}."
    words = f"is due for {retry} and {where}{rhythm}. {served}"
    return Verdict(Fate.DUE, idle.due_at, words, Next(f"It gets {retry}", at))


def _place(idle: IdleFacts) -> str:
    if idle.place is None:
        return f"{behind(idle)} in line"
    return "next up" if idle.place == 1 else f"{ordinal(idle.place)} in line"


def _retry(snapshot: Snapshot, idle: IdleFacts) -> str:
    return f"Idle Retry {snapshot.pull.retries + 1} of {idle.limit}"


_OF_STATUS: dict[IdleStatus, Callable[[Snapshot, IdleFacts, datetime], Verdict]] = {
    IdleStatus.GAVE_UP: _gave_up,
    IdleStatus.WAITING: _waiting,
    IdleStatus.DUE: _due,
}
