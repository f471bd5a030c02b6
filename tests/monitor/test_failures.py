"""What was given up on is counted, listed and explained, on any table (B1.37)."""

from __future__ import annotations

from datetime import timedelta

import pytest

from idle.models import IdlePullRequest
from idle.selectors import due_instants
from monitor.selectors import failures
from monitor.tables import Order
from tests.contract.rows import make_row
from tests.factories import PullRequestFactory
from tests.monitor.conftest import HOSTILE
from webhooks.models import CLAIMED, PullRequest, PullRequestLook

every_table = pytest.mark.parametrize("model", CLAIMED, ids=lambda model: model._meta.db_table)
DAY = timedelta(days=1)


def failed(model, at, **columns):
    given_up = {
        "processing_state": "PROCESSED",
        "processing_error": "Traceback\nGone: no such repository",
        "processing_attempts": 5,
        "processed_date": at,
        "failed_date": at,
        "updated_at": at,
    }
    return make_row(model, **given_up | columns)


@every_table
def test_b1_37_a_failed_row_of_any_table_is_listed_with_its_error_attempts_and_date(model, now, see):
    row = failed(model, now - 3 * DAY)
    slug = model._meta.db_table.removeprefix("github_")
    page = see(f"/processing/failed/?table={slug}")
    assert page.row_ids() == [row.pk]
    for shown in ("Gone: no such repository", "3 d ago", " 5 ", f"{slug} 1", "an Event"):
        assert shown in page.text


@every_table
def test_f37_the_error_of_a_failed_row_stays_text(model, now, see):
    failed(model, now, processing_error=f"{HOSTILE}\n{HOSTILE}")
    slug = model._meta.db_table.removeprefix("github_")
    page = see(f"/processing/failed/?table={slug}")
    assert HOSTILE in page.text
    assert {image["src"] for image in page.all("img")} == {"/static/monitor/icon.svg"}
    assert not page.inline_script


def test_a_row_that_somebody_has_finished_since_is_not_listed(now, see):
    failed(PullRequest, now - DAY, processed_date=now)
    assert see("/processing/failed/?table=pull_requests").row_ids() == []
    assert failures.failures().total == 0


def test_a_pull_requests_next_chance_is_its_idle_retry_while_one_is_left(now, see):
    chances = {
        "an Event, or its Idle Retry in 2 d": {"updated_at": now - DAY, "idle_retry_count": 2},
        "an Event, or its Idle Retry (due for 1 d )": {"updated_at": now - 2 * DAY},
        "an Event": {"updated_at": now - DAY, "idle_retry_count": 10},
    }
    for sentence, columns in chances.items():
        failed(PullRequest, now - DAY, **columns)
        assert sentence in see("/processing/failed/?table=pull_requests").text
    (tired, *_) = failures.page({}, Order(), "", 50, slug="pull_requests").rows
    assert (tired.chance, tired.retry_at) == ("an Event", None)
    closed = failed(PullRequest, now, state="CLOSED")
    (first, *_) = failures.page({}, Order(), "", 50, slug="pull_requests").rows
    assert (first.row, first.chance, first.retry_at) == (closed, "an Event", None)


def test_the_instant_told_here_is_the_views(now):
    for retries in range(12):
        PullRequestFactory(idle_retry_count=retries, updated_at=now - DAY)
    rows = IdlePullRequest.objects.all()
    assert len(rows) == 12
    assert due_instants([row.pk for row in rows]) == {row.pk: row.next_retry_at for row in rows}


def test_a_parked_look_is_listed_with_its_pull_request(now, see):
    row = PullRequestFactory(title="Odd one")
    PullRequestLook.objects.create(
        pull_request_sequence=row.pk, attempts=5, error="its worker died 5 times", failed_date=now, due_at=now
    )
    PullRequestLook.objects.create(pull_request_sequence=row.pk + 1, due_at=now)
    page = see("/processing/failed/")
    for shown in ("looks 1", str(row), "Odd one", "its worker died 5 times", "the end of its next check"):
        assert shown in page.text


def test_all_counts_lead_to_the_list(now, see):
    failed(CLAIMED[4], now)
    failed(CLAIMED[4], now)
    failed(PullRequest, now)
    for path in ("/", "/processing/"):
        page = see(path)
        assert "/processing/failed/" in {link.get("href") for link in page.all("a")}
        assert "3" in page.text
    assert "3 given up on" in see("/processing/").text
    assert "Given up on after all attempts: 3 rows." in see("/").text


def test_without_a_choice_the_first_list_that_holds_anything_opens(now, see):
    row = failed(CLAIMED[4], now)
    assert see("/processing/failed/").row_ids() == [row.pk]
    CLAIMED[4].objects.all().delete()
    assert "No row of pull_requests is given up on now." in see("/processing/failed/").text


def test_a_count_stops_where_nobody_needs_more(now, see, monkeypatch):
    monkeypatch.setattr(failures, "MOST_COUNTED", 2)
    for _ in range(3):
        failed(PullRequest, now)
    assert "pull_requests 2+" in see("/processing/failed/").text
    assert "2+ given up on" in see("/processing/").text


def test_pages_of_failures_show_each_row_once_newest_first_f37(now, see):
    rows = [failed(PullRequest, now - timedelta(hours=n // 30)).pk for n in range(120)]
    shown, path = [], "/processing/failed/?table=pull_requests"
    while path:
        page = see(path)
        shown += page.row_ids()
        path = page.link("next")
    assert sorted(shown) == sorted(rows)
    assert shown == [pk for hour in range(4) for pk in sorted(rows[hour * 30 : hour * 30 + 30], reverse=True)]


@pytest.mark.parametrize("query,status", [("table=nowhere", 404), ("table=issues&cursor=x", 400)])
def test_an_address_that_names_nothing_is_refused(viewer, query, status):
    assert viewer.get(f"/processing/failed/?{query}").status_code == status
