"""The counts and lists that the existing dashboard reads: each member, each type, each state."""

from __future__ import annotations

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from tests.api_data.world import AT, filled
from tests.contract.rows import make_row
from webhooks.models import CLAIMED, PullRequest
from webhooks.values import STATES

pytestmark = pytest.mark.django_db

TABLES = [
    "github_branches",
    "github_comments",
    "github_installations",
    "github_issues",
    "github_pull_requests",
    "github_pushes",
    "github_repositories",
    "github_users",
]
# Written down by hand from the contract: what each row has, and of which type.
ALL: dict[str, type] = {
    "sequence": int,
    "senderLogin": str,
    "processingState": str,
    "processingDate": str,
    "webhooksReceiverVersion": str,
    "webhooksHandlerVersion": str,
    "gstracciniBotVersion": str,
}
PLACE: dict[str, type] = {"repositoryOwner": str, "repositoryName": str}
MEMBERS: dict[str, dict[str, type]] = {
    "pull-requests": PLACE | {"number": int, "sender": str, "ref": str, "title": str, "idleRetryCount": int},
    "branches": PLACE | {"ref": str, "refType": str, "event": str},
    "comments": PLACE | {"pullRequestNumber": int, "commentId": int, "commentSender": str},
    "installations": {"accountLogin": str, "accountType": str, "repositorySelection": str, "status": str},
    "issues": PLACE | {"number": int},
    "pushes": PLACE | {"ref": str},
    "repositories": {"fullName": str, "ownerLogin": str, "lastAction": str, "installationAction": str},
    "users": {"senderLogin": type(None), "login": str, "fullName": str, "email": str, "userId": int},
}
MODELS = dict(zip(sorted(MEMBERS), sorted(CLAIMED, key=lambda model: model._meta.db_table), strict=True))
every_entity = pytest.mark.parametrize("entity", MEMBERS)


def test_the_tables_and_words_above_belong_together():
    for entity, model in MODELS.items():
        assert model._meta.db_table == f"github_{entity.replace('-', '_')}"


# --- counts --------------------------------------------------------------------------------------------------


def test_processing_state_has_six_states_of_eight_tables_each_zero_or_more(ask):
    empty = ask("processing-state")
    assert sorted(empty) == sorted(["NEW", "RE_REQUESTED", "UPDATED", "IDLE", "PROCESSING", "PROCESSED"])
    assert {state: sorted(tables) for state, tables in empty.items()} == dict.fromkeys(empty, TABLES)
    assert {count for tables in empty.values() for count in tables.values()} == {0}


def test_b1_04_every_state_is_counted_for_itself_idle_among_them(ask):
    for number, state in enumerate(STATES, start=1):
        for _ in range(number):
            make_row(PullRequest, processing_state=state)
    make_row(MODELS["users"], processing_state="UPDATED")
    found = ask("processing-state")
    assert {state: found[state]["github_pull_requests"] for state in STATES} == dict(
        zip(STATES, range(1, 7), strict=True)
    )
    assert found["UPDATED"]["github_users"] == 1
    assert found["IDLE"]["github_users"] == 0


def test_counts_take_one_query_a_table_and_read_an_index_alone(caller):
    client = caller("viewer")
    with CaptureQueriesContext(connection) as queries:
        assert client.get("/api/v1/processing-state").status_code == 200
    for table in TABLES:
        (statement,) = [query["sql"] for query in queries if table in query["sql"]]
        assert "COUNT(*)" in statement
        with connection.cursor() as cursor:
            cursor.execute(f"EXPLAIN {'QUERY PLAN ' if connection.vendor == 'sqlite' else ''}{statement}")
            plan = str(cursor.fetchall()).upper()
        assert "COVERING INDEX" in plan or "USING INDEX" in plan, plan


# --- lists ---------------------------------------------------------------------------------------------------


@every_entity
def test_a_row_has_exactly_the_members_of_the_contract(ask, entity):
    row = filled(MODELS[entity])
    (item,) = ask(f"{entity}-processing")
    assert {name: type(value) for name, value in item.items()} == ALL | MEMBERS[entity]
    assert item["sequence"] == row.pk
    assert (item["processingState"], item["processingDate"]) == ("PROCESSING", "2026-03-01 23:30:00")
    assert [item[name] for name in list(ALL)[4:]] == ["receiver 1", "handler 2", "bot 3"]


def test_members_hold_the_columns_of_their_names(ask):
    filled(PullRequest, number=5, sender="bob", ref="lamp", title="Add a lamp", idle_retry_count=3)
    (item,) = ask("pull-requests-processing")
    own = ("repositoryOwner", "repositoryName", "number", "sender", "senderLogin", "ref", "title")
    assert [item[name] for name in own] == ["octo", "tools", 5, "bob", "alice", "lamp", "Add a lamp"]
    assert item["idleRetryCount"] == 3


@every_entity
def test_both_paths_and_both_slash_forms_answer_the_same(ask, entity):
    filled(MODELS[entity])
    one = ask(f"{entity}-processing")
    assert len(one) == 1
    for path in (f"{entity}-processing/", f"{entity}/processing", f"{entity}/processing/"):
        assert ask(path) == one


