"""The idle list."""

from __future__ import annotations

from datetime import timedelta

import pytest

from idle.selectors import in_order
from tests import factories
from tests.monitor.conftest import parse
from webhooks.models import PullRequest


@pytest.fixture
def idle(clock):
    """Make an Idle Pull Request untouched for so many days."""

    def make(days, retries=0, **columns):
        return factories.PullRequestFactory(
            updated_at=clock.now - timedelta(days=days), idle_retry_count=retries, **columns
        )

    return make


def test_the_list_is_the_view_in_its_order_with_the_next_up_on_top(idle, see):
    gave_up, waiting, due = idle(60, retries=10), idle(2, retries=3), idle(5)
    page = see("/idle/")
    assert page.row_ids() == [due.pk, waiting.pk, gave_up.pk] == [row.pk for row in in_order()]
    assert f"octo/tools#{due.number} gets its retry 1 of 10" in page.text
    assert "3 of 10 1" not in page.text
    assert "all 10 used" in page.text
    assert "in 2 d" in page.text


def test_it_says_so_when_nobody_is_due(idle, see):
    idle(2, retries=3)
    assert "Nobody is due" in see("/idle/").text


def test_the_filters_narrow_it_and_are_part_of_the_address(idle, see):
    due, other = idle(5), idle(5, repository_owner="Acme", repository_name="Ledger")
    waiting = idle(1, retries=1)
    assert see("/idle/?status=DUE").row_ids() == [other.pk, due.pk]
    assert see("/idle/?status=WAITING").row_ids() == [waiting.pk]
    assert see("/idle/?repository=acme/ledger").row_ids() == [other.pk]
    assert see("/idle/?repository=acme/ledger&status=WAITING").row_ids() == []
    chips = [
        link["href"]
        for link in see("/idle/?repository=acme/ledger&cursor=2").all("a")
        if "status=" in link["href"]
    ]
    assert chips[0] == "/idle/?repository=acme%2Fledger&status=DUE"


def test_a_filter_that_cannot_be_read_lists_nothing_and_says_why(idle, see):
    idle(5)
    for query in ("repository=tools", "status=MAYBE"):
        page = see(f"/idle/?{query}")
        assert page.row_ids() == []
        assert "cannot be read" in page.text


def test_a_blocked_one_is_shown_as_skipped_and_is_not_next_up(idle, see):
    blocked = idle(9, repository_owner="acme", repository_name="old")
    factories.RepositoryFactory(owner_login="acme", name="old", archived=True, processing_state="PROCESSED")
    due = idle(5)
    page = see("/idle/")
    assert page.row_ids() == [blocked.pk, due.pk]
    assert "repository archived" in page.text
    assert "skipped" in page.text
    assert f"octo/tools#{due.number} gets" in page.text


def test_pages_follow_each_other_without_a_gap(clock, see):
    old = clock.now - timedelta(days=5)
    PullRequest.objects.bulk_create(factories.PullRequestFactory.build_batch(120, updated_at=old))
    ids, path = [], "/idle/"
    while path:
        page = see(path)
        ids += page.row_ids()
        path = page.link("next")
    assert ids == [row.pk for row in in_order()]
    assert see("/idle/?cursor=3").link("prev") == "/idle/?cursor=2"


def test_the_exact_instants_are_on_hover(idle, see):
    idle(5)
    times = [time["title"] for time in see("/idle/").all("time")]
    assert "2026-02-27 09:00:00 UTC" in times
    assert "2026-02-28 09:00:00 UTC" in times


def test_it_can_be_sorted_otherwise_by_any_of_its_instants_and_counts(idle, see):
    rows = {days: idle(days, retries=retries).pk for days, retries in ((60, 10), (2, 3), (5, 0), (9, 1))}
    assert see("/idle/?sort=untouched").row_ids() == [rows[60], rows[9], rows[5], rows[2]]
    assert see("/idle/?sort=-retries").row_ids() == [rows[60], rows[2], rows[9], rows[5]]


def test_a_refresh_does_not_read_the_line_twice(idle, viewer, django_assert_max_num_queries):
    due = idle(5)
    sentence = f"octo/tools#{due.number} gets its retry 1 of 10"
    assert sentence in parse(viewer.get("/idle/next/").content.decode()).text
    with django_assert_max_num_queries(20) as queries:
        viewer.get("/idle/", headers={"HX-Request": "true"})
    assert len([query for query in queries if "RepositoryIdleRank" in query["sql"]]) == 1
