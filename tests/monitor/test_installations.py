"""Installations, and the monthly pass."""

from __future__ import annotations

from datetime import timedelta

import pytest

from core.models import Setting
from sync.decisions import months_before
from sync.setting_specs import LAST_RUN
from tests import factories
from webhooks.models import Installation

pytestmark = pytest.mark.django_db


def test_current_rows_by_account_with_their_status(clock, see):
    old = factories.InstallationFactory(account_login="zeta")
    zeta = factories.InstallationFactory(
        account_login="zeta", account_type="Organization", repository_selection="all"
    )
    since = clock.now - timedelta(days=3)
    acme = factories.InstallationFactory(
        installation_id=8, account_login="Acme", status="0", suspended_date=since
    )
    gone = factories.InstallationFactory(installation_id=9, account_login="gone", status="0")
    page = see("/installations/")
    assert page.row_ids() == [acme.pk, gone.pk, zeta.pk]
    assert old.pk not in page.row_ids()
    assert "Acme #8 suspended 3 d ago" in page.text
    assert "gone #9 gone –" in page.text
    assert "zeta #7 active Organization all" in page.text


def test_a_throttled_one_says_until_when(clock, see):
    factories.InstallationFactory(throttled_until=clock.now + timedelta(minutes=20))
    factories.InstallationFactory(installation_id=8, throttled_until=clock.now)
    text = see("/installations/").text
    assert text.count("throttled") == 1
    assert "throttled for another 20 min" in text


def test_the_repositories_it_sees_are_counted_and_a_click_away(see, clock):
    factories.InstallationFactory()
    for key, columns in enumerate(
        ({}, {}, {"last_action": "deleted"}, {"installation_action": "removed"}, {"installation_id": 8}),
        start=1,
    ):
        factories.RepositoryFactory(github_id=key, **columns)
    factories.RepositoryFactory(github_id=1)
    page = see("/installations/")
    assert "2 repositories of this installation" in page.text
    (link,) = [a["href"] for a in page.all("a") if "installation=7" in a["href"]]
    assert len(see(link).row_ids()) == 4


@pytest.mark.parametrize(
    "listed, status, due",
    [
        ("never", "1", True),
        ("long ago", "1", True),
        ("three months ago", "1", False),
        ("never", "0", False),
    ],
)
def test_a_listing_is_due_when_the_next_monthly_pass_makes_one(clock, see, listed, status, due):
    limit = months_before(clock.now, 3)
    date = {"never": None, "long ago": limit - timedelta(seconds=1), "three months ago": limit}[listed]
    factories.InstallationFactory(last_sync_date=date, status=status)
    badges = [
        span
        for span in see("/installations/").all("span")
        if "lists its repositories" in span.get("title", "")
    ]
    assert bool(badges) == due


def test_the_monthly_pass_ran_last_and_runs_next(clock, see, github_app):
    text = see("/installations/").text
    assert "Last completed never" in text
    assert "Next run of the pass sync-installations : at the next tick" in text
    Setting.objects.create(name=LAST_RUN.name, value="2026-03-01T00:05:00Z")
    page = see("/installations/")
    assert "Last completed 3 d ago" in page.text
    assert "2026-04-01 00:00:00 UTC" in {time["title"] for time in page.all("time")}


def test_pages_follow_each_other_each_row_once_f37(see, db):
    rows = Installation.objects.bulk_create(
        factories.InstallationFactory.build(installation_id=n, account_login=f"{'Aa'[n % 2]}ccount{n % 9}")
        for n in range(1, 131)
    )
    path, shown = "/installations/", []
    while path:
        page = see(path)
        shown += page.row_ids()
        path = page.link("next")
    by_account = sorted(rows, key=lambda row: (row.account_login.lower(), row.pk))
    assert shown == [row.pk for row in by_account]


def test_an_empty_list_says_what_will_appear(see, db):
    assert "when somebody installs the App on GitHub" in see("/installations/").text
