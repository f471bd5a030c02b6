"""The idle pass and the operator's reset (acceptance B1.6, B1.8, B1.24 to B1.28; field case F32)."""

from __future__ import annotations

import threading

import pytest
from django.db import connection, transaction
from django.db.models import F
from django.test.utils import CaptureQueriesContext

from core import bell
from core.functions import CurrentTimestamp
from core.models import PassRun, Setting
from core.passes import LockLost, Run
from core.registry import effective
from idle import services
from idle.selectors import due_in_reach, in_order
from idle.services import reset, retry_due
from tests.factories import InstallationFactory, RepositoryFactory
from webhooks.models import PullRequest, PullRequestHistory
from webhooks.values import HistoryKind


def fresh(row: PullRequest) -> PullRequest:
    return PullRequest.objects.get(pk=row.pk)


def finalize(row: PullRequest) -> None:
    """What a bot does in the end, as a plain write."""
    PullRequest.objects.filter(pk=row.pk).update(
        processing_state="PROCESSED", processed_date=CurrentTimestamp(), updated_at=CurrentTimestamp()
    )


def test_b1_24_one_run_retries_the_first_due_row_only(untouched, run_idle):
    second, first = untouched(repo="b", days=2), untouched(repo="a", days=3)
    assert run_idle().counters == {"due": 2, "retried": 1, "skipped_out_of_reach": 0, "lost_races": 0}
    assert fresh(first).processing_state == "IDLE"
    assert fresh(second).processing_state == "PROCESSED"


def test_b1_24_nothing_due_is_a_quiet_recorded_run(untouched, run_idle):
    waiting = untouched(days=2, retries=5)
    with CaptureQueriesContext(connection) as queries:
        run = run_idle()
    assert run.outcome == PassRun.Outcome.SUCCEEDED
    assert run.counters == {"due": 0, "retried": 0, "skipped_out_of_reach": 0, "lost_races": 0}
    assert not [q["sql"] for q in queries if "UPDATE" in q["sql"] and "github_pull_requests" in q["sql"]]
    assert fresh(waiting).idle_retry_count == 5


def test_b1_6_25_26_state_and_count_change_in_one_statement_and_updated_at_stays(untouched, run_idle):
    left_over = {
        "processing_date": None,
        "processing_error": "timed out",
        "processing_attempts": 3,
        "claim_token": "t",
        "claimed_from": "NEW",
    }
    row = untouched(days=9, retries=2, row=left_over)
    with CaptureQueriesContext(connection) as queries:
        run_idle()
    writes = [
        q["sql"]
        for q in queries
        if q["sql"].lstrip().startswith("UPDATE") and "github_pull_requests" in q["sql"]
    ]
    assert len(writes) == 1
    after = fresh(row)
    assert (after.processing_state, after.idle_retry_count, after.updated_at) == ("IDLE", 3, row.updated_at)
    assert (after.processing_date, after.claim_token, after.claimed_from) == (None, None, None)
    assert (after.processing_attempts, after.processing_error, after.not_before) == (0, None, None)


def test_an_idle_retry_is_in_the_history_with_its_reason(untouched, run_idle):
    row = untouched(days=3, retries=2)
    run = run_idle()
    line = PullRequestHistory.objects.get()
    assert (line.pull_request_sequence, line.kind, line.pass_run_id) == (
        row.pk,
        HistoryKind.IDLE_RETRY,
        run.pk,
    )
    assert line.reason == "Idle Retry 3 of 10: untouched for 3 days"
    assert (line.from_state, line.to_state) == ("PROCESSED", "IDLE")


def test_b1_8_ten_retries_take_55_days_and_there_is_no_eleventh(untouched, run_idle, clock):
    row = untouched(days=0)
    start = clock.now
    days = []
    for _ in range(80):
        clock.shift(days=1)
        if run_idle().counters["retried"]:
            days.append((clock.now - start).days)
            finalize(row)
    assert days == [1, 3, 6, 10, 15, 21, 28, 36, 45, 55]
    assert in_order().get().idle_status == "GAVE_UP"


