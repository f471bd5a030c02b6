"""The fates of a pull request that is pending or claimed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from core.reasons import Next
from monitor.explain.decisions.words import ago, date, ended, error_in_short, when
from monitor.explain.values import Fate, Line, Snapshot, Verdict
from monitor.wording import amount
from webhooks.claim_rules import STALE_AFTER
from webhooks.values import PENDING, HistoryKind, ProcessingState

CLAIM_LASTS = timedelta(seconds=STALE_AFTER)
# Lines that say why a row became pending; a give-back or a failure only puts it back to where it was.
WAKING = frozenset(
    {
        HistoryKind.EVENT,
        HistoryKind.SYNC,
        HistoryKind.RE_REQUEST,
        HistoryKind.IDLE_RETRY,
        HistoryKind.CLOSE,
        HistoryKind.REOPEN,
    }
)

# Lines that come with a NotBefore.
PUTTING_OFF = frozenset({HistoryKind.DEFER, HistoryKind.FAIL})


def working(snapshot: Snapshot, now: datetime) -> Verdict:
    """Return the fate of a row that is not PROCESSED: the first of these that applies."""
    for decide in _IN_TURN:
        if verdict := decide(snapshot, now):
            return verdict
    return _queued(snapshot, now)


# --- claims -----------------------------------------------------------------------------------------------------------
def stale_at(snapshot: Snapshot) -> datetime | None:
    """Return when its claim counts as stale; None: never, or it is not claimed."""
    claimed = snapshot.pull.state == ProcessingState.PROCESSING
    at = snapshot.pull.processing_date
    return at + CLAIM_LASTS if claimed and at else None


def claimable_at(snapshot: Snapshot, now: datetime) -> datetime | None:
    """Return when the bot may claim it at the earliest; None while the bot claims nothing."""
    if snapshot.bot.next_run is None:
        return None
    waits = (stale_at(snapshot), snapshot.pull.not_before, snapshot.reach.throttled_until)
    return max(now, snapshot.bot.next_run, *filter(None, waits))


def _unreadable(snapshot: Snapshot, _: datetime) -> Verdict | None:
    state = snapshot.pull.state
    if state in PENDING or state == ProcessingState.PROCESSING:
        return None
    words = (
        f"has the ProcessingState {state!r}, which no rule knows, so nobody works on it. "
        "An Event or a re-request by a person puts it right."
    )
    return Verdict(Fate.UNREADABLE, snapshot.pull.updated_at, words)


def _claimed(snapshot: Snapshot, now: datetime) -> Verdict | None:
    pull, at = snapshot.pull, stale_at(snapshot)
    if pull.state != ProcessingState.PROCESSING or (at and at <= now):
        return None
    who = f"is being worked on by {_worker(snapshot)}"
    if at is None or pull.processing_date is None:
        words = f"{who}, with no date of its claim, so the claim never goes stale. A re-request puts it back."
        return Verdict(Fate.CLAIMED, pull.updated_at, words)
    words = (
        f"{who}, claimed {ago(now, pull.processing_date)}{_attempt(snapshot)}. "
        f"If that worker goes silent, the claim is stale {when(now, at)} and another one takes it over."
    )
    return Verdict(
        Fate.CLAIMED, pull.processing_date, words, Next("Unless it is done, its claim goes stale", at)
    )


def _stale_claim(snapshot: Snapshot, now: datetime) -> Verdict | None:
    pull, at = snapshot.pull, stale_at(snapshot)
    if at is None or at > now:
        return None
    words = f"was claimed by {_worker(snapshot)}, which went silent: the claim went stale {ago(now, at)}."
    what = "The bot takes it over"
    if pull.attempts >= snapshot.max_attempts:
        what = f"Its {amount(pull.attempts, 'attempt')} are used up, so the bot lists it as failed"
    return _until_claimed(Verdict(Fate.STALE_CLAIM, at, words), what, snapshot, now)


def _worker(snapshot: Snapshot) -> str:
    return snapshot.pull.worker or "a worker without a name"


def _attempt(snapshot: Snapshot) -> str:
    """Other programs count no attempts."""
    pull = snapshot.pull
    return f", attempt {pull.attempts} of {snapshot.max_attempts}" if pull.attempts else ""


# --- pending ----------------------------------------------------------------------------------------------------------
@dataclass(frozen=True)
class Wake:
    """Why a row is pending: the fate that makes of it, the words, and when."""

    fate: Fate
    words: str
    at: datetime


def wake(snapshot: Snapshot) -> Wake:
    """Return what made the row pending, by its history; what is not there, another program wrote."""
    pull, lines = snapshot.pull, snapshot.lines
    if lines and lines[0].to_state == pull.state:
        for line in lines:
            if line.kind in WAKING and line.to_state in PENDING and line.from_state != line.to_state:
                return _wake_of(line)
    return Wake(Fate.PENDING, f"another program made it {pull.state}", pull.updated_at)


def _wake_of(line: Line) -> Wake:
    if line.kind == HistoryKind.SYNC:
        return Wake(
            Fate.HEALED, f"an Event about it was missed, and a sync healed that ({line.reason})", line.at
        )
    # A person's re-request is under no claim; the bot's is under that of the pull request which was closed.
    if line.kind == HistoryKind.RE_REQUEST and line.of_claim:
        return Wake(Fate.NEXT_IN_LINE, f"it is its repository's {line.reason}", line.at)
    return Wake(Fate.PENDING, line.reason, line.at)


def _not_claimed(snapshot: Snapshot, now: datetime) -> Verdict | None:
    stop = snapshot.bot.stop
    if stop is None:
        return None
    found = wake(snapshot)
    words = (
        f"{_is_pending(snapshot)} since {date(now, found.at)}: {ended(found.words)} Our bot does not claim it. "
        f"{ended(stop.text)} Another program may claim it."
    )
    return Verdict(Fate.NOT_CLAIMED, found.at, words)


def _throttled(snapshot: Snapshot, now: datetime) -> Verdict | None:
    until = snapshot.reach.throttled_until
    if until is None or until <= now:
        return None
    words = f"{_is_pending(snapshot)} and waits for GitHub, which throttles its installation until {date(now, until)}."
    return _until_claimed(
        Verdict(Fate.THROTTLED, wake(snapshot).at, words), "The bot claims it", snapshot, now
    )


def _put_off(snapshot: Snapshot, now: datetime) -> Verdict | None:
    pull = snapshot.pull
    if pull.not_before is None or pull.not_before <= now:
        return None
    last = next((line for line in snapshot.lines if line.kind in PUTTING_OFF), None)
    if pull.error and (last is None or last.kind == HistoryKind.FAIL):
        tried = f"attempt {pull.attempts} of {snapshot.max_attempts}"
        words = f"failed in {tried}: {ended(error_in_short(pull.error))}"
        return _until_claimed(
            Verdict(Fate.RETRYING, pull.updated_at, words), "The next attempt comes", snapshot, now
        )
    words = f"was put off: {ended(last.reason if last else 'no reason was kept')}"
    return _until_claimed(
        Verdict(Fate.DEFERRED, pull.updated_at, words), "The bot claims it again", snapshot, now
    )


def _queued(snapshot: Snapshot, now: datetime) -> Verdict:
    found = wake(snapshot)
    words = (
        f"{_is_pending(snapshot)} since {date(now, found.at)}: {ended(found.words)} {queue_words(snapshot)}"
    )
    if snapshot.reach.blocked:
        words += f" GitHub will refuse: {snapshot.reach.blocked}. The bot then finishes it with that reason."
    what = "The bot claims what is first in the queue" if snapshot.before else "The bot claims it"
    return _until_claimed(Verdict(found.fate, found.at, words), what, snapshot, now)


def queue_words(snapshot: Snapshot) -> str:
    """Return how many are claimed sooner, roughly: the fair share of repositories may move it forward or back."""
    before = snapshot.before or 0
    if not before:
        return "Nothing is before it in the queue."
    if before >= snapshot.most_before:
        return f"More than {amount(snapshot.most_before, 'pull request')} are before it in the queue."
    return f"About {amount(before, 'pull request is', 'pull requests are')} before it in the queue."


def _is_pending(snapshot: Snapshot) -> str:
    pull = snapshot.pull
    closing = "" if pull.is_open else ("merged, and " if pull.merged else "closed, and ")
    return f"is {closing}pending ({pull.state})"


def _until_claimed(verdict: Verdict, what: str, snapshot: Snapshot, now: datetime) -> Verdict:
    """Return the verdict with a claim as its next step, or with why none comes."""
    at, stop = claimable_at(snapshot, now), snapshot.bot.stop
    if at is None:
        return replace(verdict, words=f"{verdict.words} {ended(stop.text)}") if stop else verdict
    return replace(verdict, words=f"{verdict.words} {what} {when(now, at)}.", next=Next(what, at))


_IN_TURN: tuple[Callable[[Snapshot, datetime], Verdict | None], ...] = (
    _unreadable,
    _claimed,
    _stale_claim,
    _not_claimed,
    _throttled,
    _put_off,
)
