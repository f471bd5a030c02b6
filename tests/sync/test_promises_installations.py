"""The promises B3.6 to B3.16, about the installations pass, each by a test of its name."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.db.models import F
from django.test import Client

from core.models import Setting
from core.passes import Verdict, find_pass, run_pass
from sandbox.server.worlds import FIRST_INSTALLATION, FIRST_REPOSITORY
from sync import selectors
from tests.sync.github import INSTALLATIONS, dump, rows
from tests.sync.stories import work_pending
from webhooks import models

pytestmark = pytest.mark.django_db


def test_b3_06_and_07_once_a_month_and_the_setting_is_its_memory(pair):
    name = "gstraccini-bot.sync-installations.last-run"
    assert run_pass(find_pass(INSTALLATIONS)).verdict is Verdict.RAN
    pair.clock.shift(hours=2)
    assert run_pass(find_pass(INSTALLATIONS)).verdict is Verdict.NOT_DUE
    client = Client()
    client.force_login(User.objects.create_superuser("olga", password="x"))
    page = client.get("/admin/core/setting/").content.decode()
    assert name in page
    assert str(Setting.objects.get(name=name).value) in page


def test_b3_08_an_unknown_installation_is_registered_with_its_repositories(pair_with):
    pair = pair_with(installations=2, repositories=3)
    run = pair.run(INSTALLATIONS)
    assert (run.counters["listed"], run.counters["added"]) == (8, 8)
    assert {(row.processing_state, row.hook_id, row.status) for row in rows(models.Installation)} == {
        ("NEW", 0, "1")
    }
    assert {(row.processing_state, row.installation_action) for row in rows(models.Repository)} == {
        ("NEW", "added")
    }


def test_b3_09_a_known_one_is_refreshed_every_time(pair):
    pair.run(INSTALLATIONS)
    before = models.Installation.objects.get()
    models.Installation.objects.update(
        account_login="old", account_type="User", repository_selection="selected", updated_at=F("updated_at")
    )
    run = pair.run(INSTALLATIONS)
    after = models.Installation.objects.get()
    assert (after.account_login, after.account_type, after.repository_selection) == (
        "account-1",
        "Organization",
        "all",
    )
    assert (after.updated_at, after.processing_state) == (before.updated_at, before.processing_state)
    # It was listed this month: its repositories are not listed again.
    assert (run.counters["updated"], run.counters["requests"]) == (1, 1)


def test_b3_10_one_that_is_gone_gets_the_write_of_the_deleted_event(pair_with, settings):
    pair = pair_with(installations=2)
    pair.run(INSTALLATIONS)
    work_pending(pair)
    pair.clock.shift(hours=1)
    pair.github.changes.uninstall(FIRST_INSTALLATION)
    pair.connect(settings)
    assert pair.run(INSTALLATIONS).counters["removed"] == 1
    pair.github.changes.uninstall(FIRST_INSTALLATION + 1)
    same = ("status", "suspended_date", "processing_state", "processing_date", "updated_at", "claim_token")
    by_sync, by_event = ([getattr(row, name) for name in same] for row in rows(models.Installation))
    assert by_sync == by_event == ["0", None, "UPDATED", None, pair.clock.now, None]
    assert not selectors.active_repositories().exists()


def test_b3_11_repositories_are_listed_when_never_or_more_than_three_months_ago(pair):
    def listings() -> int:
        return len(pair.github.requests("/installation/repositories"))

    pair.run(INSTALLATIONS)
    listed = models.Installation.objects.get().last_sync_date
    pair.clock.move_to(listed.replace(month=6))
    pair.run(INSTALLATIONS, force=True)
    assert listings() == 2
    models.Installation.objects.update(last_sync_date=listed.replace(month=6), updated_at=F("updated_at"))
    pair.clock.move_to(listed.replace(month=9) - timedelta(seconds=2))
    pair.run(INSTALLATIONS)
    assert listings() == 2
    models.Installation.objects.update(last_sync_date=None, updated_at=F("updated_at"))
    pair.run(INSTALLATIONS)
    assert listings() == 3


def test_b3_12_a_listing_updates_name_full_name_owner_and_visibility(pair):
    pair.run(INSTALLATIONS)
    right = models.Repository.objects.get()
    wrong = {
        "name": "x",
        "full_name": "y/x",
        "owner_login": "y",
        "owner_id": 1,
        "private": True,
        "archived": True,
    }
    models.Repository.objects.update(**wrong, updated_at=F("updated_at"))
    pair.clock.shift(days=100)
    pair.run(INSTALLATIONS)
    found = models.Repository.objects.get()
    assert [getattr(found, name) for name in wrong] == [getattr(right, name) for name in wrong]


def test_b3_13_and_14_found_ones_are_added_and_lost_ones_get_a_row_that_says_so(pair):
    pair.run(INSTALLATIONS)
    pair.github.changes.remove_repository(FIRST_REPOSITORY)
    made = pair.github.changes.create_repository(FIRST_INSTALLATION, "made")
    pair.clock.shift(days=100)
    run = pair.run(INSTALLATIONS)
    assert (run.counters["added"], run.counters["removed"]) == (1, 1)
    first, *others = rows(models.Repository)
    assert (first.last_action, first.installation_action) == ("created", "added")
    assert {(row.github_id, row.last_action, row.installation_action) for row in others} == {
        (made.id, "created", "added"),
        (FIRST_REPOSITORY, "deleted", "removed"),
    }
    assert {row.installation_action_date for row in others} == {run.started_at}


@pytest.mark.parametrize("message", ["This installation has been suspended", "Bad credentials"])
def test_b3_15_the_date_moves_only_after_a_successful_listing(pair, message):
    status = 403 if "suspended" in message else 401
    pair.github.inject(
        r"/app/installations/\d+/access_tokens", "status", status=status, message=message, times=None
    )
    run = pair.run(INSTALLATIONS)
    assert (run.outcome, run.counters["failed"]) == ("succeeded", 1)
    assert models.Installation.objects.get().last_sync_date is None
    pair.github.heal()
    pair.clock.shift(days=31)
    pair.run(INSTALLATIONS)
    assert models.Installation.objects.get().last_sync_date == pair.last.started_at


def test_b3_16_a_failed_page_aborts_the_pass(pair_with):
    pair = pair_with(page_size=1, installations=3)
    pair.run(INSTALLATIONS)
    before = dump()
    pair.github.inject("/app/installations", "status", status=502, page=3, times=None)
    assert pair.run(INSTALLATIONS, expected=Verdict.FAILED).error.startswith(
        "The installations were not listed"
    )
    assert dump() == before
