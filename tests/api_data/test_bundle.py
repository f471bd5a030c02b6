"""The `github` bundle: sums of the last 30 days as 2-D arrays, and single Deliveries."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest
from django.core.cache import caches
from django.db import connection
from django.test.utils import CaptureQueriesContext

from tests.api_data.world import release, workflow_run
from tests.contract.rows import make_row
from tests.factories import DeliveryFactory, InstallationFactory, RepositoryFactory
from webhooks.api import tables
from webhooks.models import PullRequest, PullRequestHistory, Push, User

ARRAYS = [
    "statistics",
    "statistics_github",
    "events",
    "senders",
    "repositories",
    "installation_repositories",
    "branches",
    "pull_requests",
    "workflow_runs",
    "feed",
]
NUMBERS = ["total", "total_workflow_runs", "installations", "installation_repositories_count"]
EIGHT = [
    "github_pull_requests",
    "github_branches",
    "github_comments",
    "github_installations",
    "github_issues",
    "github_pushes",
    "github_repositories",
    "github_users",
]


@pytest.fixture(autouse=True)
def _nothing_kept(db: None) -> None:
    caches["process"].clear()


# --- pure ----------------------------------------------------------------------------------------------------


def quarter(at: datetime) -> int:
    return int(at.timestamp()) // 900


def test_days_are_those_of_the_zone():
    late = quarter(datetime(2026, 3, 1, 22, 50, tzinfo=UTC))
    shown = tables.days(date(2026, 3, 2), 2)
    for zone, expected in (
        (UTC, [["01/03", 3], ["02/03", 0]]),
        (ZoneInfo("Europe/Berlin"), [["01/03", 3], ["02/03", 0]]),
        (ZoneInfo("Asia/Kathmandu"), [["01/03", 0], ["02/03", 3]]),
        (timezone(timedelta(hours=1, minutes=15)), [["01/03", 0], ["02/03", 3]]),
    ):
        assert tables.per_day({"Hits": {late: 3}}, shown, zone) == [["Date", "Hits"], *expected]


def test_a_table_without_rows_is_empty():
    assert tables.table(["A", "B"], []) == []
    assert tables.per_day({"Hits": {}}, [date(2026, 3, 1)], UTC) == []
    old = quarter(datetime(2026, 1, 1, tzinfo=UTC))
    assert tables.per_day({"Hits": {old: 1}}, [date(2026, 3, 1)], UTC) == []


def test_days_cross_months_and_end_today():
    assert tables.days(date(2026, 3, 1), 3) == [date(2026, 2, 27), date(2026, 2, 28), date(2026, 3, 1)]


# --- the bundle ----------------------------------------------------------------------------------------------


def test_an_empty_installation_has_zeros_and_empty_arrays(ask):
    bundle = ask("github")
    assert set(bundle) == {*ARRAYS, *NUMBERS, "check_hooks_date"}
    assert [bundle[name] for name in ARRAYS] == [[]] * 10
    assert [bundle[name] for name in NUMBERS] == [0] * 4
    assert bundle["check_hooks_date"] is None


def test_statistics_count_deliveries_a_day_for_30_days(ask, clock):
    for age, number in ((0, 2), (1, 1), (29, 3), (31, 5)):
        for _ in range(number):
            DeliveryFactory(received_at=clock.now - timedelta(days=age, minutes=1))
    bundle = ask("github?feedOptionsFilter=all")
    header, *days = bundle["statistics"]
    assert header == ["Date", "Hits"]
    assert len(days) == 30
    assert (days[0], days[-2], days[-1]) == (["03/02", 3], ["03/03", 1], ["04/03", 2])
    assert sum(hits for _, hits in days) == bundle["total"] == 6


def test_statistics_github_count_rows_a_day_for_each_of_eight_tables(ask, clock):
    make_row(PullRequest, updated_at=clock.now - timedelta(days=1))
    make_row(PullRequest, updated_at=clock.now - timedelta(days=1), processing_state="PROCESSED")
    make_row(User, updated_at=clock.now)
    header, *days = ask("github")["statistics_github"]
    assert header == ["Date", *EIGHT]
    assert days[-2] == ["03/03", 2, 0, 0, 0, 0, 0, 0, 0]
    assert days[-1] == ["04/03", 0, 0, 0, 0, 0, 0, 0, 1]


def test_named_lists_hold_the_twenty_most_frequent_of_the_window(ask, clock):
    DeliveryFactory(event="ancient", received_at=clock.now - timedelta(days=31))
    for number in range(25):
        for _ in range(number + 1 if number > 20 else 1):
            DeliveryFactory(event=f"event{number:02}", sender_login=f"s{number:02}", received_at=clock.now)
    bundle = ask("github")
    assert bundle["events"][:3] == [["Event", "Hits"], ["event24", 25], ["event23", 24]]
    assert bundle["senders"][:2] == [["Sender", "Hits"], ["s24", 25]]
    assert len(bundle["events"]) == len(bundle["senders"]) == 21
    assert "ancient" not in str(bundle["events"])


def test_repositories_branches_pull_requests_and_runs_are_named_as_on_github(ask, clock):
    for _ in range(2):
        DeliveryFactory(repository_owner="octo", repository_name="tools", received_at=clock.now)
        make_row(Push, repository_owner="octo", repository_name="tools", ref="refs/heads/main")
    DeliveryFactory(repository_owner="", repository_name="", sender_login="", received_at=clock.now)
    pull = make_row(PullRequest, repository_owner="octo", repository_name="tools", number=5)
    for kind in ("event", "event", "claim"):
        PullRequestHistory.objects.create(pull_request_sequence=pull.pk, kind=kind)
    workflow_run(updated_at=clock.now)
    workflow_run(workflow_run_id=2, updated_at=clock.now - timedelta(days=31))
    bundle = ask("github")
    assert bundle["repositories"] == [["Repository", "Hits"], ["octo/tools", 2]]
    assert bundle["branches"] == [["Branch", "Hits"], ["octo/tools main", 2]]
    assert bundle["pull_requests"] == [["Pull request", "Hits"], ["octo/tools#5", 2]]
    assert bundle["workflow_runs"] == [["Workflow run", "Hits"], ["CI", 1]]
    assert bundle["total_workflow_runs"] == 1


def test_only_current_rows_of_installations_and_repositories_count(ask):
    InstallationFactory(installation_id=7)
    InstallationFactory(installation_id=8)
    InstallationFactory(installation_id=8, status="0")
    RepositoryFactory(github_id=1, name="old", private=False)
    RepositoryFactory(github_id=1, name="lamp", private=True)
    RepositoryFactory(github_id=2, name="anvil")
    RepositoryFactory(github_id=3, name="gone", last_action="deleted")
    RepositoryFactory(github_id=4, name="away", installation_action="removed")
    bundle = ask("github")
    assert (bundle["installations"], bundle["installation_repositories_count"]) == (1, 2)
    assert bundle["installation_repositories"] == [
        ["Repository", "Private"],
        ["octo/anvil", False],
        ["octo/lamp", True],
    ]


def test_the_feed_holds_the_last_fifty_deliveries_in_the_clients_zone(ask, clock):
    for number in range(55):
        DeliveryFactory(
            received_at=clock.now - timedelta(minutes=55 - number),
            repository_owner="octo",
            repository_name="tools",
            sender_login="alice",
        )
    bundle = ask("github", X_Timezone_Offset="+02:00")
    header, *lines = bundle["feed"]
    assert header == ["Sequence", "Date", "Event", "Action", "Repository", "Sender", "Status"]
    assert len(lines) == 50
    assert lines[0][1:] == ["2026-03-04 10:59:00", "pull_request", "opened", "octo/tools", "alice", "applied"]
    assert [line[0] for line in lines] == sorted((line[0] for line in lines), reverse=True)
    assert bundle["check_hooks_date"] == "2026-03-04T08:59:00Z"


def test_mine_is_what_the_tokens_owner_caused(caller, clock):
    for login in ("alice", "Viewer-User", "", "viewer-user"):
        DeliveryFactory(sender_login=login, received_at=clock.now)
    client = caller("viewer")
    mine = client.get("/api/v1/github?feedOptionsFilter=mine").json()
    assert [line[5] for line in mine["feed"][1:]] == ["viewer-user", "Viewer-User"]
    for other in ("all", "", "nonsense"):
        assert len(client.get(f"/api/v1/github?feedOptionsFilter={other}").json()["feed"]) == 5


def test_f37_names_leave_fit_to_be_put_into_a_page(ask, clock):
    hostile = "<svg/onload=1>"
    DeliveryFactory(
        sender_login=hostile, repository_owner="o", repository_name=hostile, received_at=clock.now
    )
    make_row(Push, repository_owner="o", repository_name="r", ref=f"refs/heads/{hostile}")
    workflow_run(name=hostile, updated_at=clock.now)
    assert "<" not in str(ask("github"))


def test_the_sums_are_made_once_a_minute_and_the_feed_each_time(caller, clock):
    client = caller("viewer")
    DeliveryFactory(received_at=clock.now)
    assert client.get("/api/v1/github").json()["total"] == 1
    DeliveryFactory(received_at=clock.now)
    kept = client.get("/api/v1/github").json()
    assert (kept["total"], len(kept["feed"])) == (1, 3)
    clock.shift(seconds=61)
    assert client.get("/api/v1/github").json()["total"] == 2


def test_the_bundle_takes_as_many_queries_whatever_there_is(caller, clock):
    client = caller("viewer")

    def count() -> int:
        caches["process"].clear()
        with CaptureQueriesContext(connection) as queries:
            assert client.get("/api/v1/github").status_code == 200
        return len(queries)

    DeliveryFactory(received_at=clock.now)
    pull = make_row(PullRequest)
    PullRequestHistory.objects.create(pull_request_sequence=pull.pk, kind="event")
    count()  # the token's first use is noted
    few = count()
    for number in range(30):
        DeliveryFactory(received_at=clock.now, event=f"e{number}")
        pull = make_row(PullRequest)
        PullRequestHistory.objects.create(pull_request_sequence=pull.pk, kind="event")
        release(release_id=number)
    assert count() == few <= 50


def test_what_is_counted_of_deliveries_is_read_from_indexes_and_no_body(caller, clock):
    DeliveryFactory.create_batch(5, received_at=clock.now, sender_login="a", body=b"x")
    client = caller("viewer")
    with CaptureQueriesContext(connection) as queries:
        assert client.get("/api/v1/github?feedOptionsFilter=mine").status_code == 200
    asked = [query["sql"] for query in queries if "webhook_deliveries" in query["sql"]]
    feed = [statement for statement in asked if "Guid" in statement]
    assert len(asked) - len(feed) >= 6
    for statement in asked:
        with connection.cursor() as cursor:
            cursor.execute(f"EXPLAIN {'QUERY PLAN ' if connection.vendor == 'sqlite' else ''}{statement}")
            plan = str(cursor.fetchall()).upper()
        wanted = (
            ["IX_DELIVERIES_SENDER"]
            if statement in feed
            else ["USING INDEX", "COVERING INDEX", "OPTIMIZED AWAY"]
        )
        assert any(words in plan for words in wanted), (statement, plan)


# --- one Delivery --------------------------------------------------------------------------------------------


def test_a_delivery_is_shown_without_its_body(ask, clock):
    row = DeliveryFactory(
        received_at=clock.now, body=b"x", sender_login="alice", note="new row 1", duration_ms=4, target_id=9
    )
    assert (
        ask(f"github/{row.pk}")
        == ask(f"github/{row.pk}/")
        == {
            "sequence": row.pk,
            "hook_id": 1,
            "guid": row.guid,
            "event": "pull_request",
            "action": "opened",
            "target_type": "",
            "target_id": 9,
            "repository_owner": "",
            "repository_name": "",
            "sender_login": "alice",
            "status": "applied",
            "note": "new row 1",
            "error": "",
            "duration_ms": 4,
            "received_at": "2026-03-04 09:00:00",
        }
    )


def test_an_unknown_delivery_is_404(caller):
    answer = caller("viewer").get("/api/v1/github/4711")
    assert (answer.status_code, answer.json()["detail"]) == (404, "There is no Delivery 4711.")
