"""The matrix, and the rows behind its cells."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.db import connection
from django.db.models import F
from django.test.utils import CaptureQueriesContext

from core.functions import CurrentTimestamp
from monitor import paging
from monitor.selectors import processing
from monitor.tables import Order
from tests import factories
from webhooks.models import Issue, PullRequest
from webhooks.values import ProcessingState

MANY = 250


def many(state, now):
    """Insert 250 pull requests of one state and one instant; return their ids."""
    rows = factories.PullRequestFactory.build_batch(MANY, processing_state=state, updated_at=now)
    return [row.pk for row in PullRequest.objects.bulk_create(rows)]


def walk(see, path):
    """Follow "Next page" to the end and return the ids in the order they were shown."""
    ids = []
    while path:
        page = see(path)
        ids += page.row_ids()
        path = page.link("next")
    return ids


def test_each_cell_counts_its_rows_and_leads_to_them(now, see):
    factories.IssueFactory(processing_state="NEW")
    factories.IssueFactory(processing_state="NEW")
    factories.BranchFactory(processing_state="PROCESSED")
    cells = {
        link["id"]: link for link in see("/processing/").all("a") if link.get("id", "").startswith("cell-")
    }
    assert len(cells) == 8 * 5 + 1
    cell = cells["cell-issues-NEW"]
    assert cell["aria-label"] == "2 NEW in issues"
    assert len(see(cell["href"]).row_ids()) == 2
    assert cells["cell-branches-PROCESSED"]["aria-label"] == "1 PROCESSED in branches"


def test_a_table_is_counted_by_one_query_that_groups_and_all_oldest_are_found_by_another(
    now, django_assert_num_queries
):
    with django_assert_num_queries(1 + 8) as queries:
        processing.matrix()
    assert all("GROUP BY" in query["sql"] for query in queries)


@pytest.mark.usefixtures("mariadb")
def test_counts_and_the_oldest_are_read_off_an_index_alone():
    with CaptureQueriesContext(connection) as queries:
        processing.count_table("issues")
    plans = [plan_of(query["sql"]) for query in queries]
    assert len(plans) == 2
    assert all("ix_issues_state" in plan and "Using index" in plan[-1] for plan in plans)


def plan_of(sql):
    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN {sql}")
        (plan,) = cursor.fetchall()
        return plan


@pytest.mark.usefixtures("mariadb")
def test_a_deep_page_reads_no_more_index_entries_than_it_shows(now):
    rows = [factories.PullRequestFactory.build(updated_at=now - timedelta(minutes=n)) for n in range(2_000)]
    PullRequest.objects.bulk_create(rows)
    before = entries_read()
    cursor = f"{int((now - timedelta(minutes=1_500)).timestamp())}-1"
    cell = processing.Cell("pull_requests", ProcessingState.PROCESSED)
    page = processing.page({}, Order(), cursor, paging.ROWS, cell=cell)
    assert len(page.rows) == paging.ROWS
    assert entries_read() - before < 5 * paging.ROWS


def entries_read():
    """The rows and index entries that this session has read so far."""
    with connection.cursor() as cursor:
        cursor.execute("SHOW SESSION STATUS LIKE 'Handler_read%'")
        return sum(int(value) for _, value in cursor.fetchall())


def test_the_oldest_pending_row_is_the_one_written_longest_ago(now, see):
    factories.IssueFactory(processing_state="UPDATED")
    Issue.objects.update(updated_at=now - timedelta(hours=3))
    factories.BranchFactory(processing_state="NEW")
    totals = processing.totals(processing.matrix())
    assert (totals.oldest_pending, totals.oldest_table) == (now - timedelta(hours=3), "issues")
    assert "2 pending; the oldest was written 3 h ago , in issues" in see("/processing/").text


def test_pending_rows_come_in_the_order_of_claims_and_done_ones_newest_first(now, see):
    old = factories.IssueFactory(processing_state="NEW")
    Issue.objects.filter(pk=old.pk).update(updated_at=now - timedelta(days=2))
    new = factories.IssueFactory(processing_state="NEW")
    assert see("/processing/issues/?state=NEW").row_ids() == [old.pk, new.pk]
    assert see("/processing/issues/").row_ids() == [old.pk, new.pk]
    Issue.objects.update(processing_state="PROCESSED", updated_at=F("updated_at"))
    assert see("/processing/issues/?state=PROCESSED").row_ids() == [new.pk, old.pk]


@pytest.mark.parametrize("state", ["NEW", "PROCESSED"])
def test_rows_with_equal_keys_are_each_shown_once_f37(state, now, see):
    rows = many(state, now)
    shown = walk(see, f"/processing/pull_requests/?state={state}")
    assert sorted(shown) == rows
    assert shown == sorted(shown, reverse=state == "PROCESSED")


def test_rows_that_change_state_meanwhile_neither_hide_nor_repeat_others_f37(now, see):
    rows = many("NEW", now)
    path, shown, claimed = "/processing/pull_requests/?state=NEW", [], set()
    while path:
        page = see(path)
        shown += page.row_ids()
        # Somebody claims every third row of the page just shown, and some of the next.
        taken = set(shown[::3]) | {rows[len(shown)]} if len(shown) < MANY else set()
        PullRequest.objects.filter(pk__in=taken).update(
            processing_state="PROCESSING", updated_at=CurrentTimestamp()
        )
        claimed |= taken
        path = page.link("next")
    assert len(shown) == len(set(shown))
    assert set(rows) - claimed <= set(shown)


def test_a_row_shows_its_error_its_attempts_and_its_link(now, see):
    row = factories.PullRequestFactory(
        processing_state="RE_REQUESTED", processing_error="Traceback\nGitHubError: 502", processing_attempts=3
    )
    page = see("/processing/pull_requests/?state=RE_REQUESTED")
    assert "GitHubError: 502" in page.text
    assert f"https://github.com/octo/tools/pull/{row.number}" in {link.get("href") for link in page.all("a")}


@pytest.mark.parametrize("slug", processing.TABLES)
def test_each_table_has_a_page_in_each_state(slug, db, see):
    for state in ("NEW", "UPDATED", "RE_REQUESTED", "IDLE", "PROCESSING", "PROCESSED"):
        assert "now." in see(f"/processing/{slug}/?state={state}").text


def test_rows_of_every_table_are_listed_without_their_large_columns(db, see):
    from webhooks import models

    guid = {"delivery_id": b"x" * 16}
    factories.InstallationFactory(processing_state="NEW")
    factories.RepositoryFactory(processing_state="NEW")
    factories.BranchFactory(processing_state="NEW", ref="a/b")
    models.User.objects.create(**guid, user_id=1, login="alice", token="secret-token")
    models.Comment.objects.create(**guid, comment_id=5, comment_body="a long comment", pull_request_number=2)
    models.Push.objects.create(**guid, ref="refs/heads/main", head_commit_message="a long message")
    for slug in ("installations", "repositories", "branches", "users", "comments", "pushes"):
        page = see(f"/processing/{slug}/")
        assert len(page.row_ids()) == 1, slug
        for kept_back in ("secret-token", "a long"):
            assert kept_back not in page.text


@pytest.mark.usefixtures("mariadb")
def test_a_state_that_no_rule_knows_is_reported(see):
    row = factories.IssueFactory(processing_state="NEW")
    with connection.cursor() as cursor:
        # What a session without strict mode stores for a word that the enum lacks.
        cursor.execute("SET STATEMENT sql_mode='' FOR UPDATE github_issues SET ProcessingState='SLEEPING'")
    assert processing.count_table("issues").unreadable == 1
    assert "1 row of github_issues hold" in see("/processing/").text
    assert "github_issues: 1 row with a ProcessingState" in see("/").text
    assert row.pk
