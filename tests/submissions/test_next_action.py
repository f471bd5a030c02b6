"""The decider: every combination of its dimensions, against a plain reading of the rule."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import product

import pytest

from submissions.decisions.next_action import DIMENSIONS, decide
from workqueue.values import Dimension, Phase, Snapshot

NOW = datetime(2026, 3, 4, 9, tzinfo=UTC)
LATER, EARLIER = NOW + timedelta(seconds=1), NOW - timedelta(seconds=1)

# What a dimension's row may say, and whether that asks for an action.
ROWS: dict[str, tuple[tuple[bool, datetime | None] | None, bool]] = {
    "missing": (None, True),
    "true": ((True, None), True),
    "false": ((False, None), False),
    "true, later": ((True, LATER), False),
    "true, since then": ((True, EARLIER), True),
    "true, this second": ((True, NOW), True),
    "false, since then": ((False, EARLIER), False),
}
# In order of priority, as the specification has them.
ACTIONS = {
    "needs_pr": "ensure_pr",
    "needs_ci_retry": "ci_retry",
    "needs_reconcile": "reconcile",
    "needs_empty_check": "reconcile",
}
TABLE = list(product(ROWS, repeat=len(ACTIONS)))


def snapshot(words: tuple[str, ...], phase: Phase = Phase.ACTIVE) -> Snapshot:
    rows = []
    for name, word in zip(ACTIONS, words, strict=True):
        row, _ = ROWS[word]
        if row is not None:
            rows.append(Dimension(name, "", *row))
    return Snapshot(
        item=1, item_type="pull_request", phase=phase, attempts=0, now=NOW, dimensions=tuple(rows)
    )


def expected(words: tuple[str, ...]) -> tuple[str, str] | None:
    asking = [name for name, word in zip(ACTIONS, words, strict=True) if ROWS[word][1]]
    return (ACTIONS[asking[0]], asking[0]) if asking else None


def test_b5_50_every_combination_of_dimensions_has_its_one_action():
    assert len(TABLE) == 7**4
    for words in TABLE:
        action = decide(snapshot(words))
        assert (action and (action.name, action.dimension)) == expected(words), words


def test_b5_04_the_same_item_is_decided_the_same_however_often():
    for words in TABLE[::97]:
        assert decide(snapshot(words)) == decide(snapshot(words))


def test_b5_50_the_order_of_priority_is_the_specified_one():
    assert tuple(ACTIONS) == DIMENSIONS


@pytest.mark.parametrize("word,acts", [(word, acts) for word, (_, acts) in ROWS.items()])
def test_b5_56_only_false_means_handled_and_b5_57_a_future_instant_counts_as_false(word, acts):
    words = (word, "false", "false", "false")
    assert (decide(snapshot(words)) is not None) is acts


def test_b5_05_of_several_failed_runs_one_is_looked_into_at_a_time():
    rows = [Dimension("needs_pr", "", needed=False), Dimension("needs_ci_retry", "", needed=False)]
    rows += [Dimension("needs_ci_retry", run, needed=True) for run in ("72", "71")]
    action = decide(
        Snapshot(
            item=1, item_type="pull_request", phase=Phase.ACTIVE, attempts=0, now=NOW, dimensions=tuple(rows)
        )
    )
    assert action is not None
    assert (action.name, action.variant) == ("ci_retry", "71")
