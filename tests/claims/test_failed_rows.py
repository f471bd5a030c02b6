"""Which rows count as given up on: exactly those that nobody has worked on since (B1.37)."""

from __future__ import annotations

import pytest
from django.db import connection

from tests.claims.conftest import Taking
from tests.claims.ways import DONE, Claimed, every_table, fresh
from tests.clock import DrivenClock
from tests.contract.outsider import Outsider
from tests.contract.rows import make_row
from tests.factories import PullRequestFactory
from webhooks.models import PullRequest
from webhooks.selectors import failed_rows
from webhooks.services import finishing
from webhooks.services.claims import claim
from webhooks.services.pending import re_request

RE_REQUEST = "UPDATE {} SET ProcessingState='RE_REQUESTED', ProcessingDate=NULL WHERE Sequence=%s"


def failed(claimed: Claimed, model, **columns):
    one = claimed(model, **columns)
    assert DONE["fail for good"](one)
    return one.row


@every_table
def test_a_row_that_is_given_up_on_says_when_and_after_how_many_attempts(
    claimed: Claimed, clock: DrivenClock, model
):
    row = failed(claimed, model, processing_attempts=3)
    (found,) = failed_rows(model)
    assert (found, found.failed_date, found.processing_attempts) == (row, clock.now, 4)


@every_table
def test_a_re_request_by_us_ends_the_failure(claimed: Claimed, take: Taking, model):
    row = failed(claimed, model)
    re_request(model, [row.pk], actor="ada")
    assert not failed_rows(model)
    (again,) = take(model).claims
    assert (again.attempt, fresh(again).failed_date) == (1, None)
    assert finishing.finalize(again, "done")
    assert not failed_rows(model)


@pytest.mark.django_db(transaction=True)
@every_table
def test_a_row_that_another_program_works_on_after_its_failure_is_failed_no_more(outsider: Outsider, model):
    row, table = make_row(model), model._meta.db_table
    (one,) = claim(model, worker="w").claims
    assert finishing.fail(one, "gone", permanent=True)
    assert list(failed_rows(model)) == [row]
    # The failure lies a minute back, as the dates of a program that works for a while say it.
    back = "CURRENT_TIMESTAMP - INTERVAL 1 MINUTE" if outsider.is_mariadb else "datetime('now', '-1 minute')"
    outsider.run(f"UPDATE {table} SET ProcessedDate={back}, FailedDate={back} WHERE Sequence=%s", [row.pk])
    assert list(failed_rows(model)) == [row]
    outsider.run(RE_REQUEST.format(table), [row.pk])
    assert not failed_rows(model)
    outsider.begin()
    assert outsider.claim(table) == [row.pk]
    outsider.commit()
    assert not failed_rows(model)
    assert outsider.finalize(table, row.pk) == 1
    row.refresh_from_db()
    # Its SQL knows nothing of our columns: error and date stay behind, and mean nothing any more.
    assert (row.processing_state, row.processing_error) == ("PROCESSED", "gone")
    assert row.failed_date is not None
    assert not failed_rows(model)


@pytest.mark.django_db(transaction=True)
@every_table
def test_a_failed_row_that_another_program_re_requests_gets_all_its_attempts_again(outsider: Outsider, model):
    row = make_row(model, processing_attempts=4)
    (one,) = claim(model, worker="w").claims
    assert finishing.fail(one, "odd")
    outsider.run(RE_REQUEST.format(model._meta.db_table), [row.pk])
    (again,) = claim(model, worker="w").claims
    assert (again.attempt, fresh(again).processing_attempts) == (1, 1)
    assert finishing.fail(again, "odd")
    assert fresh(again).processing_state == "RE_REQUESTED"
    assert not failed_rows(model)


@every_table
def test_an_error_of_an_earlier_attempt_is_no_failure(claimed: Claimed, model):
    one = claimed(model)
    finishing.fail(one, "odd")
    # Another program finalized it meanwhile, and left our error where it was.
    model.objects.update(processing_state="PROCESSED", processed_date=one.at, updated_at=one.at)
    assert not failed_rows(model)


@pytest.mark.usefixtures("mariadb")
def test_failed_rows_are_found_by_their_index_among_many_processed_ones(claimed: Claimed):
    row = failed(claimed, PullRequest)
    done = {"processing_error": "old", "processed_date": row.updated_at}
    many = [PullRequestFactory.build(node_id=f"MANY_{n}", **done) for n in range(2_000)]
    PullRequest.objects.bulk_create(many)
    before = entries_read()
    assert list(failed_rows(PullRequest).order_by("-failed_date", "-pk")[:50]) == [row]
    assert entries_read() - before < 20


def entries_read() -> int:
    """The rows and index entries that this session has read so far."""
    with connection.cursor() as cursor:
        cursor.execute("SHOW SESSION STATUS LIKE 'Handler_read%'")
        return sum(int(value) for _, value in cursor.fetchall())
