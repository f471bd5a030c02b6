"""The idle view over the REST API: in its order, filtered, counted, and reset."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from core.passes import run_pass
from idle.passes import IDLE
from idle.selectors import in_order
from tests.factories import InstallationFactory, PullRequestFactory, RepositoryFactory
from webhooks.models import PullRequest, PullRequestHistory

pytestmark = pytest.mark.django_db
PATH = "/api/v1/idle-pull-requests"
# Written down by hand: what each row has, and of which type.
MEMBERS = {
    "sequence": int,
    "repository_owner": str,
    "repository_name": str,
    "repository_id": int,
    "repository_private": bool,
    "installation_id": int,
    "number": int,
    "node_id": str,
    "title": str,
    "sender": str,
    "sender_login": str,
    "ref": str,
    "head_sha": str,
    "draft": bool,
    "auto_merge_enabled": bool,
    "idle_status": str,
    "idle_retry_count": int,
    "idle_retry_limit": int,
    "next_retry_at": str,
    "repository_idle_rank": int,
    "repository_last_pull_request_update": str,
    "blocked": type(None),
    "processed_date": type(None),
    "processing_error": type(None),
    "created_at": str,
    "updated_at": str,
}


@pytest.fixture
def idle(clock: Any) -> Any:
    """Make a pull request that was left alone for so many days."""

    def idle(days: float = 2, **columns: Any) -> PullRequest:
        row: PullRequest = PullRequestFactory(
            **{"updated_at": clock.now - timedelta(days=days), "sender_login": "bob"} | columns
        )
        return row

    return idle


def numbers(page: Any) -> list[int]:
    return [row["sequence"] for row in page["results"]]


def test_a_row_has_exactly_these_members(ask, idle):
    RepositoryFactory(private=True)
    row = idle(2, ref="feature/a#1%2Fb+c&d")
    page = ask("idle-pull-requests")
    assert {**page, "results": []} == {"next": None, "previous": None, "results": []}
    (item,) = page["results"]
    assert {name: type(value) for name, value in item.items()} == MEMBERS
    assert (item["sequence"], item["ref"]) == (row.pk, "feature/a#1%2Fb+c&d")
    assert (item["idle_status"], item["idle_retry_limit"], item["repository_private"]) == ("DUE", 10, True)
    assert (item["updated_at"], item["next_retry_at"]) == ("2026-03-02T09:00:00Z", "2026-03-03T09:00:00Z")


def test_b1_18_the_order_is_the_views_on_every_page(ask, idle):
    for number in range(23):
        idle(2 + number % 5, repository_name=f"r{number % 4}", idle_retry_count=number % 3)
    seen, url = [], "idle-pull-requests?limit=10"
    while url:
        page = ask(url)
        seen += numbers(page)
        url = page["next"] and page["next"].partition("/api/v1/")[2]
    assert seen == list(in_order().values_list("pk", flat=True))
    assert len(seen) == 23


def test_pages_lead_forth_and_back_with_their_filters(ask, idle):
    for _ in range(5):
        idle()
    second = ask("idle-pull-requests?limit=2&page=2&status=DUE")
    assert len(second["results"]) == 2
    assert second["next"].endswith("/idle-pull-requests?limit=2&page=3&status=DUE")
    assert second["previous"].endswith("/idle-pull-requests?limit=2&page=1&status=DUE")
    assert ask("idle-pull-requests?limit=2&page=4") == {
        "next": None,
        "previous": second["next"].replace("&status=DUE", ""),
        "results": [],
    }


def test_each_filter_holds(ask, idle):
    RepositoryFactory(name="open", github_id=1)
    RepositoryFactory(name="secret", github_id=2, private=True)
    RepositoryFactory(name="attic", github_id=3, archived=True)
    InstallationFactory()
    due = idle(2, repository_name="open")
    waiting = idle(2, repository_name="secret", idle_retry_count=4)
    gave_up = idle(99, repository_name="attic", idle_retry_count=10)
    unknown = idle(2, repository_name="unknown", repository_owner="Octo")
    for query, expected in {
        "": [due, unknown, waiting, gave_up],
        "status=DUE": [due, unknown],
        "status=WAITING": [waiting],
        "status=GAVE_UP": [gave_up],
        "repository=octo/open": [due],
        "repository=OCTO/OPEN": [due],
        "private=true": [waiting],
        "private=false": [due, gave_up],
        "blocked=true": [gave_up],
        "blocked=false": [due, unknown, waiting],
        "retry_count=4": [waiting],
        "retry_count=0&status=DUE&private=false": [due],
    }.items():
        assert set(numbers(ask(f"idle-pull-requests?{query}"))) == {row.pk for row in expected}, query
    (item,) = ask("idle-pull-requests?blocked=true")["results"]
    assert item["blocked"] == "repository archived"


@pytest.mark.parametrize(
    "query,field",
    [
        ("status=IDLE", "status"),
        ("repository=tools", "repository"),
        ("repository=a/b/c", "repository"),
        ("private=perhaps", "private"),
        ("retry_count=-1", "retry_count"),
        ("retry_count=99999999999999999999", "retry_count"),
        ("status=", "status"),
        ("repository=", "repository"),
        ("page=0", "page"),
        ("limit=201", "limit"),
        ("colour=red", "colour"),
    ],
)
def test_a_senseless_filter_is_refused_by_name(caller, query, field):
    answer = caller("viewer").get(f"{PATH}?{query}")
    assert answer.status_code == 400
    assert list(answer.json()["errors"]) == [field]


def test_counts_are_of_all_three_statuses(ask, idle):
    assert ask("idle-pull-requests/counts") == {"DUE": 0, "WAITING": 0, "GAVE_UP": 0}
    for days, count in ((2, 0), (2, 5), (2, 5), (99, 10)):
        idle(days, idle_retry_count=count)
    assert ask("idle-pull-requests/counts/") == {"DUE": 1, "WAITING": 2, "GAVE_UP": 1}


def test_next_is_the_one_that_the_next_run_takes(ask, idle):
    assert ask("idle-pull-requests/next") == {"next": None}
    RepositoryFactory(name="attic", github_id=3, archived=True)
    idle(50, repository_name="attic")
    idle(2, repository_name="busy", idle_retry_count=1)
    wanted = idle(3, repository_name="quiet")
    found = ask("idle-pull-requests/next")["next"]
    assert (found["sequence"], set(found)) == (wanted.pk, set(MEMBERS))
    run_pass(IDLE)
    assert PullRequest.objects.get(processing_state="IDLE").pk == found["sequence"]


def test_an_operators_reset_counts_from_0_and_keeps_updated_at(caller, ask, idle):
    row = idle(30, idle_retry_count=10)
    client = caller("operator")
    answer = client.post(f"{PATH}/{row.pk}/reset")
    assert (answer.status_code, answer.json()) == (
        200,
        {"sequence": row.pk, "idle_retry_count": 0, "before": 10},
    )
    before = row.updated_at
    row.refresh_from_db()
    assert (row.idle_retry_count, row.updated_at) == (0, before)
    assert ask("idle-pull-requests/counts")["DUE"] == 1
    line = PullRequestHistory.objects.latest("sequence")
    assert (line.kind, line.actor) == ("reset", "operator-user (token test)")


def test_a_reset_needs_an_operator_a_row_and_no_input(caller, idle):
    row = idle(30, idle_retry_count=10)
    assert caller("viewer").post(f"{PATH}/{row.pk}/reset").status_code == 403
    operator = caller("operator")
    assert operator.post(f"{PATH}/999999/reset").json()["detail"] == "There is no pull request 999999."
    assert operator.post(f"{PATH}/{row.pk}/reset", {"to": 3}, format="json").status_code == 400
    row.refresh_from_db()
    assert row.idle_retry_count == 10


def test_a_page_takes_one_query_however_many_rows_it_shows(caller, idle):
    client = caller("viewer")
    found = []
    for number in (1, 40):
        for _ in range(number):
            idle()
        with CaptureQueriesContext(connection) as queries:
            client.get(PATH)
        found.append(sum("idle_view" in query["sql"] for query in queries))
        assert len(queries) <= 20
    assert found == [1, 1]
