"""Events that carry a pull request: pull_request and pull_request_review."""

from __future__ import annotations

from typing import Any

from django.db.models import F

from core.functions import CurrentTimestamp
from webhooks.decisions import Change, PullFacts, StoredPull, decide_change
from webhooks.events.incoming import Incoming, Outcome, applied, echo, ignored
from webhooks.models import PullRequest
from webhooks.models.base import REF_LENGTH, SHA_LENGTH
from webhooks.payload import Payload
from webhooks.services import history, looks, rows
from webhooks.services.pending import pending_columns
from webhooks.values import GHOST, HistoryKind, OpenState, ProcessingState

STORED = (
    "pk",
    "state",
    "merged",
    "processing_state",
    "github_updated_at",
    "auto_merge_enabled",
    "head_sha",
)
REVIEW_ACTIONS = frozenset({"submitted", "dismissed"})


def read_facts(payload: Payload) -> PullFacts:
    """Read the member pull_request, long form or short; raises Unusable when it cannot be told which one it is."""
    member = "pull_request"
    state = payload.text(f"{member}.state", 20).upper()
    pull = payload.object(member)
    return PullFacts(
        node_id=payload.needed_name(f"{member}.node_id"),
        github_id=payload.needed_id(f"{member}.id"),
        number=payload.needed_id(f"{member}.number"),
        title=payload.long_text(f"{member}.title"),
        sender=payload.name(f"{member}.user.login") or GHOST,
        ref=payload.name(f"{member}.head.ref", REF_LENGTH),
        head_sha=payload.name(f"{member}.head.sha", SHA_LENGTH),
        draft=payload.flag(f"{member}.draft"),
        state=OpenState(state) if state in OpenState.__members__ else None,
        merged=payload.flag(f"{member}.merged"),
        # Null says "off"; the short form does not have the member at all and says nothing.
        auto_merge=pull.data["auto_merge"] is not None if pull and "auto_merge" in pull.data else None,
        updated_at=payload.instant(f"{member}.updated_at"),
    )


def write_pull_request(incoming: Incoming) -> Outcome:
    """Every action GitHub defines, `edited` included: the row takes the facts and is UPDATED."""
    return write(incoming, read_facts(incoming.payload), ProcessingState.UPDATED)


def write_review(incoming: Incoming) -> Outcome:
    """A person's review makes the pull request worth another round; a bot's asks for a look only."""
    if incoming.action not in REVIEW_ACTIONS:
        return ignored(f"a review that was {incoming.action or 'changed'} needs nothing")
    facts = read_facts(incoming.payload)
    if not incoming.sent_by_bot or incoming.is_echo:
        return write(incoming, facts, ProcessingState.RE_REQUESTED)
    known = PullRequest.objects.filter(node_id=facts.node_id).values_list("pk", flat=True).first()
    if known is None:
        return write(incoming, facts, ProcessingState.RE_REQUESTED)
    looks.ask([known])
    return applied("a bot's review: a look at the pull request, no reset", wakes=False)


def write(incoming: Incoming, facts: PullFacts, wanted: ProcessingState) -> Outcome:
    """Update the pull request of that node id, or insert it."""
    row = PullRequest.objects.select_for_update().filter(node_id=facts.node_id).values(*STORED).first()
    if row is None:
        return insert(incoming, facts)
    pk = row.pop("pk")
    stored = StoredPull(**row)
    change = decide_change(stored, facts, action=incoming.action, is_echo=incoming.is_echo, wanted=wanted)
    update(pk, incoming, stored, facts, change)
    return Outcome(change.status, f"pull request {pk}: {change.reason}", wakes=change.pending is not None)


def insert(incoming: Incoming, facts: PullFacts) -> Outcome:
    """Insert an unknown pull request: NEW, or PROCESSED when our own App's work is all we ever saw of it."""
    columns = fact_columns(facts, auto_merge_was_enabled=False)
    state, merged = facts.state or OpenState.OPEN, bool(facts.merged)
    pk = rows.insert(PullRequest, incoming, **columns, node_id=facts.node_id, state=state, merged=merged)
    kind = HistoryKind.ECHO if incoming.is_echo else HistoryKind.EVENT
    born = ProcessingState.PROCESSED if incoming.is_echo else ProcessingState.NEW
    record(pk, incoming, kind, "first seen", ("", born))
    note = f"new pull request {pk}"
    return echo(f"{note}, of our own App's doing") if incoming.is_echo else applied(note)


def update(pk: int, incoming: Incoming, stored: StoredPull, facts: PullFacts, change: Change) -> None:
    """Write the decided change to the locked row, and its history."""
    columns: dict[str, Any] = {"state": change.state, "merged": change.merged, "updated_at": F("updated_at")}
    if change.take_facts:
        columns |= rows.origin_columns(PullRequest, incoming)
        columns |= fact_columns(facts, auto_merge_was_enabled=stored.auto_merge_enabled)
        if facts.head_sha != stored.head_sha:
            # GitHub works out anew whether this head can be merged, and is asked anew.
            columns["mergeable_reads"] = 0
    if change.pending:
        columns |= pending_columns(change.pending)
        columns |= {"idle_retry_count": 0, "date": CurrentTimestamp(), "updated_at": CurrentTimestamp()}
    PullRequest.objects.filter(pk=pk).update(**columns)
    after = change.pending.value if change.pending else stored.processing_state
    record(pk, incoming, change.kind, change.reason, (stored.processing_state, after))


def fact_columns(facts: PullFacts, *, auto_merge_was_enabled: bool) -> dict[str, Any]:
    """Return the columns of the facts a payload gives; what it does not say stays as it is."""
    columns: dict[str, Any] = {
        "github_id": facts.github_id,
        "number": facts.number,
        "title": facts.title,
        "sender": facts.sender,
        "ref": facts.ref,
        "head_sha": facts.head_sha,
    }
    if facts.draft is not None:
        columns["draft"] = facts.draft
    if facts.updated_at is not None:
        columns["github_updated_at"] = facts.updated_at
    if facts.auto_merge is not None and facts.auto_merge != auto_merge_was_enabled:
        columns["auto_merge_enabled"] = facts.auto_merge
        columns["auto_merge_enabled_at"] = CurrentTimestamp() if facts.auto_merge else None
    return columns


def record(pk: int, incoming: Incoming, kind: HistoryKind, reason: str, states: tuple[str, str]) -> None:
    """Append the history line of an Event."""
    history.append(pk, kind, states, reason=f"{incoming.title}: {reason}", cause=incoming.cause)
