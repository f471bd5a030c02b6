"""Programs that claim by SQL of their own, and other workers of ours, at the same time (B1.36, contract shapes 1-3)."""

from __future__ import annotations

import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection, transaction

from tests.ageing import age
from tests.contract.outsider import VERSION, Outsider
from tests.contract.rows import make_row
from webhooks.models import CLAIMED, PullRequest, PullRequestHistory
from webhooks.services import finishing
from webhooks.services.claims import claim

pytestmark = pytest.mark.django_db(transaction=True)

TABLE = "github_pull_requests"
HOUR = 3600
every_table = pytest.mark.parametrize("model", CLAIMED, ids=lambda model: model._meta.db_table)


def ours(model=PullRequest):
    return [claim.row.pk for claim in claim(model, worker="w").claims]


def theirs(outsider: Outsider, table: str = TABLE) -> list[int]:
    outsider.begin()
    sequences = outsider.claim(table)
    outsider.commit()
    return sequences


@every_table
def test_taking_turns_nobody_gets_what_another_has(outsider: Outsider, model):
    rows = {make_row(model).pk for _ in range(45)}
    claimed: list[int] = []
    for _ in range(3):
        claimed += ours(model)
        claimed += theirs(outsider, model._meta.db_table)
    assert sorted(claimed) == sorted(rows)


@pytest.mark.mariadb
@pytest.mark.usefixtures("mariadb")
def test_claims_in_progress_at_the_same_time_never_share_a_row(outsider: Outsider):
    rows = {make_row(PullRequest).pk for _ in range(30)}
    with ThreadPoolExecutor(1) as threads:
        with transaction.atomic():
            first = ours()
            # On a table this small its UPDATE reads every row, and waits for ours to be committed.
            waiting = threads.submit(theirs, outsider)
        second = waiting.result(timeout=10)
    outsider.begin()
    third = outsider.claim(TABLE)
    assert not ours()  # does not wait for the third, which locked all that is left
    outsider.commit()
    assert sorted(first + second + third) == sorted(rows)


@every_table
def test_what_either_leaves_behind_the_other_takes_after_the_hour(outsider: Outsider, model):
    table = model._meta.db_table
    row = make_row(model)
    assert theirs(outsider, table) == [row.pk]
    age(HOUR - 60)
    assert not ours(model)
    age(60)
    (mine,) = claim(model, worker="w").claims
    assert not theirs(outsider, table)
    age(HOUR)
    assert theirs(outsider, table) == [row.pk]
    assert not finishing.finalize(mine, "too late")
    assert outsider.finalize(table, row.pk) == 1
    row.refresh_from_db()
    assert (row.processing_state, row.gstraccini_bot_version) == ("PROCESSED", VERSION)


@every_table
def test_their_re_request_during_our_work_is_not_swallowed(outsider: Outsider, model):
    table = model._meta.db_table
    row = make_row(model)
    (mine,) = claim(model, worker="w").claims
    again = f"UPDATE {table} SET ProcessingState='RE_REQUESTED', ProcessingDate=NULL WHERE Sequence=%s"
    assert outsider.run(again, [row.pk]) == 1
    assert not finishing.finalize(mine, "done")
    assert ours(model) == [row.pk]


def test_a_claim_of_theirs_in_the_same_second_is_told_from_ours(outsider: Outsider):
    row = make_row(PullRequest)
    (mine,) = claim(PullRequest, worker="w").claims
    again = f"UPDATE {TABLE} SET ProcessingState='RE_REQUESTED', ProcessingDate=NULL WHERE Sequence=%s"
    outsider.run(again, [row.pk])
    assert theirs(outsider) == [row.pk]
    PullRequest.objects.update(processing_date=mine.at, updated_at=mine.at)
    assert not finishing.finalize(mine, "done")
    assert outsider.finalize(TABLE, row.pk) == 1


def test_two_threads_share_the_rows_and_finish_each_once():
    rows = {make_row(PullRequest, repository_name=f"r{number % 20}").pk for number in range(200)}
    together = threading.Barrier(2)

    def work(name: str) -> list[int]:
        done = []
        try:
            together.wait()
            while batch := claim(PullRequest, worker=name):
                done += [each.row.pk for each in batch.claims if finishing.finalize(each, "done")]
        finally:
            connection.close()
        return done

    with ThreadPoolExecutor(2) as threads:
        shares = list(threads.map(work, ["one", "two"]))
    assert sorted(shares[0] + shares[1]) == sorted(rows)
    finished = Counter(
        PullRequestHistory.objects.filter(kind="finalize").values_list("pull_request_sequence", flat=True)
    )
    assert finished == Counter(rows)
