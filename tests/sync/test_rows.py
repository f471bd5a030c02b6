"""What the syncs write, column by column, and what they leave to an Event that was faster."""

from __future__ import annotations

import uuid

import pytest
from django.db.models import F

from sandbox.server.worlds import FIRST_INSTALLATION, FIRST_REPOSITORY
from sandbox.world import Person
from tests.sync.github import INSTALLATIONS, REPOSITORIES, dump, rows
from webhooks import models

pytestmark = pytest.mark.django_db
ALICE = Person(id=71, login="alice")


def age(model, **columns):
    model.objects.update(**columns, updated_at=F("updated_at"))


def pull(number: int = 1) -> models.PullRequest:
    return models.PullRequest.objects.get(number=number)


def lines(row, kind="sync") -> list[tuple[str, str, str]]:
    found = models.PullRequestHistory.objects.filter(pull_request_sequence=row.pk, kind=kind).order_by("pk")
    return [(line.from_state, line.to_state, line.reason) for line in found]


# --- pull requests ----------------------------------------------------------------------------------------------------
def test_b3_22_a_missing_row_is_backfilled_as_new(pair):
    pair.sync_everything()
    row = pull()
    assert (row.processing_state, row.state, row.hook_id, row.idle_retry_count) == ("NEW", "OPEN", 0, 0)
    assert row.webhooks_receiver_version == row.webhooks_handler_version
    assert row.webhooks_receiver_version.startswith("pullkeeper ")
    assert (row.installation_id, row.repository_id) == (FIRST_INSTALLATION, FIRST_REPOSITORY)
    assert (row.sender_login, row.github_updated_at) == (
        None,
        pair.state.thing(FIRST_REPOSITORY, 1).updated_at,
    )
    assert lines(row) == [("", "NEW", "found on GitHub: its Event was missed")]
    assert (
        models.PullRequestHistory.objects.filter(pass_run_id=pair.last.pk, actor="scheduled sync").count()
        == 2
    )
    assert len({row.delivery_id for row in rows(models.PullRequest)}) == 2


def test_a_known_open_row_gets_its_facts_and_nothing_more(known):
    age(models.PullRequest, idle_retry_count=3)
    before = pull()
    known.github.changes.edit_pull_request(
        FIRST_REPOSITORY, 1, title="New title", draft=True, auto_merge=True
    )
    known.github.changes.push(FIRST_REPOSITORY, 1)
    known.run(REPOSITORIES)
    after = pull()
    assert (after.title, after.draft, after.auto_merge_enabled) == ("New title", True, True)
    assert after.head_sha != before.head_sha
    assert after.auto_merge_enabled_at == known.last.started_at
    kept = (
        "updated_at",
        "processing_state",
        "processed_date",
        "idle_retry_count",
        "delivery_id",
        "date",
        "created_at",
    )
    assert [getattr(after, name) for name in kept] == [getattr(before, name) for name in kept]
    assert lines(after)[-1] == (
        "PROCESSED",
        "PROCESSED",
        "refreshed from GitHub: title, head sha, draft, auto merge enabled",
    )


@pytest.mark.parametrize("merged", [False, True])
def test_b3_23_one_that_is_no_longer_open_is_re_requested_and_never_closed(known, merged):
    age(models.PullRequest, idle_retry_count=3, claim_token=str(uuid.uuid4()), processing_attempts=2)
    known.github.changes.close_pull_request(FIRST_REPOSITORY, 1, merged=merged)
    run = known.run(REPOSITORIES)
    row = pull()
    assert (row.state, row.merged, row.processing_state, row.idle_retry_count) == (
        "OPEN",
        False,
        "RE_REQUESTED",
        0,
    )
    assert (row.updated_at, row.processing_attempts, row.claim_token) == (run.started_at, 0, None)
    assert lines(row)[-1] == ("PROCESSED", "RE_REQUESTED", "GitHub no longer lists it as open")
    assert pull(2).processing_state == "PROCESSED"
    assert pull(2).idle_retry_count == 3


def test_one_that_is_open_again_is_re_requested_and_never_reopened(known):
    age(models.PullRequest, state="CLOSED", idle_retry_count=3)
    run = known.run(REPOSITORIES)
    assert run.counters["re_requested"] == 2
    assert {(row.state, row.processing_state, row.idle_retry_count) for row in rows(models.PullRequest)} == {
        ("CLOSED", "RE_REQUESTED", 0)
    }


def test_one_that_is_being_processed_goes_back_so_that_finalize_cannot_swallow_it(known):
    models.PullRequest.objects.update(processing_state="PROCESSING", updated_at=F("updated_at"))
    known.github.changes.close_pull_request(FIRST_REPOSITORY, 1)
    known.run(REPOSITORIES)
    assert [row.processing_state for row in rows(models.PullRequest)] == ["RE_REQUESTED", "PROCESSING"]


def test_rows_of_outside_writers_get_their_repository(known):
    age(models.PullRequest, repository_id=None, github_updated_at=None)
    age(models.Issue, repository_id=None)
    run = known.run(REPOSITORIES)
    assert run.counters["updated"] == 3
    assert {row.repository_id for row in (*rows(models.PullRequest), *rows(models.Issue))} == {
        FIRST_REPOSITORY
    }


