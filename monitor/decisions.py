"""What needs a person, decided from facts gathered before. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from monitor.values import Tone
from monitor.wording import age, amount

# A row that nobody claimed for so long is stuck, whatever the bot's pace.
STUCK_AFTER = timedelta(days=1)
BAD_OUTCOMES = frozenset({"failed", "lost"})


@dataclass(frozen=True, kw_only=True)
class Facts:
    """What the overview knows; counts are of the last 24 hours."""

    now: datetime
    worker_alive: bool
    worker_beat: datetime | None
    oldest_pending: datetime | None = None
    given_up: int = 0
    failed_deliveries: int = 0
    rejected: int = 0
    unreadable_states: Mapping[str, int] = field(default_factory=dict)
    paused: Mapping[str, str] = field(default_factory=dict)
    obstacles: Mapping[str, str] = field(default_factory=dict)
    last_outcomes: Mapping[str, str] = field(default_factory=dict)
    refused_settings: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Problem:
    """One thing that needs a person, and the name of the page that shows more ("" = the admin's Settings)."""

    tone: Tone
    sentence: str
    page: str


def problems(facts: Facts) -> list[Problem]:
    """Return what needs a person, the gravest first; an empty list means healthy."""
    found = [
        *_worker(facts),
        *_rows(facts),
        *_failures(facts),
        *_deliveries(facts),
        *_passes(facts),
        *_settings(facts),
    ]
    return sorted(found, key=lambda problem: problem.tone is not Tone.RED)


def _worker(facts: Facts) -> Iterator[Problem]:
    if facts.worker_alive:
        return
    since = f"was last heard {age(facts.now, facts.worker_beat)}" if facts.worker_beat else "was never heard"
    yield Problem(Tone.RED, f"The worker is silent (it {since}): no pass runs.", "passes")


def _rows(facts: Facts) -> Iterator[Problem]:
    for table, rows in facts.unreadable_states.items():
        sentence = f"{table}: {amount(rows, 'row')} with a ProcessingState that no rule knows."
        yield Problem(Tone.RED, sentence, "processing")
    if facts.oldest_pending and facts.now - facts.oldest_pending >= STUCK_AFTER:
        written = age(facts.now, facts.oldest_pending)
        sentence = f"A pending row was last written {written}: does anybody claim?"
        yield Problem(Tone.AMBER, sentence, "processing")


def _failures(facts: Facts) -> Iterator[Problem]:
    if facts.given_up:
        yield Problem(
            Tone.AMBER, f"Given up on after all attempts: {amount(facts.given_up, 'row')}.", "failed"
        )


def _deliveries(facts: Facts) -> Iterator[Problem]:
    if facts.failed_deliveries:
        failed = amount(facts.failed_deliveries, "delivery", "deliveries")
        sentence = f"Failed in the last 24 hours: {failed}."
        yield Problem(Tone.RED, sentence, "deliveries")
    if facts.rejected:
        rejected = amount(facts.rejected, "request")
        sentence = f"Turned away at the receiver in the last 24 hours: {rejected}."
        yield Problem(Tone.AMBER, sentence, "deliveries")


def _passes(facts: Facts) -> Iterator[Problem]:
    for name, outcome in facts.last_outcomes.items():
        if outcome in BAD_OUTCOMES:
            yield Problem(Tone.RED, f"The last run of the pass {name} {_ended[outcome]}.", "passes")
    for name, reason in facts.paused.items():
        yield Problem(Tone.AMBER, f"The pass {name} is paused: {reason or 'no reason was given'}.", "passes")
    # One obstacle stands in the way of several passes: it is one thing to do, said once.
    for reason in sorted(set(facts.obstacles.values())):
        names = [name for name, obstacle in facts.obstacles.items() if obstacle == reason]
        yield Problem(Tone.AMBER, f"Passes that cannot run ({', '.join(names)}): {reason}.", "passes")


_ended = {"failed": "failed", "lost": "was lost: its process is gone"}


def _settings(facts: Facts) -> Iterator[Problem]:
    for name, reason in facts.refused_settings.items():
        yield Problem(Tone.AMBER, f"The Setting {name} is refused and its default used: {reason}", "")
