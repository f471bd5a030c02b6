"""Acts on many rows: what they will touch is shown first, they are drip-fed, and nothing is done twice."""

from __future__ import annotations

import zlib
from datetime import timedelta

import pytest

from core.models import PassRun, Setting
from core.passes import find_pass, run_pass
from monitor.models import BulkJob
from monitor.services import bulk
from monitor.services.bulk_kinds import RE_REQUEST, REPLAY, RESET
from tests import factories
from tests.monitor.conftest import HOSTILE, parse
from webhooks.models import Delivery, Issue, PullRequest, PullRequestHistory

NEW = {"table": "issues", "state": "PROCESSED"}


@pytest.fixture
def operator(person):
    return person(role="operator", name="olga")


def per_minute(rows):
    Setting.objects.update_or_create(name="bulk.rows-per-minute", defaults={"value": str(rows)})


def work(*, force=False):
    return run_pass(find_pass("bulk"), force=force)


def issues(number, **columns):
    rows = factories.IssueFactory.build_batch(number, **{"processing_state": "PROCESSED"} | columns)
    Issue.objects.bulk_create(rows)


def states():
    return sorted(Issue.objects.values_list("processing_state", flat=True))


def test_what_will_be_touched_is_listed_before_anything_happens(db, operator):
    issues(3, repository_owner="acme", repository_name="ledger")
    issues(2)
    path = "/bulk/new/re-request/?table=issues&state=PROCESSED&repository=acme/ledger"
    page = parse(operator.get(path).content.decode())
    assert "3 rows will be touched" in page.text
    assert page.text.count("acme/ledger#") == 3
    assert "octo/tools#" not in page.text
    assert states() == ["PROCESSED"] * 5
    assert not BulkJob.objects.exists()


def test_an_operator_starts_it_and_it_is_kept_who_did(clock, operator):
    issues(3)
    answer = parse(operator.post("/bulk/new/re-request/", NEW, follow=True).content.decode())
    assert "Started: re-request rows, 3 rows." in answer.text
    job = BulkJob.objects.get()
    assert (job.actor, job.total, job.state, job.criteria) == ("olga", 3, "running", NEW)
    assert (
        "olga started: re-request rows, 3 rows bulk job"
        in parse(operator.get("/actions/").content.decode()).text
    )
    work()
    assert states() == ["RE_REQUESTED"] * 3
    work(force=True)
    assert "3 of 3" in parse(operator.get("/bulk/").content.decode()).text
    assert BulkJob.objects.get().state == "finished"


def test_a_viewer_sees_the_progress_and_starts_nothing(db, person):
    looker = person()
    BulkJob.objects.create(kind="replay", criteria={"event": HOSTILE}, actor=HOSTILE, bound=5, total=5)
    page = parse(looker.get("/bulk/").content.decode())
    assert HOSTILE in page.text
    assert not [button for button in page.all("form") if "cancel" in button.get("action", "")]
    assert looker.get("/bulk/new/re-request/").status_code == 403
    assert looker.post("/bulk/new/re-request/", NEW).status_code == 403


def test_it_is_drip_fed_a_few_rows_a_minute(clock, db):
    per_minute(4)
    issues(10)
    bulk.start(RE_REQUEST, NEW, actor="olga")
    seen = []
    for _ in range(4):
        work()
        seen.append(states().count("RE_REQUESTED"))
        clock.shift(minutes=1)
    assert seen == [4, 8, 10, 10]
    assert BulkJob.objects.get().done == 10


def test_two_jobs_share_the_minute_the_older_first(clock, db):
    per_minute(5)
    issues(3)
    for _ in range(4):
        factories.PullRequestFactory(processing_state="PROCESSED")
    bulk.start(RE_REQUEST, NEW, actor="olga")
    bulk.start(RE_REQUEST, NEW | {"table": "pull_requests"}, actor="olga")
    work()
    assert list(BulkJob.objects.order_by("pk").values_list("done", flat=True)) == [3, 2]


def test_rows_that_came_to_fit_later_are_not_touched(clock, db):
    issues(2)
    bulk.start(RE_REQUEST, NEW, actor="olga")
    issues(1)
    work()
    work(force=True)
    assert states() == ["PROCESSED", "RE_REQUESTED", "RE_REQUESTED"]


def test_rows_that_no_longer_fit_are_left_alone(clock, db):
    issues(3)
    bulk.start(RE_REQUEST, NEW, actor="olga")
    Issue.objects.filter(pk=Issue.objects.first().pk).update(
        processing_state="PROCESSING", updated_at=clock.now
    )
    work()
    assert states() == ["PROCESSING", "RE_REQUESTED", "RE_REQUESTED"]


