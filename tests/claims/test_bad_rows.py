"""One bad row: it never stops its neighbours, and it ends as failed (B1.37, F08)."""

from __future__ import annotations

from datetime import timedelta

import pytest

from tests.claims.conftest import Taking
from tests.clock import DrivenClock
from tests.factories import PullRequestFactory
from webhooks.models import PullRequest
from webhooks.selectors import failed_rows
from webhooks.services import finishing


def work_through(take: Taking, poison: int, *, kills: bool) -> int:
    """Do what a worker does with one batch; returns how often the bad row was tried."""
    tried = 0
    for claim in take().claims:
        if claim.row.pk != poison:
            assert finishing.finalize(claim, "done")
            continue
        tried += 1
        if kills:
            # The worker is gone: neither this row nor those behind it in the batch hear of it again.
            break
        finishing.fail(claim, "odd")
    return tried


@pytest.mark.parametrize("kills", [False, True], ids=["raises", "kills its worker"])
def test_f08_a_poisonous_row_is_tried_five_times_while_all_others_are_done(
    clock: DrivenClock, take: Taking, kills
):
    poison = PullRequestFactory(processing_state="NEW", updated_at=clock.now - timedelta(days=9))
    healthy = [
        PullRequestFactory(processing_state="NEW", repository_name=f"r{number}").pk for number in range(25)
    ]
    tried = 0
    for _ in range(24):
        for _ in range(5):
            tried += work_through(take, poison.pk, kills=kills)
        clock.shift(hours=1)
    assert tried == 5
    assert list(failed_rows(PullRequest)) == [poison]
    done = PullRequest.objects.filter(processing_state="PROCESSED", processing_error=None)
    assert set(done.values_list("pk", flat=True)) == set(healthy)
    poison.refresh_from_db()
    assert poison.processing_error == ("its worker died 5 times" if kills else "odd")


def test_two_bad_rows_in_one_batch_do_not_drag_each_other_down(clock: DrivenClock, take: Taking):
    rows = PullRequestFactory.create_batch(2, processing_state="NEW")
    for _ in range(5):
        for claim in take().claims:
            finishing.fail(claim, f"odd {claim.row.pk}")
        clock.shift(minutes=25)
    errors = dict(failed_rows(PullRequest).values_list("pk", "processing_error"))
    assert errors == {row.pk: f"odd {row.pk}" for row in rows}


def test_raised_and_killed_attempts_count_together(clock: DrivenClock, take: Taking):
    row = PullRequestFactory(processing_state="NEW")
    for attempt in range(5):
        (claim,) = take().claims
        assert claim.attempt == attempt + 1
        if attempt < 2:
            finishing.fail(claim, "odd")
        clock.shift(hours=1)
    assert take().failed == (row.pk,)
    row.refresh_from_db()
    assert row.processing_error == "its worker died in the last of 5 attempts; before that: odd"
