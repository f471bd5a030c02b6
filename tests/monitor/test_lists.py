"""What every list can do: be sorted, be paged, and be taken along as a file."""

from __future__ import annotations

import csv
from collections import Counter
from datetime import UTC, datetime, timedelta
from io import StringIO

import pytest

from monitor import columns, sheet
from monitor.selectors import trends
from monitor.sheet import MOST_ROWS, cell, lines
from monitor.tables import Column, Order, Table, headings, read_order
from tests.factories import DeliveryFactory, PullRequestFactory
from webhooks.models import Delivery, PullRequest

TABLES = [table for table in vars(columns).values() if isinstance(table, Table)]
PAIR = Table(
    name="pairs",
    columns=(
        Column(key="name", label="Name", kind="head", text=lambda row: row[0], order="name"),
        Column(key="size", label="Size", text=lambda row: row[1]),
    ),
)
LISTS = (
    "/idle/",
    "/repositories/",
    "/installations/",
    "/deliveries/",
    "/passes/",
    "/actions/",
)


def read(response):
    text = b"".join(response.streaming_content).decode()
    return list(csv.reader(StringIO(text)))


def test_a_head_sorts_up_then_down_then_not_at_all():
    assert [heading.sort for heading in headings(PAIR, Order())] == ["name", "size"]
    up = read_order(PAIR, "name")
    assert (headings(PAIR, up)[0].sort, headings(PAIR, up)[0].state) == ("-name", "ascending")
    down = read_order(PAIR, "-name")
    assert (headings(PAIR, down)[0].sort, headings(PAIR, down)[0].state) == ("", "descending")


@pytest.mark.parametrize("key", ["size", "-size", "other", "--name"])
def test_an_order_that_is_not_offered_is_refused(key):
    with pytest.raises(ValueError, match="cannot be sorted"):
        read_order(PAIR, key)


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.name)
def test_every_table_has_one_head_and_no_key_twice(table):
    assert [column.kind for column in table.columns].count("head") == 1
    assert len({column.key for column in table.columns}) == len(table.columns)
    assert not [column.key for column in table.columns if column.order in {"processing_state", "status"}]


@pytest.mark.parametrize("key", [column.key for column in columns.DELIVERIES.columns if column.order])
@pytest.mark.parametrize("sign", ["", "-"])
def test_a_sorted_list_shows_each_row_once_in_order_across_its_pages(key, sign, clock, see):
    for number in range(120):
        DeliveryFactory(
            event=f"event{number % 7}",
            repository_owner=f"owner{number % 5}",
            sender_login=f"sender{number % 3}",
            duration_ms=number % 11,
            received_at=clock.now - timedelta(seconds=number % 13),
        )
    field = columns.DELIVERIES.column(key).order
    path, shown = f"/deliveries/?sort={sign}{key}", []
    while path:
        page = see(path)
        shown += page.row_ids()
        path = page.link("next")
    expected = Delivery.objects.order_by(f"{sign}{field}", f"{sign}pk").values_list("pk", flat=True)
    assert shown == list(expected)


