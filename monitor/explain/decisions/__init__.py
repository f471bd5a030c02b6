"""What a snapshot means: one sentence, what comes next, and every reason. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime

from core.reasons import Next, Reason
from monitor.explain.decisions.gates import facts, gates
from monitor.explain.decisions.resting import resting
from monitor.explain.decisions.words import begun, when
from monitor.explain.decisions.working import working
from monitor.explain.values import Explanation, Snapshot
from webhooks.values import ProcessingState


def explain(snapshot: Snapshot, now: datetime) -> Explanation:
    """Say why a pull request is where it is, as seen from `now` (the database's clock, aware)."""
    decide = resting if snapshot.pull.state == ProcessingState.PROCESSED else working
    verdict = decide(snapshot, now)
    reasons = (*gates(snapshot, now), *facts(snapshot, now), *snapshot.said)
    step = _soonest(verdict.next, reasons, now)
    sentence = f"{snapshot.pull.name} {verdict.words}{_more(verdict.next, step, now)}"
    return Explanation(sentence, verdict.fate, verdict.since, step, reasons)


def _more(own: Next | None, step: Next | None, now: datetime) -> str:
    """Return what the sentence must add when something else comes before the fate's own next step, or instead of it."""
    if step is None or step == own:
        return ""
    return f"{' Before that:' if own else ''} {step.what} {when(now, step.at)}."


def _soonest(own: Next | None, reasons: Iterable[Reason], now: datetime) -> Next | None:
    """Return what comes first: the fate's own next step, or one that a reason announces."""
    announced = [
        replace(reason.next, what=begun(reason.next.what))
        for reason in reasons
        if reason.next and reason.next.at > now
    ]
    return min([*announced, *([own] if own else [])], key=lambda step: step.at, default=None)
