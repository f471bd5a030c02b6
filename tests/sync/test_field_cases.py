"""Field cases F10, F12, F19 and F26 through the passes (F18, F20 and F23 have files of their own)."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.db import OperationalError

from core.models import PassRun, PassState
from core.passes import Verdict, find_pass, run_pass
from githubapi.client import InstallationClient
from sandbox.server import worlds
from sandbox.server.worlds import FIRST_INSTALLATION, FIRST_REPOSITORY
from sync import selectors
from sync.services import installations
from tests.sync.github import INSTALLATIONS, REPOSITORIES, dump, rows
from tests.sync.stories import work_pending
from webhooks import models

pytestmark = pytest.mark.django_db
PULLS = f"/repositories/{FIRST_REPOSITORY}/pulls"


# --- F10: rate limits -------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    "kind, details, least, most",
    [
        pytest.param("secondary_limit", {}, 60, 61, id="a secondary, nothing in the headers"),
        pytest.param("status", {"status": 429}, 60, 61, id="b 429 without Retry-After"),
        pytest.param(
            "primary_limit", {"seconds": 55 * 60}, 55 * 60, 55 * 60 + 2, id="c primary, reset in 55 minutes"
        ),
    ],
)
def test_f10_a_limit_keeps_us_away_from_that_installation_only(pair_with, kind, details, least, most):
    pair = pair_with(installations=2, repositories=2, pull_requests=2)
    pair.run(INSTALLATIONS)
    pair.github.inject(PULLS, kind, times=None, **details)
    run = pair.run(REPOSITORIES)
    assert (run.outcome, run.counters["throttled"], run.counters["added"]) == ("succeeded", 1, 0)
    # Given up at once: no worker sleeps a limit out, and no lock is held meanwhile.
    assert len(pair.github.requests(PULLS)) == 1
    assert not PassState.objects.exclude(lock_token=None).exists()
    first, second = rows(models.Installation)
    assert least <= (first.throttled_until - run.started_at).total_seconds() <= most
    assert second.throttled_until is None
    assert {row.installation_id for row in selectors.active_repositories()} == {second.installation_id}
    pair.clock.move_to(first.throttled_until)
    assert {row.installation_id for row in selectors.active_repositories()} == {
        first.installation_id,
        second.installation_id,
    }


def test_f10_a_refusal_is_no_limit(pair):
    pair.run(INSTALLATIONS)
    pair.github.inject(PULLS, "status", status=403, message="Resource not accessible by integration")
    run = pair.run(REPOSITORIES, expected=Verdict.FAILED)
    assert (run.outcome, run.counters["failed"], run.counters.get("throttled")) == ("failed", 1, None)
    assert run.error.startswith("account-1/repository-1 was not synced (forbidden): ")
    assert "Traceback" not in run.error
    assert rows(models.Installation)[0].throttled_until is None


# --- F12: incomplete reads (b, about searches, belongs to merging) ----------------------------------------------------
def test_f12_a_listing_that_breaks_off_takes_nothing_away_and_is_made_up_for(pair_with):
    pair = pair_with(page_size=10, installations=2, repositories=25)
    pair.run(INSTALLATIONS)
    pair.clock.shift(days=100)
    before = dump()
    pair.github.inject("/installation/repositories", "status", status=502, page=2, times=3)
    run = pair.run(INSTALLATIONS)
    assert (dump(), run.counters["failed"], run.counters["removed"]) == (before, 1, 0)
    listed = [row.last_sync_date == run.started_at for row in rows(models.Installation)]
    assert listed == [False, True]
    pair.clock.shift(days=31)
    assert pair.run(INSTALLATIONS).counters["failed"] == 0
    assert [row.last_sync_date == pair.last.started_at for row in rows(models.Installation)] == [True, False]


# --- F19: final states ------------------------------------------------------------------------------------------------
def test_f19_the_second_of_three_installations_is_suspended(pair_with, settings):
    pair = pair_with(installations=3, repositories=1, pull_requests=1)
    pair.sync_everything()
    work_pending(pair)
    pair.clock.shift(days=100)
    pair.github.changes.suspend(FIRST_INSTALLATION + 1)
    pair.clock.shift(hours=1)
    pair.sync_everything()
    statuses = [(row.status, row.suspended_date is not None) for row in rows(models.Installation)]
    assert statuses == [("1", False), ("0", True), ("1", False)]
    assert {row.installation_id for row in selectors.active_repositories()} == {
        FIRST_INSTALLATION,
        FIRST_INSTALLATION + 2,
    }
    pair.connect(settings)
    pair.github.changes.unsuspend(FIRST_INSTALLATION + 1)
    assert {row.status for row in rows(models.Installation)} == {"1"}
    assert selectors.active_repositories().count() == 3


def test_f08_an_installation_that_kills_the_monthly_pass_is_left_out_after_three_runs(pair_with, monkeypatch):
    pair = pair_with(installations=3, repositories=1)
    write = installations.write_repositories
    victim = FIRST_INSTALLATION + 1

    def die(run, changes):
        if pair.github.requests("/app/installations/.*/access_tokens")[-1].path.split("/")[3] == str(victim):
            (record,) = PassRun.objects.filter(outcome="running")
            assert record.counters["begun_installation"] == rows(models.Installation)[1].pk, (
                "written before the work"
            )
            raise SystemExit
        return write(run, changes)

    monkeypatch.setattr(installations, "write_repositories", die)
    for _ in range(installations.MOST_TRIES):
        with pytest.raises(SystemExit):
            pair.run(INSTALLATIONS)
        # What the next holder of the lock makes of a process that was killed.
        PassRun.objects.filter(outcome="failed").update(outcome="lost")
        assert [row.last_sync_date is None for row in rows(models.Installation)] == [False, True, True]
        pair.clock.shift(hours=1)
    run = pair.run(INSTALLATIONS)
    assert (run.outcome, run.counters["failed"]) == ("succeeded", 1)
    assert [row.last_sync_date is None for row in rows(models.Installation)] == [False, True, False]


def test_f19_a_fault_of_ours_at_one_installation_stops_no_other(pair_with, monkeypatch, caplog):
    pair = pair_with(installations=3, repositories=1)
    write = installations.write_repositories

    def once(run, changes):
        if len(pair.github.requests("/installation/repositories")) == 2:
            raise ZeroDivisionError
        return write(run, changes)

    monkeypatch.setattr(installations, "write_repositories", once)
    run = pair.run(INSTALLATIONS)
    assert (run.outcome, run.counters["failed"]) == ("succeeded", 1)
    assert [row.last_sync_date is None for row in rows(models.Installation)] == [False, True, False]
    assert "ZeroDivisionError" in caplog.text


def test_f19_the_hourly_pass_notes_a_suspension_too(pair):
    pair.run(INSTALLATIONS)
    work_pending(pair)
    pair.github.changes.suspend(FIRST_INSTALLATION)
    pair.clock.shift(hours=1)
    run = pair.run(REPOSITORIES)
    assert (run.outcome, run.counters["suspended"]) == ("succeeded", 1)
    (row,) = rows(models.Installation)
    assert (row.status, row.suspended_date, row.processing_state) == ("0", run.started_at, "UPDATED")
    assert run_pass(find_pass(REPOSITORIES)).verdict is Verdict.NOT_DUE


def test_f19_an_unsuspend_event_of_meanwhile_wins(pair, settings, monkeypatch):
    pair.run(INSTALLATIONS)
    pair.connect(settings)
    pair.github.hook.held = True
    pair.github.changes.suspend(FIRST_INSTALLATION)
    pair.clock.shift(hours=1)
    ask = InstallationClient.repository

    def ask_and_wait(*arguments):
        try:
            return ask(*arguments)
        finally:
            pair.github.changes.unsuspend(FIRST_INSTALLATION)
            pair.github.hook.flush()

    monkeypatch.setattr(InstallationClient, "repository", ask_and_wait)
    pair.run(REPOSITORIES)
    assert rows(models.Installation)[0].status == "1"


@pytest.mark.parametrize("status", [404, 410])
def test_f19_a_repository_that_is_gone_gets_a_row_that_says_so(pair, status):
    pair.sync_everything()
    pair.clock.shift(hours=1)
    pair.github.inject(f"/repositories/{FIRST_REPOSITORY}", "status", status=status)
    before = dump()
    run = pair.run(REPOSITORIES)
    assert (run.outcome, run.counters["removed"]) == ("succeeded", 1)
    first, last = rows(models.Repository)
    assert (last.last_action, last.installation_action, last.github_id) == (
        "deleted",
        "removed",
        first.github_id,
    )
    assert (last.full_name, last.installation_id, last.hook_id) == (first.full_name, first.installation_id, 0)
    # History is kept: no pull request, issue or branch is touched.
    assert {name: table for name, table in dump().items() if name != "github_repositories"} == {
        name: table for name, table in before.items() if name != "github_repositories"
    }
    assert not selectors.active_repositories().exists()


def test_f19_disabled_issues_are_no_gone_repository(pair):
    pair.sync_everything()
    work_pending(pair)
    pair.clock.shift(hours=1)
    pair.github.changes.switch_issues(FIRST_REPOSITORY, on=False)
    pair.github.changes.open_pull_request(FIRST_REPOSITORY, "Synced all the same")
    run = pair.run(REPOSITORIES)
    assert (run.outcome, run.counters["issues_disabled"], run.counters["added"]) == ("succeeded", 1, 2)
    assert [row.processing_state for row in rows(models.Issue)] == ["PROCESSED"]


def test_f19_a_deleted_issue_is_re_requested_like_any_that_is_no_longer_listed(pair):
    pair.sync_everything()
    work_pending(pair)
    pair.clock.shift(hours=1)
    pair.github.changes.delete_issue(FIRST_REPOSITORY, 3)
    pair.run(REPOSITORIES)
    assert [(row.state, row.processing_state) for row in rows(models.Issue)] == [("OPEN", "RE_REQUESTED")]


def test_f19_a_redirect_to_the_repository_itself_is_followed_and_its_name_updated(pair):
    pair.sync_everything()
    pair.clock.shift(hours=1)
    pair.github.changes.rename_repository(FIRST_REPOSITORY, "lamps")
    path = f"{pair.github.url}/repos/account-1/lamps"
    pair.github.inject(f"/repositories/{FIRST_REPOSITORY}", "redirect", location=path)
    assert pair.run(REPOSITORIES).counters["updated"] == 1
    assert {row.repository_name for row in rows(models.PullRequest)} == {"lamps"}
    assert models.Repository.objects.get().full_name == "account-1/lamps"


def test_f19_another_repository_in_its_place_is_not_taken_for_it(pair_with):
    pair = pair_with(repositories=2, pull_requests=1)
    pair.sync_everything()
    pair.clock.shift(hours=1)
    other = f"{pair.github.url}/repositories/{FIRST_REPOSITORY + 1}"
    pair.github.inject(f"/repositories/{FIRST_REPOSITORY}", "redirect", location=other)
    assert pair.run(REPOSITORIES).counters["removed"] == 1
    assert [row.name for row in selectors.active_repositories()] == ["repository-2"]
    assert {row.repository_id for row in rows(models.PullRequest)} == {FIRST_REPOSITORY, FIRST_REPOSITORY + 1}


def test_f19_an_installation_that_is_gone_says_nothing_about_its_repositories(pair):
    pair.sync_everything()
    pair.clock.shift(hours=1)
    pair.github.changes.uninstall(FIRST_INSTALLATION)
    before = dump()
    run = pair.run(REPOSITORIES, expected=Verdict.FAILED)
    assert "(no_installation)" in run.error
    assert dump() == before


# --- F26: missed deliveries -------------------------------------------------------------------------------------------
def test_f26_the_hourly_pass_finds_what_was_closed_and_never_takes_newer_rows_back(pair, settings):
    pair.sync_everything()
    work_pending(pair)
    pair.github.changes.close_pull_request(FIRST_REPOSITORY, 1)
    pair.connect(settings)
    pair.clock.shift(hours=1)
    pair.github.changes.close_pull_request(FIRST_REPOSITORY, 2, merged=True)
    pair.run(REPOSITORIES)
    states = {row.number: (row.state, row.merged, row.processing_state) for row in rows(models.PullRequest)}
    assert states == {1: ("OPEN", False, "RE_REQUESTED"), 2: ("CLOSED", True, "UPDATED")}
    work_pending(pair)
    pair.clock.shift(hours=1)
    # A listing that lags behind: GitHub still shows as open what our row knows to be closed since.
    old = worlds.regular(pull_requests=2).things[FIRST_REPOSITORY]
    pair.state.things[FIRST_REPOSITORY].update({number: old[number] for number in (1, 2)})
    models.PullRequest.objects.filter(number=1).update(
        github_updated_at=pair.clock.now - timedelta(hours=1), updated_at=pair.clock.now - timedelta(hours=1)
    )
    assert pair.run(REPOSITORIES).counters["re_requested"] == 0
    assert {row.state for row in rows(models.PullRequest)} == {"CLOSED"}


def test_f26_a_delivery_that_finds_the_database_down_is_answered_503_and_comes_again(
    pair, settings, monkeypatch
):
    def away(_):
        raise OperationalError(2006, "Server has gone away")

    receiving = pair.connect(settings)
    with monkeypatch.context() as down:
        down.setattr("webhooks.services.receiving._deliver_patiently", away)
        pair.github.changes.open_pull_request(FIRST_REPOSITORY, "Database down")
    assert [attempt.status_code for attempt in pair.github.hook.attempts.values()] == [503]
    assert receiving.answers is None
    pair.github.hook.held = True
    pair.clock.shift(minutes=5)
    pair.run("redeliver")
    pair.github.hook.flush()
    assert [row.title for row in rows(models.PullRequest)] == ["Database down"]
