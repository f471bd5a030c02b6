"""Every Event-driven write of github_pull_requests resets IdleRetryCount, in the open (B1.29, B1.31).

The reset is an explicit column in each writer, never a trigger or a signal. So this test reads the source.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from django.db import connection

from tests.webhooks.writers import Site, sites, sites_of_module

ROOT = Path(__file__).resolve().parents[2]
RESETS = "resets"
# Where the table is written, and what each place does to IdleRetryCount: it resets it, or why not.
KNOWN = {
    "webhooks/events/pull_requests.py::update": RESETS,
    "webhooks/events/pull_requests.py::insert": "a new row begins at the column's default, 0",
    "webhooks/events/rules.py::re_request_all": RESETS,
    "webhooks/migrations/0003_failed_rows.py::mark_failed_so_far": "dates failures that lie in the past",
    "webhooks/services/pending.py::re_request": RESETS,
    "webhooks/services/outside_workers.py::ask_again": "re_request, which it calls, resets",
    "webhooks/services/renames.py::_rename": "a new name is no activity: UpdatedAt and Idle Retries stay",
    "webhooks/services/rows.py::insert": "writes what its caller names, with the caller's columns; see insert above",
    "webhooks/services/rows.py::update": "no caller names pull requests: they have an update of their own",
    "webhooks/services/claims.py::_fail_worn": "given up on: a failure is no Event: Idle Retries stay",
    "webhooks/services/finishing.py::_end_once": "the end of a claim is no Event: Idle Retries stay",
    "bot/services/facts.py::_write": "what a handler reads on GitHub is no Event: Idle Retries stay",
    "bot/services/closing.py::_wake_once": "notes the date of a closing on a row that is closed",
    "bot/services/closing.py::_wake": RESETS,
    "bot/services/notices.py::_raise": "locks the row, and writes notifications",
    "bot/services/notices.py::_withdraw": "locks the row, and deletes notifications",
    "bot/services/obeying.py::_retry": "re_request, which it calls, resets",
    "webhooks/models/base.py::update": "the queryset's guard, passes on what its callers write",
    "sync/services/pulls.py::_re_request": RESETS,
    "sync/services/pulls.py::_refresh": "facts only: what GitHub shows of a known open row is no activity",
    "sync/services/writing.py::insert_all": "new rows begin at the column's default, 0",
    "idle/services.py::_retry": "the Idle Retry itself, which counts one up",
    "idle/services.py::reset": RESETS,
    "monitor/services/bulk.py::_touch": "writes the job; what a kind does to rows is listed where it does it",
    "monitor/services/bulk_kinds.py::_re_request": "re_request, which it calls, resets",
    "monitor/views/pull_request.py::re_request": "re_request, which it calls, resets",
    "merge/services/judging.py::_keep": "the newest verdict, in a table of its own",
}

WHAT_TO_DO = (
    "{name} writes github_pull_requests and is not on the list in tests/webhooks/test_writers.py. If an Event or a "
    "person causes the write, let the function itself say idle_retry_count=0 and list it as RESETS; else list it "
    "with the reason."
)


def test_b1_29_every_writer_of_pull_requests_is_known() -> None:
    for site in sites(ROOT):
        assert site.name in KNOWN, WHAT_TO_DO.format(name=site.name)


def test_every_known_writer_is_still_there() -> None:
    assert set(KNOWN) == {site.name for site in sites(ROOT)}


def test_b1_29_every_writer_that_should_reset_does_so_in_the_open() -> None:
    for site in sites(ROOT):
        if KNOWN.get(site.name) == RESETS:
            assert site.resets, (
                f"{site.name} is listed as resetting IdleRetryCount, but its source does not say so."
            )


def test_b1_32_no_trigger_does_it_either(db: None) -> None:
    assert "github_pull_requests" in connection.introspection.table_names()
    where = (
        "information_schema.triggers WHERE TRIGGER_SCHEMA = DATABASE()"
        if connection.vendor == "mysql"
        else "sqlite_master WHERE type = 'trigger'"
    )
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT COUNT(*) FROM {where}")
        assert cursor.fetchone() == (0,)


def only(text: str) -> Site:
    (site,) = sites_of_module("made_up.py", text)
    return site


@pytest.mark.parametrize(
    "body",
    [
        "PullRequest.objects.filter(pk=1).update(title='x', updated_at=F('updated_at'))",
        "PullRequest.objects.create(title='x')",
        "PullRequest._default_manager.bulk_create([])",
        "insert_row(PullRequest, {})",
        "update_row(PullRequest, 1, {})",
        "rows.insert(PullRequest, incoming)",
        "rows.update(PullRequest, 1, incoming)",
        "found = PullRequest.objects.all()\n    found.order_by().update(title='x')",
        "row = PullRequest.objects.get(pk=1)\n    row.save()",
        "model.objects.filter(pk=1).update(title='x')",
        "selectors.all_open().update(title='x', updated_at=F('updated_at'))",
        "selectors.all_open().update(**columns)",
        "cursor.execute('UPDATE github_pull_requests SET Title = 1')",
        "cursor.execute('''insert  into `github_pull_requests` (Title) VALUES (1)''')",
    ],
)
def test_the_search_finds_a_made_up_writer(body: str) -> None:
    site = only(f"def write(model, cursor):\n    {body}\n")
    assert site.name == "made_up.py::write"
    assert site.name not in KNOWN
    assert not site.resets


@pytest.mark.parametrize(
    "body",
    [
        "PullRequest.objects.filter(pk=1).count()",
        "Issue.objects.update(title='x')",
        "columns.update(title='x')",
    ],
)
def test_the_search_leaves_other_code_alone(body: str) -> None:
    assert not list(sites_of_module("made_up.py", f"def read():\n    {body}\n"))


@pytest.mark.parametrize(
    "column",
    ["idle_retry_count=0", '"idle_retry_count": 0', "columns['idle_retry_count'] = 0", "IdleRetryCount = 0"],
)
def test_a_reset_is_seen(column: str) -> None:
    assert Site("x", f"update({column})").resets


def test_words_about_a_reset_are_none() -> None:
    body = '"""Says idle_retry_count=0."""\n    PullRequest.objects.create()  # idle_retry_count=0'
    assert not only(f"def write():\n    {body}\n").resets


@pytest.mark.parametrize(
    "column", ["idle_retry_count=F('idle_retry_count') + 1", "idle_retry_count=10", "retries=0"]
)
def test_what_is_no_reset_is_none(column: str) -> None:
    assert not Site("x", f"update({column})").resets