def test_b1_21_28_a_finished_retry_starts_the_longer_wait_and_sends_the_repository_back(
    untouched, run_idle, clock
):
    first, second = untouched(repo="a", days=9), untouched(repo="b", days=2)
    also_a = untouched(repo="a", days=8)
    run_idle()
    finalize(first)
    assert fresh(first).updated_at == clock.now
    assert [row.pk for row in in_order()] == [second.pk, also_a.pk]


def race(monkeypatch, touch) -> None:
    """Let another writer touch a candidate after the worker has read it and before it writes."""
    real = services._retry

    def late(candidate, run):
        touch(candidate)
        return real(candidate, run)

    monkeypatch.setattr(services, "_retry", late)


OTHER_WRITERS = {
    "an Event": {"processing_state": "UPDATED", "idle_retry_count": 0, "updated_at": CurrentTimestamp()},
    "a bot that finalized": {"processing_state": "PROCESSED", "updated_at": CurrentTimestamp()},
    "a close": {"state": "CLOSED", "updated_at": F("updated_at")},
    "a reset": {"idle_retry_count": 0, "updated_at": F("updated_at")},
    "another worker": {
        "processing_state": "IDLE",
        "idle_retry_count": F("idle_retry_count") + 1,
        "updated_at": F("updated_at"),
    },
}


@pytest.mark.parametrize("columns", OTHER_WRITERS.values(), ids=OTHER_WRITERS)
def test_b1_27_a_lost_race_changes_nothing_and_the_next_row_is_served(
    untouched, run_idle, monkeypatch, columns
):
    lost, won = untouched(repo="a", days=9, retries=1), untouched(repo="b", days=5, retries=1)
    written = []

    def touch(candidate):
        if candidate.pk == lost.pk:
            PullRequest.objects.filter(pk=lost.pk).update(**columns)
            written.append(fresh(lost))

    race(monkeypatch, touch)
    assert run_idle().counters == {"due": 2, "retried": 1, "skipped_out_of_reach": 0, "lost_races": 1}
    columns_now = PullRequest.objects.filter(pk=lost.pk).values().get()
    assert columns_now == {name: getattr(written[0], name) for name in columns_now}
    assert fresh(won).processing_state == "IDLE"
    assert [line.pull_request_sequence for line in PullRequestHistory.objects.all()] == [won.pk]


@pytest.mark.django_db(transaction=True)
def test_b1_27_two_workers_cannot_retry_the_same_row_twice(untouched, monkeypatch):
    """Both have read the same row; neither the lock nor the pace stands between them here."""
    row = untouched(days=5)
    candidate = due_in_reach().get()
    start, outcomes = threading.Barrier(2), []
    monkeypatch.setattr(Run, "hold_lock", lambda _: None)
    monkeypatch.setattr(Run, "count_pace_from_now", lambda _: None)

    def worker() -> None:
        run = Run(name="idle", token="t", record_id=0, now=candidate.updated_at, settings=effective())
        start.wait(timeout=10)
        outcomes.append(services._retry(candidate, run))
        connection.close()

    threads = [threading.Thread(target=worker) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=30)
    assert sorted(outcomes) == [False, True]
    assert fresh(row).idle_retry_count == 1


def test_a_worker_that_lost_its_lock_writes_nothing(untouched, now):
    row = untouched(days=5)
    run = Run(name="idle", token="not the holder's", record_id=1, now=now, settings=effective())
    with pytest.raises(LockLost), transaction.atomic():
        retry_due(run)
    assert fresh(row).processing_state == "PROCESSED"


def test_out_of_reach_ones_are_skipped_and_counted(untouched, run_idle, now):
    removed = untouched(repo="removed", days=9)
    suspended = untouched(repo="suspended", days=8, row={"installation_id": 9})
    RepositoryFactory(name="removed", last_action="deleted")
    InstallationFactory(installation_id=9, status="0", suspended_date=now)
    reachable = untouched(repo="here", days=2)
    assert run_idle().counters == {"due": 3, "retried": 1, "skipped_out_of_reach": 2, "lost_races": 0}
    assert run_idle().counters == {"due": 2, "retried": 0, "skipped_out_of_reach": 2, "lost_races": 0}
    assert [fresh(r).processing_state for r in (removed, suspended, reachable)] == [
        "PROCESSED",
        "PROCESSED",
        "IDLE",
    ]


