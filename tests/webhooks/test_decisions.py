"""The decision about a known pull request, rule by rule: start from one usual case, spoil one thing."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webhooks.decisions import Change, PullFacts, StoredPull, decide_change
from webhooks.values import DeliveryStatus, HistoryKind, OpenState, ProcessingState

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
STORED = StoredPull(
    state="OPEN", merged=False, processing_state="PROCESSED", github_updated_at=NOW, auto_merge_enabled=False
)
FACTS = PullFacts(
    node_id="PR_1",
    github_id=1,
    number=1,
    title="t",
    sender="alice",
    ref="r",
    head_sha="a",
    draft=False,
    state=OpenState.OPEN,
    merged=False,
    auto_merge=None,
    updated_at=NOW + timedelta(seconds=1),
)


def decide(
    stored: StoredPull = STORED, facts: PullFacts = FACTS, *, action: str = "labeled", is_echo: bool = False
) -> Change:
    return decide_change(stored, facts, action=action, is_echo=is_echo, wanted=ProcessingState.UPDATED)


def test_the_usual_event_takes_facts_and_wakes() -> None:
    change = decide()
    assert (change.status, change.kind, change.pending) == (
        DeliveryStatus.APPLIED,
        HistoryKind.EVENT,
        ProcessingState.UPDATED,
    )
    assert change.take_facts


@pytest.mark.parametrize(
    "stored, facts, older",
    [
        ({}, {"updated_at": NOW - timedelta(seconds=1)}, True),
        ({}, {"updated_at": NOW}, False),  # a tie applies: GitHub's instants are whole seconds
        ({}, {"updated_at": None}, False),
        ({"github_updated_at": None}, {"updated_at": NOW - timedelta(days=1)}, False),
    ],
)
def test_only_a_known_later_state_makes_an_event_stale(stored: dict, facts: dict, older: bool) -> None:
    change = decide(replace(STORED, **stored), replace(FACTS, **facts))
    assert (change.status is DeliveryStatus.STALE) is older
    assert change.take_facts is not older
    assert change.pending is ProcessingState.UPDATED


def test_a_stale_event_leaves_a_closed_row_alone() -> None:
    change = decide(replace(STORED, state="CLOSED"), replace(FACTS, updated_at=NOW - timedelta(seconds=1)))
    assert (change.pending, change.state) == (None, OpenState.CLOSED)


def test_closing_and_reopening_have_their_own_words() -> None:
    closed = decide(facts=replace(FACTS, state=OpenState.CLOSED))
    assert (closed.kind, closed.state) == (HistoryKind.CLOSE, OpenState.CLOSED)
    reopened = decide(replace(STORED, state="CLOSED"), action="reopened")
    assert (reopened.kind, reopened.state) == (HistoryKind.REOPEN, OpenState.OPEN)


def test_a_payload_that_names_no_state_keeps_it() -> None:
    assert decide(replace(STORED, state="CLOSED"), replace(FACTS, state=None)).state is OpenState.CLOSED


def test_an_echo_wakes_nobody_and_says_so() -> None:
    change = decide(is_echo=True)
    assert (change.status, change.kind, change.pending) == (DeliveryStatus.ECHO, HistoryKind.ECHO, None)
    assert "our own App" in change.reason


facts_strategy = st.builds(
    replace,
    st.just(FACTS),
    state=st.sampled_from([None, *OpenState]),
    merged=st.sampled_from([None, True, False]),
    updated_at=st.one_of(st.none(), st.integers(-5, 5).map(lambda s: NOW + timedelta(seconds=s))),
)
stored_strategy = st.builds(
    StoredPull,
    state=st.sampled_from([s.value for s in OpenState]),
    merged=st.booleans(),
    processing_state=st.sampled_from([s.value for s in ProcessingState]),
    github_updated_at=st.one_of(st.none(), st.just(NOW)),
    auto_merge_enabled=st.booleans(),
)


@given(
    stored=stored_strategy,
    facts=facts_strategy,
    action=st.sampled_from(["closed", "reopened", "x"]),
    echo=st.booleans(),
)
def test_what_holds_always(stored: StoredPull, facts: PullFacts, action: str, echo: bool) -> None:
    change = decide(stored, facts, action=action, is_echo=echo)
    if stored.merged or change.merged:
        assert (change.state, change.merged) == (OpenState.CLOSED, True)
    if echo:
        assert change.pending is None
    if change.pending is not None and stored.processing_state == "NEW":
        assert change.pending is ProcessingState.NEW
    if change.pending is None:
        assert echo or (change.status is DeliveryStatus.STALE and stored.state == "CLOSED")
    assert change.reason
