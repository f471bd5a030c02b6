"""Pieces of sentences."""

from __future__ import annotations

from datetime import datetime

from monitor.explain.values import IdleFacts
from monitor.wording import age, exact
from webhooks.claim_rules import in_short

LONGEST_ERROR = 200
ORDINAL_ENDINGS = {1: "st", 2: "nd", 3: "rd"}
TEENS = range(11, 14)


def when(now: datetime, at: datetime) -> str:
    """Return an instant to come: "in 3 h (2026-03-04 12:00:00 UTC)"; one that is over waits for the next tick only."""
    return "within a minute" if at <= now else f"{age(now, at)} ({exact(at)})"


def roughly(now: datetime, at: datetime) -> str:
    """Return an instant to come that is an estimate: "in about 3 h (2026-03-04 12:00:00 UTC)"."""
    return when(now, at).replace("in ", "in about ", 1) if at > now else when(now, at)


def date(now: datetime, at: datetime) -> str:
    """Return an instant that something lasts since or until: "2026-03-04 06:00:00 UTC (3 h ago)"."""
    return f"{exact(at)} ({age(now, at)})"


def ago(now: datetime, at: datetime) -> str:
    """Return an instant of the past: "3 h ago (2026-03-04 06:00:00 UTC)"."""
    words = age(now, at)
    return f"{'just now' if words == 'now' else words} ({exact(at)})"


def error_in_short(error: str) -> str:
    """Return the line of an error that says most, cut to what fits into a sentence."""
    line = in_short(error) if error.strip() else "no reason was kept"
    return line if len(line) <= LONGEST_ERROR else f"{line[:LONGEST_ERROR]}…"


def begun(text: str) -> str:
    """Return a text that begins like a sentence."""
    return text[:1].upper() + text[1:]


def ended(text: str) -> str:
    """Return a text that ends like a sentence."""
    return text if text.endswith((".", "!", "?", "…")) else f"{text}."


def behind(idle: IdleFacts) -> str:
    """Return where in the line one is whose place cannot be told."""
    return (
        f"behind at least {idle.ahead:,} others" if idle.ahead else "behind more others than can be counted"
    )


def ordinal(number: int) -> str:
    """Return "1st", "2nd", "3rd", "11th", "21st"."""
    ending = "th" if number % 100 in TEENS else ORDINAL_ENDINGS.get(number % 10, "th")
    return f"{number:,}{ending}"