def test_a_worker_that_is_killed_anywhere_leaves_each_row_touched_once(clock, db, monkeypatch):
    per_minute(3)
    for _ in range(9):
        factories.PullRequestFactory(processing_state="PROCESSED")
    bulk.start(RE_REQUEST, NEW | {"table": "pull_requests"}, actor="olga")
    keep = bulk._touch

    def killed(*job):
        keep(*job)
        raise SystemExit

    for broken in (killed, keep, killed, keep, keep, keep):
        monkeypatch.setattr(bulk, "_touch", broken)
        try:
            work(force=True)
        except SystemExit:
            assert broken is killed
        PassRun.objects.filter(outcome="running").update(outcome="lost")
    assert set(PullRequest.objects.values_list("processing_state", flat=True)) == {"RE_REQUESTED"}
    assert PullRequestHistory.objects.count() == 9
    job = BulkJob.objects.get()
    assert (job.done, job.failed, job.state) == (9, 0, "finished")


def test_retries_of_all_that_gave_up_are_reset(clock, db):
    for retries in (10, 10, 3):
        factories.PullRequestFactory(
            updated_at=clock.now - timedelta(days=60 if retries == 10 else 1), idle_retry_count=retries
        )
    bulk.start(RESET, {"status": "GAVE_UP"}, actor="olga")
    work()
    assert sorted(PullRequest.objects.values_list("idle_retry_count", flat=True)) == [0, 0, 3]
    assert set(PullRequestHistory.objects.values_list("kind", "actor")) == {("reset", "olga")}


def test_failed_deliveries_are_replayed_the_oldest_first_and_failures_counted(clock, db):
    body = zlib.compress(b"{}")
    good = [factories.DeliveryFactory(status="failed", event="nothing_we_know", body=body) for _ in range(2)]
    bad = factories.DeliveryFactory(status="failed", event="pull_request", body=body)
    gone = factories.DeliveryFactory(status="failed", body=None)
    done = factories.DeliveryFactory(status="applied", body=body)
    factories.DeliveryFactory(status="ignored", body=body)
    job = bulk.start(REPLAY, {}, actor="olga")
    assert job.total == 3
    work()
    job.refresh_from_db()
    assert (job.done, job.failed) == (2, 1)
    assert job.last_error
    stored = dict(Delivery.objects.values_list("pk", "status"))
    assert [stored[row.pk] for row in (*good, bad, gone, done)] == [
        "ignored",
        "ignored",
        "failed",
        "failed",
        "applied",
    ]


def test_a_cancelled_job_touches_nothing_more(clock, db, operator):
    per_minute(1)
    issues(3)
    job = bulk.start(RE_REQUEST, NEW, actor="olga")
    work()
    operator.post(f"/bulk/{job.pk}/cancel/")
    work(force=True)
    assert states() == ["PROCESSED", "PROCESSED", "RE_REQUESTED"]
    text = parse(operator.post(f"/bulk/{job.pk}/cancel/", follow=True).content.decode()).text
    assert "It had ended already." in text


def test_the_pass_leaves_no_record_while_there_is_nothing_to_do(clock, db):
    work()
    assert not PassRun.objects.exists()


def test_nothing_that_fits_is_said_and_starts_nothing(db, operator):
    answer = operator.post("/bulk/new/replay/", {}, follow=True)
    assert "Nothing fits any more" in answer.content.decode()
    assert not BulkJob.objects.exists()


def test_a_filter_that_cannot_be_read_starts_nothing(db, operator):
    issues(1)
    for wrong in ({}, {"table": "users"}, NEW | {"state": "DONE"}, NEW | {"repository": "x"}):
        answer = operator.post("/bulk/new/re-request/", wrong)
        assert answer.status_code == 200
        assert "Fill in the filter" in answer.content.decode()
    assert not BulkJob.objects.exists()
    assert operator.get("/bulk/new/delete-all/").status_code == 404


def test_the_lists_lead_to_the_act_with_their_filter(db, operator):
    links = {
        a["href"] for a in parse(operator.get("/deliveries/?event=push&sort=took").content.decode()).all("a")
    }
    assert "/bulk/new/replay/?event=push" in links
    links = {a["href"] for a in parse(operator.get("/idle/?repository=octo/tools").content.decode()).all("a")}
    assert "/bulk/new/reset-retries/?repository=octo%2Ftools&status=GAVE_UP" in links