def test_text_that_no_column_holds_is_cut_as_an_event_would_cut_it(known):
    odd = "NUL \0, RTL \u202e, " + "🎉" * 40_000
    for number in (1, 2):
        known.github.changes.edit_pull_request(FIRST_REPOSITORY, number, title=odd, head_ref="ref" * 300)
    known.github.hook.flush()
    as_events_write_it = {name: getattr(pull(2), name) for name in ("title", "ref")}
    age(models.PullRequest, title="", ref="")
    known.clock.shift(hours=1)
    known.run(REPOSITORIES)
    assert {name: getattr(pull(2), name) for name in ("title", "ref")} == as_events_write_it
    before = dump()
    assert known.run(REPOSITORIES).counters["updated"] == 0
    assert dump() == before


# --- issues and branches ----------------------------------------------------------------------------------------------
def test_issues_are_refreshed_and_re_requested_alike(known):
    changes, before = known.github.changes, models.Issue.objects.get()
    made = changes.open_issue(FIRST_REPOSITORY, "A missed one")
    changes.close_issue(FIRST_REPOSITORY, before.number)
    run = known.run(REPOSITORIES)
    assert (run.counters["added"], run.counters["re_requested"]) == (1, 1)
    closed, new = rows(models.Issue)
    assert (closed.state, closed.processing_state, closed.updated_at) == (
        "OPEN",
        "RE_REQUESTED",
        run.started_at,
    )
    assert (new.node_id, new.title, new.processing_state, new.hook_id) == (
        made.node_id,
        "A missed one",
        "NEW",
        0,
    )


def test_b3_25_a_vanished_branch_gets_the_write_of_the_delete_event(known):
    changes = known.github.changes
    for name in ("branch/0001", "branch/0002"):
        changes.delete_branch(FIRST_REPOSITORY, name)
    run = known.run(REPOSITORIES)
    assert run.counters["removed"] == 2
    by_sync = models.Branch.objects.get(ref="branch/0001")
    assert (by_sync.event, by_sync.processing_state, by_sync.updated_at) == (
        "delete",
        "UPDATED",
        run.started_at,
    )
    known.github.hook.flush()
    by_event = models.Branch.objects.get(ref="branch/0002")
    assert (by_event.event, by_event.processing_state) == ("delete", "UPDATED")


def test_a_branch_that_is_back_gets_the_write_of_the_create_event(known):
    age(models.Branch, event="delete")
    run = known.run(REPOSITORIES)
    assert run.counters["updated"] == 5
    assert {(row.event, row.processing_state) for row in rows(models.Branch)} == {("create", "UPDATED")}


def test_all_rows_of_a_vanished_branch_say_so(known):
    place = {"repository_owner": "account-1", "repository_name": "repository-1"}
    models.Branch.objects.create(delivery_id=uuid.uuid4(), ref="branch/0001", ref_type="branch", **place)
    models.Branch.objects.create(delivery_id=uuid.uuid4(), ref="branch/0001", ref_type="tag", **place)
    known.clock.shift(minutes=1)
    known.github.changes.delete_branch(FIRST_REPOSITORY, "branch/0001")
    known.run(REPOSITORIES)
    found = (
        models.Branch.objects.filter(ref="branch/0001").order_by("ref_type").values_list("ref_type", "event")
    )
    assert list(found) == [("branch", "delete"), ("branch", "delete"), ("tag", "create")]


def test_nothing_is_taken_for_gone_when_github_says_otherwise(known):
    """A listing that comes back empty twice may be a lost one: what is there by its own address is there."""
    before = dump()
    for listing in ("pulls", "issues", "branches"):
        injected = known.github.inject(
            f"/repositories/{FIRST_REPOSITORY}/{listing}", "body", text="[]", times=None
        )
        known.run(REPOSITORIES, expected=None)
        assert dump() == before
        known.github.service.faults.remove(injected)
    known.github.inject("/app/installations", "body", text="[]", times=None)
    run = known.run(INSTALLATIONS)
    assert (run.counters["removed"], run.counters["contradicted"]) == (0, 1)


# --- bells ------------------------------------------------------------------------------------------------------------
def test_the_bot_is_woken_once_there_is_something_to_do(known, monkeypatch):
    rung: list[str] = []
    monkeypatch.setattr("core.bell.ring", rung.append)
    known.run(REPOSITORIES)
    assert rung == []
    known.github.changes.edit_pull_request(FIRST_REPOSITORY, 1, title="Facts only")
    known.run(REPOSITORIES)
    assert rung == []
    known.github.changes.close_pull_request(FIRST_REPOSITORY, 1)
    known.run(REPOSITORIES)
    assert rung == ["bot"]


def test_a_row_without_an_event_has_a_guid_of_its_own(pair):
    pair.sync_everything()
    guids = [
        row.delivery_id
        for model in (models.Installation, models.Repository, models.Branch, models.Issue)
        for row in rows(model)
    ]
    assert len(set(guids)) == len(guids)
    assert all(isinstance(guid, uuid.UUID) for guid in guids)
