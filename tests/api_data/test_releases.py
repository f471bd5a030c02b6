"""Releases over the REST API: the latest of each repository, with what its workflow runs say."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from tests.api_data.world import AT, release, workflow_run

pytestmark = pytest.mark.django_db


def test_a_release_has_exactly_the_members_of_the_contract(ask):
    release()
    assert (
        ask("releases/")
        == ask("releases")
        == [
            {
                "owner": "octo",
                "repo": "tools",
                "release_name": "One",
                "tag_name": "v1",
                "release_created_at": "2026-03-01 23:30:00",
                "html_url": "https://github.com/octo/tools/releases/tag/v1",
                "workflow_status": "Pending",
                "workflow_runs_count": 0,
                "failed_workflow_runs": 0,
            }
        ]
    )


@pytest.mark.parametrize(
    "runs,status,count,failed",
    [
        ([("completed", "success")], "Successful", 1, 0),
        ([("completed", "success"), ("in_progress", None)], "Pending", 2, 0),
        ([("completed", "success"), ("completed", "failure"), ("in_progress", None)], "Failed", 3, 1),
        ([("completed", "skipped")], "Successful", 1, 0),
    ],
)
def test_its_runs_decide_its_status(ask, runs, status, count, failed):
    release()
    for number, (state, conclusion) in enumerate(runs):
        workflow_run(workflow_run_id=number + 1, head_branch="v1", status=state, conclusion=conclusion)
    workflow_run(workflow_run_id=99, head_branch="main", conclusion="failure")
    (item,) = ask("releases")
    members = ("workflow_status", "workflow_runs_count", "failed_workflow_runs")
    assert tuple(item[name] for name in members) == (status, count, failed)


def test_each_repository_shows_its_latest_release_and_the_newest_comes_first(ask):
    for number, (name, day) in enumerate([("a", 5), ("a", 9), ("b", 7), ("c", 7), ("a", 1)]):
        release(
            release_id=number,
            repository_name=name,
            tag_name=f"v{number}",
            release_created_at=AT + timedelta(days=day),
        )
    release(release_id=50, repository_name="d", tag_name="draft", release_created_at=None)
    assert [(item["repo"], item["tag_name"]) for item in ask("releases")] == [
        ("a", "v1"),
        ("c", "v3"),
        ("b", "v2"),
        ("d", "draft"),
    ]


def test_of_two_of_one_instant_the_later_row_is_the_latest(ask):
    release(release_id=1, tag_name="first")
    release(release_id=2, tag_name="second")
    assert [item["tag_name"] for item in ask("releases")] == ["second"]


@pytest.mark.parametrize("url", ["javascript:alert(1)", " https://x", "//x", "data:text/html,x", ""])
def test_f37_an_address_that_is_no_link_does_not_leave(ask, url):
    release(html_url=url, release_name='"><img src=x onerror=alert(1)>')
    (item,) = ask("releases")
    assert item["html_url"] == ""
    assert item["release_name"] == "&quot;&gt;&lt;img src=x onerror=alert(1)&gt;"


def test_the_list_takes_two_queries(caller):
    for number in range(20):
        release(release_id=number, repository_name=f"r{number}")
    client = caller("viewer")
    with CaptureQueriesContext(connection) as queries:
        assert len(client.get("/api/v1/releases").json()) == 20
    assert sum("github_release" in query["sql"] for query in queries) == 2
