"""Checks and statuses: they come in floods, so they make nothing pending; a finished one asks for a look."""

from __future__ import annotations

from webhooks.events.incoming import Incoming, Outcome, applied, ignored
from webhooks.services import looks

FINAL_STATES = frozenset({"success", "failure", "error"})
WHY_NOT = (
    "checks never make a pull request pending: they would flood the queue and keep everything from being idle"
)


def write_check_suite(incoming: Incoming) -> Outcome:
    """A completed suite asks for a look at the open pull requests of its head."""
    if incoming.action != "completed":
        return ignored(WHY_NOT)
    return _look(incoming, incoming.payload.name("check_suite.head_sha"))


def write_status(incoming: Incoming) -> Outcome:
    """A final commit status asks for a look at the open pull requests of its commit."""
    if incoming.payload.text("state", 20) not in FINAL_STATES:
        return ignored(WHY_NOT)
    return _look(incoming, incoming.payload.name("sha"))


def _look(incoming: Incoming, head_sha: str) -> Outcome:
    found = looks.ask_for_head(incoming.repository.id, head_sha) if head_sha else 0
    if not found:
        return ignored("no open pull request has this head")
    return applied(f"a look at {found} pull request(s) with this head", wakes=False)
