"""Is it OK, and what needs a person: decided from facts gathered before. Pure."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum
from itertools import pairwise

from monitor.values import Liveness, Tone
from monitor.wording import age, amount, last_line

# A row that nobody claimed for so long is stuck, whatever the bot's pace.
STUCK_AFTER = timedelta(days=1)
# The worker beats once a minute: one beat may be missed by a restart, three are silence (core.heartbeat.SILENT_AFTER).
LATE_AFTER = timedelta(seconds=100)
DOWN_AFTER = timedelta(seconds=180)
BAD_OUTCOMES = frozenset({"failed", "lost"})
# Schedules tick once a minute, so a run may begin that much after it was due.
TICK = timedelta(minutes=1)


class Area(StrEnum):
    """What the panel on the overview judges, each with a word."""

    WORKER = "Worker"
    DELIVERIES = "Deliveries"
    ROWS = "Rows"
    PASSES = "Passes"
    GITHUB = "GitHub"
    SETTINGS = "Settings"


# The word of an area that nothing is wrong with.
WELL: Mapping[Area, str] = {
    Area.WORKER: "alive",
    Area.DELIVERIES: "all handled",
    Area.ROWS: "moving",
    Area.PASSES: "on time",
    Area.GITHUB: "in reach",
    Area.SETTINGS: "accepted",
}


@dataclass(frozen=True, kw_only=True)
class Facts:
    """What the overview knows; counts are of the last 24 hours."""

    now: datetime
    worker_beat: datetime | None
    oldest_pending: datetime | None = None
    failed_deliveries: int = 0
    rejected: int = 0
    unreadable_states: Mapping[str, int] = field(default_factory=dict)
    paused: Mapping[str, str] = field(default_factory=dict)
    obstacles: Mapping[str, str] = field(default_factory=dict)
    missed: Mapping[str, int] = field(default_factory=dict)
    last_outcomes: Mapping[str, str] = field(default_factory=dict)
    throttled: Mapping[str, datetime] = field(default_factory=dict)
    refused_settings: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Problem:
    """One thing that needs a person: its area, a word, a sentence, and the name of the page that shows more."""

    area: Area
    tone: Tone
    word: str
    sentence: str
    page: str


@dataclass(frozen=True)
class Check:
    """One line of the panel "is it OK": the area, its gravest word, and the page that shows more."""

    area: Area
    tone: Tone
    word: str
    page: str


def problems(facts: Facts) -> list[Problem]:
    """Return what needs a person, the gravest first; an empty list means healthy."""
    found = [
        *_worker(facts),
        *_rows(facts),
        *_deliveries(facts),
        *_passes(facts),
        *_github(facts),
        *_settings(facts),
    ]
    return sorted(found, key=lambda problem: problem.tone is not Tone.RED)


def checks(found: Sequence[Problem]) -> list[Check]:
    """Return a line for every area, given all problems with the gravest first."""
    return [_check(area, [problem for problem in found if problem.area is area]) for area in Area]


def _check(area: Area, found: Sequence[Problem]) -> Check:
    if not found:
        return Check(area, Tone.GREEN, WELL[area], PAGES[area])
    return Check(area, found[0].tone, found[0].word, found[0].page)


PAGES: Mapping[Area, str] = {
    Area.WORKER: "passes",
    Area.DELIVERIES: "deliveries",
    Area.ROWS: "processing",
    Area.PASSES: "passes",
    Area.GITHUB: "installations",
    Area.SETTINGS: "admin:core_setting_changelist",
}


def liveness(beat: datetime | None, *, now: datetime) -> Liveness:
    """Judge the worker by its last beat: alive, late, or down."""
    if beat is None or now - beat >= DOWN_AFTER:
        return Liveness.DOWN
    return Liveness.LATE if now - beat >= LATE_AFTER else Liveness.ALIVE


def _worker(facts: Facts) -> Iterator[Problem]:
    state = liveness(facts.worker_beat, now=facts.now)
    if state is Liveness.ALIVE:
        return
    since = f"was last heard {age(facts.now, facts.worker_beat)}" if facts.worker_beat else "was never heard"
    if state is Liveness.LATE:
        sentence = f"The worker is late: it {since}, and beats every minute."
        yield Problem(Area.WORKER, Tone.AMBER, "late", sentence, "passes")
        return
    sentence = f"The worker is silent (it {since}): no pass runs."
    yield Problem(Area.WORKER, Tone.RED, "down", sentence, "passes")


def _rows(facts: Facts) -> Iterator[Problem]:
    for table, rows in facts.unreadable_states.items():
        sentence = f"{table}: {amount(rows, 'row')} with a ProcessingState that no rule knows."
        yield Problem(Area.ROWS, Tone.RED, "unreadable", sentence, "processing")
    if facts.oldest_pending and facts.now - facts.oldest_pending >= STUCK_AFTER:
        written = age(facts.now, facts.oldest_pending)
        sentence = f"A pending row was last written {written}: does anybody claim?"
        yield Problem(Area.ROWS, Tone.AMBER, "stuck", sentence, "processing")


def _deliveries(facts: Facts) -> Iterator[Problem]:
    if facts.failed_deliveries:
        failed = amount(facts.failed_deliveries, "delivery", "deliveries")
        sentence = f"Failed in the last 24 hours: {failed}."
        yield Problem(
            Area.DELIVERIES, Tone.RED, f"{facts.failed_deliveries:,} failed", sentence, "deliveries"
        )
    if facts.rejected:
        rejected = amount(facts.rejected, "request")
        sentence = f"Turned away at the receiver in the last 24 hours: {rejected}."
        yield Problem(Area.DELIVERIES, Tone.AMBER, f"{facts.rejected:,} refused", sentence, "deliveries")


def _passes(facts: Facts) -> Iterator[Problem]:
    for name, outcome in facts.last_outcomes.items():
        if outcome in BAD_OUTCOMES:
            sentence = f"The last run of the pass {name} {_ended[outcome]}."
            yield Problem(Area.PASSES, Tone.RED, outcome, sentence, "passes")
    for name, reason in facts.paused.items():
        sentence = f"The pass {name} is paused: {reason or 'no reason was given'}."
        yield Problem(Area.PASSES, Tone.AMBER, "paused", sentence, "passes")
    # One obstacle stands in the way of several passes: it is one thing to do, said once.
    for reason in sorted(set(facts.obstacles.values())):
        names = [name for name, obstacle in facts.obstacles.items() if obstacle == reason]
        sentence = f"Passes that cannot run ({', '.join(names)}): {reason}."
        yield Problem(Area.PASSES, Tone.AMBER, "hindered", sentence, "passes")
    if facts.missed:
        most = ", ".join(f"{name} {runs:,}" for name, runs in facts.missed.items())
        sentence = f"Runs missed in the last 24 hours, while the worker was away or the pass off: {most}."
        yield Problem(Area.PASSES, Tone.AMBER, f"{sum(facts.missed.values()):,} missed", sentence, "passes")


_ended = {"failed": "failed", "lost": "was lost: its process is gone"}


def _github(facts: Facts) -> Iterator[Problem]:
    for account, until in facts.throttled.items():
        sentence = f"GitHub's rate limit of {account} is used up: asked again {age(facts.now, until)}."
        yield Problem(Area.GITHUB, Tone.AMBER, "throttled", sentence, "installations")


def _settings(facts: Facts) -> Iterator[Problem]:
    for name, reason in facts.refused_settings.items():
        sentence = f"The Setting {name} is refused and its default used: {reason}"
        yield Problem(Area.SETTINGS, Tone.AMBER, "refused", sentence, PAGES[Area.SETTINGS])


def missed_runs(starts: Sequence[datetime], every: timedelta, *, now: datetime, since: datetime) -> int:
    """Return how many runs of a pass fell out between those starts (oldest first) and now; 0 when it never ran.

    `every` is the least time between two starts. What came before the first known start is not judged: the pass may
    be new. A catch-up after an outage is one run, so the gap itself is what tells.
    """
    if not starts:
        return 0
    moments = [max(starts[0], since), *starts[1:], now]
    return sum(_fell_out(after - before, every) for before, after in pairwise(moments))


def _fell_out(gap: timedelta, every: timedelta) -> int:
    return max(0, int(gap / (every + TICK)) - 1)


@dataclass(frozen=True)
class Failures:
    """Failures that say the same: where, the words, and how many."""

    page: str
    words: str
    number: int


def grouped_failures(errors: Iterable[tuple[str, str]], *, most: int) -> list[Failures]:
    """Group (page, error text) by the error's last line, numbers aside; the most frequent first."""
    found = Counter((page, _words_of(text)) for page, text in errors)
    return [Failures(page, words, number) for (page, words), number in found.most_common(most)]


LONGEST_WORDS = 160
_VARIABLE = re.compile(r"\b(?:[0-9a-f]{7,40}|\d+)\b")


def _words_of(text: str) -> str:
    return _VARIABLE.sub("…", last_line(text) or "(no words)")[:LONGEST_WORDS]