@every_entity
def test_b1_05_all_pending_states_and_the_claimed_are_listed_and_what_is_done_is_not(ask, entity):
    model = MODELS[entity]
    states = [state for state in STATES if state != "IDLE" or model is PullRequest]
    for state in states:
        make_row(model, processing_state=state)
    listed = [item["processingState"] for item in ask(f"{entity}-processing")]
    assert listed == [state for state in reversed(states) if state != "PROCESSED"]


@every_entity
def test_what_nobody_has_said_stays_null(ask, entity):
    make_row(MODELS[entity], processing_state="NEW")
    (item,) = ask(f"{entity}-processing")
    assert {name for name, value in item.items() if value is None} == {
        "senderLogin",
        "processingDate",
        "webhooksReceiverVersion",
        "webhooksHandlerVersion",
        "gstracciniBotVersion",
    }


@pytest.mark.parametrize(
    "headers,shown",
    [
        ({}, "2026-03-01 23:30:00"),
        ({"X_Timezone": "Asia/Kolkata"}, "2026-03-02 05:00:00"),
        ({"X_Timezone": "America/Sao_Paulo", "X_Timezone_Offset": "+09:00"}, "2026-03-01 20:30:00"),
        ({"X_Timezone_Offset": "+01:00"}, "2026-03-02 00:30:00"),
        ({"X_Timezone_Offset": "-0330"}, "2026-03-01 20:00:00"),
        ({"X_Timezone": "Mars/Olympus"}, "2026-03-01 23:30:00"),
        ({"X_Timezone": "../../etc/passwd", "X_Timezone_Offset": "nonsense"}, "2026-03-01 23:30:00"),
    ],
)
def test_dates_are_in_the_zone_that_the_client_names(ask, headers, shown):
    filled(PullRequest, processing_date=AT)
    (item,) = ask("pull-requests-processing", **headers)
    assert item["processingDate"] == shown


@pytest.mark.parametrize(
    "text", ['"><img src=x onerror=alert(1)>', "<svg/onload=1>", "feature/a#1%2Fb+c", "日本", "a & b's"]
)
def test_f37_text_leaves_fit_to_be_put_into_a_page(ask, text):
    from html import unescape

    filled(PullRequest, title=text, ref=text)
    (item,) = ask("pull-requests-processing")
    assert not set(item["title"]) & set("<>\"'")
    assert (unescape(item["title"]), unescape(item["ref"])) == (text, text)


def test_f37_250_rows_of_one_instant_are_each_on_one_page_while_rows_change(caller):
    rows = [
        filled(PullRequest, processing_state="NEW", processing_date=None, updated_at=AT) for _ in range(250)
    ]
    client, seen, url = caller("viewer"), [], "/api/v1/pull-requests-processing?limit=40"
    while url:
        answer = client.get(url)
        seen += [item["sequence"] for item in answer.json()]
        # Those on pages to come are claimed, those shown are done, and new ones come in.
        PullRequest.objects.filter(pk__lt=seen[-1], pk__gt=seen[-1] - 20).update(
            processing_state="PROCESSING", processing_date=AT, updated_at=AT
        )
        PullRequest.objects.filter(pk=seen[-1]).update(processing_state="PROCESSED", updated_at=AT)
        make_row(PullRequest, processing_state="NEW")
        url = answer.headers.get("Link", "").partition(">")[0].removeprefix("<")
    assert sorted(seen) == [row.pk for row in rows]


def test_a_client_that_knows_no_pages_gets_the_newest_thousand(ask):
    template = filled(PullRequest, processing_state="NEW")
    PullRequest.objects.bulk_create(
        PullRequest(delivery_id=f"{n:032x}", node_id=f"PR_b{n}", number=n, processing_state="NEW")
        for n in range(1, 1101)
    )
    listed = ask("pull-requests-processing")
    assert len(listed) == 1000
    assert template.pk not in {item["sequence"] for item in listed}
    for senseless in ("0", "-1", "1001", "x", "", "9" * 30):
        assert len(ask("pull-requests-processing", {"limit": senseless})) == 1000
    for senseless in ("0", "-1", "x", "", "9" * 30):
        assert len(ask("pull-requests-processing", {"before": senseless})) == 1000


def test_a_list_takes_two_queries_however_long_it_is(caller):
    client = caller("viewer")
    counts = []
    for number in (1, 60):
        for _ in range(number):
            filled(PullRequest)
        client.get("/api/v1/pull-requests-processing")
        with CaptureQueriesContext(connection) as queries:
            client.get("/api/v1/pull-requests-processing")
        counts.append(sum("github_pull_requests" in query["sql"] for query in queries))
        assert len(queries) <= 20
    assert counts == [2, 2]


def test_a_users_token_is_never_read(caller):
    filled(MODELS["users"], token="ghu_a_secret_of_another_program")
    client = caller("viewer")
    with CaptureQueriesContext(connection) as queries:
        answer = client.get("/api/v1/users-processing")
    assert "ghu_" not in answer.content.decode()
    assert not any(
        "`Token`" in q["sql"] or '"Token"' in q["sql"] for q in queries if "github_users" in q["sql"]
    )