def test_out_of_reach_ones_that_fill_the_head_of_the_line_hold_nobody_up(untouched, run_idle, monkeypatch):
    monkeypatch.setattr(services, "HEAD", 3)
    for days in (9, 8, 7, 6):
        untouched(repo="removed", days=days)
    RepositoryFactory(name="removed", last_action="deleted")
    # Of one repository the later ones stand behind the first of any other.
    reachable = [untouched(repo=f"here-{days}", retries=1, days=days) for days in (3, 2)]
    assert run_idle().counters == {"due": 6, "retried": 1, "skipped_out_of_reach": 3, "lost_races": 0}
    assert [fresh(row).processing_state for row in reachable] == ["IDLE", "PROCESSED"]


def test_several_retries_a_run_come_from_one_reading_of_the_line(untouched, run_idle):
    Setting.objects.create(name="idle.retries-per-run", value="2")
    a1, a2 = untouched(repo="a", days=9), untouched(repo="a", days=8)
    b1 = untouched(repo="b", days=2)
    assert run_idle().counters["retried"] == 2
    assert [fresh(r).processing_state for r in (a1, a2, b1)] == ["IDLE", "PROCESSED", "IDLE"]


def test_the_budget_ends_a_run_cleanly(untouched, now, monkeypatch):
    untouched(days=9)
    run = Run(name="idle", token="t", record_id=1, now=now, settings=effective(), deadline=0)
    retry_due(run)
    assert run.stopped_early
    assert run.counters["retried"] == 0


def test_a_retry_rings_for_the_bot_and_a_quiet_run_does_not(untouched, run_idle, monkeypatch):
    rung: list[str] = []
    monkeypatch.setattr(bell, "ring", rung.append)
    run_idle()
    assert rung == []
    untouched(days=3)
    run_idle()
    assert rung == ["bot"]


def test_f32_every_repository_is_served_though_one_has_a_hundred_due(untouched, clock, run_idle):
    for _ in range(100):
        untouched(repo="a", days=9)
    untouched(repo="b", days=5)
    untouched(repo="c", days=2)
    untouched(repo="d", days=40, retries=10)
    served = []
    for _ in range(3):
        run_idle()
        row = PullRequest.objects.get(processing_state="IDLE")
        served.append(row.repository_name)
        # The bot's claim moves UpdatedAt, and its work then fails: its turn is over all the same.
        PullRequest.objects.filter(pk=row.pk).update(
            processing_state="PROCESSING", updated_at=CurrentTimestamp()
        )
        clock.shift(hours=1)
    assert served == ["a", "b", "c"]


def test_f32_equal_rows_go_by_sequence(untouched, clock, run_idle):
    rows = [untouched(repo=repo, days=4) for repo in ("z", "m", "a")]
    served = []
    for _ in rows:
        run_idle()
        row = PullRequest.objects.get(processing_state="IDLE")
        served.append(row.pk)
        finalize(row)
        clock.shift(hours=1)
    assert served == [row.pk for row in rows]


def test_a_reset_starts_the_retries_afresh_and_keeps_the_age(untouched):
    row = untouched(days=30, retries=10)
    assert reset(row.pk, actor="mona") == 10
    after = fresh(row)
    assert (after.idle_retry_count, after.updated_at, after.processing_state) == (
        0,
        row.updated_at,
        "PROCESSED",
    )
    line = PullRequestHistory.objects.get()
    assert (line.kind, line.actor) == (HistoryKind.RESET, "mona")
    assert line.reason == "Idle Retries counted from 0 again, after 10"
    assert in_order().get().idle_status == "DUE"


def test_a_reset_of_an_unknown_pull_request_is_refused(db):
    with pytest.raises(PullRequest.DoesNotExist):
        reset(404, actor="mona")
    assert not PullRequestHistory.objects.exists()