@pytest.mark.parametrize("sign", ["", "-"])
def test_f37_the_last_row_of_a_page_may_move_before_the_next_page_is_opened(sign, clock, see):
    rows = [
        PullRequestFactory(processing_state="NEW", updated_at=clock.now - timedelta(seconds=number // 3)).pk
        for number in range(130)
    ]
    path: str | None = f"/processing/pull_requests/?state=NEW&sort={sign}written"
    shown, moved = [], []
    for _ in range(5):
        page = see(path)
        shown += page.row_ids()
        moved.append(page.row_ids()[-1])
        PullRequest.objects.filter(pk=moved[-1]).update(updated_at=clock.shift(minutes=1))
        if (path := page.link("next")) is None:
            break
    assert path is None
    counted = Counter(shown)
    assert {pk: counted[pk] for pk in rows if pk not in moved} == dict.fromkeys(set(rows) - set(moved), 1)
    assert set(moved) <= set(counted)


@pytest.mark.parametrize(
    "cursor", ["7", "7-x", "7-1-1", "7-99999999999999999999", "7-9223372036854775807", "x-1"]
)
def test_a_page_address_that_was_altered_is_refused(cursor, viewer, db):
    assert viewer.get(f"/processing/pull_requests/?sort=written&cursor={cursor}").status_code == 400


def test_without_an_index_only_the_newest_rows_are_sorted_and_the_page_says_so(db, see, monkeypatch):
    monkeypatch.setattr("monitor.paging.SORTED_AMONG", 3)
    rows = [DeliveryFactory(duration_ms=number).pk for number in range(5)]
    page = see("/deliveries/?sort=took")
    assert page.row_ids() == rows[2:]
    assert "Sorted among the first" in page.text
    assert "Sorted among the first" not in see("/deliveries/?sort=event").text


@pytest.mark.parametrize(
    "value, shown",
    [
        ("=1+1", "'=1+1"),
        ("+1", "'+1"),
        ("-1", "'-1"),
        ("@SUM(A1)", "'@SUM(A1)"),
        ("  =1", "'  =1"),
        ("\t=1", "'\t=1"),
        ("\r\n=1", "'\r\n=1"),
        ("\uff1d1", "'\uff1d1"),
        ("a=1", "a=1"),
        ("", ""),
        (-3, "-3"),
        (None, ""),
        (datetime(2026, 3, 4, 9, tzinfo=UTC), "2026-03-04T09:00:00Z"),
    ],
)
def test_no_cell_becomes_a_formula(value, shown):
    assert cell(value) == shown


def test_a_file_ends_at_its_limit_with_a_sentence(monkeypatch):
    monkeypatch.setattr(sheet, "MOST_ROWS", 2)
    text = list(lines(PAIR, [("a", 1), ("b", 2), ("c", 3)]))
    assert text[0] == "Name,Size\r\n"
    assert text[-1] == "Cut after 2 rows: narrow the filter to get the rest.\r\n"
    assert len(text) == 4
    assert len(list(lines(PAIR, [("a", 1), ("b", 2)]))) == 3
    assert MOST_ROWS == 10_000


def test_a_file_holds_all_pages_in_the_order_and_by_the_filter_of_the_page(db, viewer):
    for number in range(130):
        DeliveryFactory(event="push" if number % 2 else "issues", sender_login=f"=cmd{number}")
    response = viewer.get("/deliveries/?event=push&format=csv&sort=received")
    assert response["Content-Type"] == "text/csv; charset=utf-8"
    assert response["Content-Disposition"].startswith('attachment; filename="deliveries-')
    assert "no-store" in response["Cache-Control"]
    head, *rows = read(response)
    assert head == [column.label for column in columns.DELIVERIES.columns]
    assert [row[4] for row in rows] == [f"'=cmd{number}" for number in range(130) if number % 2]


@pytest.mark.parametrize("path", LISTS)
def test_every_list_offers_its_file_and_gives_it_empty_too(path, viewer, db):
    (head,) = read(viewer.get(path, {"format": "csv"}))
    assert len(head) > 3


def test_a_filter_that_cannot_be_read_gives_the_page_and_no_file(db, viewer):
    response = viewer.get("/deliveries/?guid=x&format=csv")
    assert response["Content-Type"].startswith("text/html")


def test_what_happened_is_counted_for_an_hour_six_a_day_and_a_week(clock, see):
    for hours in (0, 5, 23, 100, 200):
        DeliveryFactory(received_at=clock.now - timedelta(hours=hours), status="failed")
    lines = trends.throughput(now=clock.now)
    assert [(line.window, line.received, line.failed) for line in lines] == [
        ("1 h", 1, 1),
        ("6 h", 2, 2),
        ("24 h", 3, 3),
        ("7 d", 4, 4),
    ]
    assert "7 d 4 4" in see("/trends/").text


def test_the_steps_of_a_chart_are_whole_hours_up_to_now(clock):
    clock.shift(minutes=40)
    DeliveryFactory(received_at=clock.now - timedelta(minutes=50))
    DeliveryFactory(received_at=clock.now, status="failed")
    DeliveryFactory(received_at=clock.now - timedelta(hours=24))
    chart = trends.charts(now=clock.now)[0]
    assert (len(chart.times), chart.times[-1]) == (24, datetime(2026, 3, 4, 9, tzinfo=UTC))
    received, failed = chart.series
    assert (received.values[-2:], sum(received.values)) == ([1, 1], 2)
    assert (failed.values[-2:], sum(failed.values)) == ([0, 1], 1)
