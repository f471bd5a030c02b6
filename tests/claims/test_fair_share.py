"""Three pull requests of one repository at most, while others wait."""

from __future__ import annotations

from collections import Counter
from datetime import timedelta

import pytest

from tests.claims.conftest import Taking, pull, sequences


def test_one_repositorys_backlog_holds_nobody_up(take: Taking, now):
    old, young = now - timedelta(days=5), now - timedelta(days=1)
    for _ in range(100):
        pull(repository_name="a", updated_at=old)
    waiting = [pull(repository_name=name, updated_at=young).pk for name in "bc"]
    batch = take()
    assert Counter(claim.row.repository_name for claim in batch.claims) == {"a": 8, "b": 1, "c": 1}
    assert set(waiting) <= set(sequences(batch))


@pytest.mark.parametrize("states", [["NEW"], ["NEW", "RE_REQUESTED", "IDLE"]])
def test_while_others_wait_no_repository_gets_more_than_three(take: Taking, now, states):
    for place, (name, count) in enumerate({"a": 60, "b": 50, "c": 5, "d": 5}.items()):
        for number in range(count):
            pull(
                repository_name=name,
                processing_state=states[number % len(states)],
                updated_at=now - timedelta(days=9 - place),
            )
    served = Counter(claim.row.repository_name for claim in take().claims)
    assert sum(served.values()) == 10
    assert max(served.values()) == 3


def test_a_repository_is_one_whatever_the_letter_case_of_its_name(take: Taking, now):
    for name in ("Tools", "tools", "TOOLS", "tools"):
        pull(repository_name=name, updated_at=now - timedelta(days=2))
    other = pull(repository_name="other", updated_at=now)
    assert sequences(take(limit=4))[3] == other.pk


def test_others_behind_a_backlog_are_found_though_their_oldest_row_waits(take: Taking, now):
    for _ in range(50):
        pull(repository_name="a", updated_at=now - timedelta(days=9))
    pull(repository_name="b", updated_at=now - timedelta(days=8), not_before=now + timedelta(days=1))
    ready = pull(repository_name="b", updated_at=now - timedelta(days=1))
    assert ready.pk in sequences(take())
