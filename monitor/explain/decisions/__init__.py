"""What a snapshot means: one sentence, what comes next, and every reason. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime

from core.reasons import Next, Reason
from monitor.explain.decisions.gates import facts, gates, healing
from monitor.explain.decisions.resting import resting
from monitor.explain.decisions.words import begun, when
from monitor.explain.decisions.working import working
from monitor.explain.values import Explanation, Snapshot
from webhooks.values import HistoryKind, ProcessingState


def explain(snapshot: Snapshot, now: datetime) -> Explanation:
    """Say why a pull request is where it is, as seen from `now` (the database's clock, aware)."""
    decide = resting if snapshot.pull.state == ProcessingState.PROCESSED else working
    verdict = decide(snapshot, now)
    reasons = (*gates(snapshot, now), *facts(snapshot, now), *snapshot.said)
    step = _soonest(verdict.next, reasons, now)
    sentence = (
        f"{snapshot.pull.name} {verdict.words}{_correction(snapshot, now)}{_more(verdict.next, step, now)}"
        f"{_asked(reasons)}"
    )
    return Explanation(sentence, verdict.fate, verdict.since, step, reasons)


def _correction(snapshot: Snapshot, now: datetime) -> str:
    """Return what the newest line adds when a sync corrected the row's facts and left its state alone."""
    line = snapshot.lines[0] if snapshot.lines else None
    if line is None or line.kind != HistoryKind.SYNC or line.from_state != line.to_state:
        return ""
    return f" {healing(line, now)}"


def _more(own: Next | None, step: Next | None, now: datetime) -> str:
    """Return what the sentence must add when something else comes before the fate's own next step, or instead of it."""
    if step is None or step == own:
        return ""
    return f"{' Before that:' if own else ''} {step.what} {when(now, step.at)}."


def _asked(reasons: Iterable[Reason]) -> str:
    """Return what waits for a person: no sentence may say that nothing is to be done while that is so."""
    return "".join(f" {reason.text}" for reason in reasons if reason.asks)


def _soonest(own: Next | None, reasons: Iterable[Reason], now: datetime) -> Next | None:
    """Return what comes first: the fate's own next step, or one that a reason announces."""
    announced = [
        replace(reason.next, what=begun(reason.next.what))
        for reason in reasons
        if reason.next and reason.next.at > now
    ]
    return min([*announced, *([own] if own else [])], key=lambda step: step.at, default=None)
