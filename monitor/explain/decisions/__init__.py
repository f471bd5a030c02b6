"""What a snapshot means: one sentence, what comes next, and every reason. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from core.reasons import Next, Reason
from monitor.explain.decisions.gates import facts, gates
from monitor.explain.decisions.resting import resting
from monitor.explain.decisions.words import when
from monitor.explain.decisions.working import working
from monitor.explain.values import Explanation, Snapshot
from webhooks.values import ProcessingState


def explain(snapshot: Snapshot, now: datetime) -> Explanation:
    """Say why a pull request is where it is, as seen from `now` (the database's clock, aware)."""
    decide = resting if snapshot.pull.state == ProcessingState.PROCESSED else working
    verdict = decide(snapshot, now)
    reasons = (*gates(snapshot, now), *facts(snapshot, now), *snapshot.said)
    sentence = f"{snapshot.pull.name} {verdict.words}"
    soonest = _soonest(verdict.next, reasons, now)
    if soonest and soonest != verdict.next:
        sentence = (
            f"{sentence} Before that: {soonest.what} {when(now, soonest.at)}."
            if verdict.next
            else (f"{sentence} {soonest.what} {when(now, soonest.at)}.")
        )
    return Explanation(sentence, verdict.fate, verdict.since, soonest, reasons)


def _soonest(own: Next | None, reasons: Iterable[Reason], now: datetime) -> Next | None:
    """Return what comes first: the fate's own next step, or one that a reason announces."""
    announced = [reason.next for reason in reasons if reason.next and reason.next.at > now]
    return min([*announced, *([own] if own else [])], key=lambda step: step.at, default=None)
