"""What a decider sees, and the rules that hold for items of every type."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from workqueue import decisions
from workqueue.values import Dimension, EventResult, Phase, Snapshot

NOW = datetime(2026, 3, 4, 9, 0, tzinfo=UTC)
LATER, EARLIER = NOW + timedelta(seconds=1), NOW - timedelta(seconds=1)


def seen(*rows: Dimension) -> Snapshot:
    return Snapshot(item=1, item_type="lamp", phase=Phase.ACTIVE, attempts=0, now=NOW, dimensions=rows)


@pytest.mark.parametrize(
    "rows, needed",
    [
        ((), True),
        ((Dimension("needs_light", "", needed=True),), True),
        ((Dimension("needs_light", "", needed=False),), False),
        ((Dimension("needs_light", "", True, LATER),), False),
        ((Dimension("needs_light", "", True, NOW),), True),
        ((Dimension("needs_light", "", True, EARLIER),), True),
        ((Dimension("needs_light", "", False, EARLIER),), False),
        ((Dimension("needs_light", "a", needed=False), Dimension("needs_light", "b", needed=True)), True),
        ((Dimension("needs_light", "a", needed=False), Dimension("needs_light", "b", needed=False)), False),
        ((Dimension("needs_dusting", "", needed=False),), True),
    ],
)
def test_b5_56_b5_57_only_false_or_a_future_pending_until_means_handled_and_a_missing_row_means_act(
    rows, needed
):
    assert seen(*rows).needs("needs_light") is needed


def test_b5_03_variants_are_asked_for_one_by_one():
    lamp = seen(
        Dimension("needs_light", "b", needed=True),
        Dimension("needs_light", "a", needed=True),
        Dimension("needs_light", "c", needed=False),
        Dimension("needs_light", "d", True, LATER),
    )
    assert lamp.needed_variants("needs_light") == ("a", "b")
    assert lamp.needs("needs_light", "a")
    assert not lamp.needs("needs_light", "c")
    assert lamp.needs("needs_light", "unknown")
    assert lamp.waits_until() == LATER


def test_b5_04_a_snapshot_cannot_be_changed():
    with pytest.raises(AttributeError):
        setattr(seen(), "attempts", 3)  # noqa: B010 (an assignment that mypy would not let through)


@pytest.mark.parametrize(
    "attempts, seconds", [(0, 15), (1, 15), (2, 30), (3, 60), (8, 1920), (9, 3600), (99, 3600)]
)
def test_waits_double_up_to_an_hour(attempts, seconds):
    assert decisions.wait_after(attempts) == seconds


@pytest.mark.parametrize(
    "at, last, stale",
    [(None, None, True), (NOW, None, False), (NOW, EARLIER, False), (NOW, NOW, True), (NOW, LATER, True)],
)
def test_b5_34_a_phase_that_is_not_newer_than_the_last_one_is_stale(at, last, stale):
    assert bool(decisions.why_stale(EventResult(phase=Phase.CANCELLED, at=at), last)) is stale


@pytest.mark.parametrize(
    "phase, retry, cancel",
    [
        (Phase.ACTIVE, False, True),
        (Phase.COMPLETED, False, False),
        (Phase.FAILED, True, True),
        (Phase.CANCELLED, True, False),
    ],
)
def test_b5_40_what_each_phase_allows(phase, retry, cancel):
    assert (not decisions.why_not_retry(phase), not decisions.why_not_cancel(phase)) == (retry, cancel)


def test_parked_says_the_last_error_or_that_the_worker_died():
    assert decisions.why_parked(2, 3, "") == ""
    assert (
        decisions.why_parked(3, 3, "no current")
        == "given up after 3 failures in a row; the last one: no current"
    )
    assert "without a word" in decisions.why_parked(3, 3, "")


def test_b5_27_the_setting_names_types_separated_by_commas():
    assert decisions.handled_types(" merge,, pull_request ") == ("merge", "pull_request")
    assert decisions.handled_types("") == ()
