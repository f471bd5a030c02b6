"""What a person on duty does, in a real browser."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django_q.models import OrmQ
from playwright.sync_api import expect

from core import clock, heartbeat
from core.models import Setting
from core.registry import add_missing_rows
from tests import factories
from tests.browser.conftest import PASSWORD
from webhooks.models import PullRequest

pytestmark = pytest.mark.browser

HOSTILE = '"><img src=x onerror=alert(1)>'
PAGES = (
    "/",
    "/processing/",
    "/processing/pull_requests/?state=NEW",
    "/idle/",
    "/repositories/",
    "/installations/",
    "/deliveries/",
    "/passes/",
    "/merges/",
    "/merges/verdicts/",
    "/work-items/",
)


def make_accounts(now):
    """Two repositories in line, and one behind an installation that is suspended."""
    done = {"processing_state": "PROCESSED"}
    factories.InstallationFactory(account_login=HOSTILE, throttled_until=now - timedelta(hours=1), **done)
    factories.InstallationFactory(
        installation_id=8, account_login="acme", status="0", suspended_date=now - timedelta(days=3), **done
    )
    factories.RepositoryFactory(owner_login="a" * 250, name="b" * 250, private=True, archived=True, **done)
    factories.RepositoryFactory(github_id=5, name=HOSTILE, last_sync_date=now - timedelta(minutes=20), **done)
    factories.RepositoryFactory(github_id=6, owner_login="acme", name="ledger", installation_id=8, **done)


@pytest.fixture
def duty(tab):
    """A superuser, logged in, on an installation with two DUE, one GAVE_UP, one NEW."""
    # The flush after each of these tests takes the rows of known Settings along.
    add_missing_rows()
    User.objects.create_superuser("ada", password=PASSWORD)
    now = clock.now()
    for days, retries, state in (
        (5, 0, "PROCESSED"),
        (9, 0, "PROCESSED"),
        (60, 10, "PROCESSED"),
        (0, 0, "NEW"),
    ):
        factories.PullRequestFactory(
            title=HOSTILE,
            processing_state=state,
            idle_retry_count=retries,
            updated_at=now - timedelta(days=days),
        )
    factories.IssueFactory(title="W" * 4_000)
    factories.DeliveryFactory(repository_owner="a" * 250, repository_name="b" * 250)
    make_accounts(now)
    heartbeat.beat(heartbeat.WORKER)
    tab.log_in("ada")
    return tab


def test_a_person_logs_in_reads_the_counts_and_filters_the_idle_list(duty):
    page = duty.page
    expect(page.locator("h1")).to_have_text("Overview")
    expect(page.locator("#tile-DUE strong")).to_have_text("2")
    expect(page.locator("#tile-GAVE_UP strong")).to_have_text("1")
    page.locator("#tile-DUE").click()
    expect(page.locator("tbody tr")).to_have_count(2)
    page.get_by_role("link", name="GAVE_UP").click()
    expect(page.locator("tbody tr")).to_have_count(1)
    expect(page.locator("tbody")).to_contain_text(HOSTILE)
    page.get_by_label("Repository").fill("octo/other")
    page.get_by_role("button", name="Filter").click()
    expect(page.locator(".empty")).to_contain_text("No Idle Pull Request fits")
    page.get_by_role("button", name="Log out").click()
    expect(page.locator("h1")).to_have_text("Log in")


def test_a_cell_of_the_matrix_opens_its_rows(duty):
    duty.open("/processing/")
    duty.page.get_by_role("link", name="1 NEW in pull_requests").click()
    expect(duty.page.locator("tbody tr")).to_have_count(1)
    expect(duty.page.locator("tbody")).to_contain_text(HOSTILE)


def test_the_line_of_the_hourly_sync_and_the_installations_behind_it(duty, settings):
    settings.GITHUB_APP_ID, settings.GITHUB_APP_PRIVATE_KEY = "200100", "a key"
    page = duty.page
    page.get_by_role("link", name="Repositories", exact=True).click()
    expect(page.locator("h1")).to_have_text("Repositories")
    expect(page.locator(".next")).to_contain_text("2 in line")
    expect(page.locator("tbody tr").first).to_contain_text("never synced")
    expect(page.locator("tbody tr").nth(1)).to_contain_text(HOSTILE)
    page.get_by_label("Repository statuses").get_by_role("link", name="out of reach").click()
    expect(page.locator("tbody tr")).to_have_count(1)
    expect(page.locator("tbody")).to_contain_text("its installation was suspended 3 d ago")
    page.get_by_role("link", name="acme", exact=True).click()
    expect(page.locator("h1")).to_have_text("Installations")
    expect(page.locator("tbody tr")).to_have_count(2)
    page.get_by_role("link", name="1 repositories of this installation").click()
    expect(page.locator("tbody")).to_contain_text("acme/ledger")
    page.get_by_label("Part of the name").fill("nothing")
    page.get_by_role("button", name="Filter").click()
    expect(page.locator(".empty")).to_contain_text("No repository fits")


def test_the_overview_refreshes_by_itself_and_can_be_paused(duty):
    page = duty.page
    # A moment of the page's clock instead of ten seconds of ours.
    page.clock.install()
    duty.open("/")
    expect(page.locator("[data-live-age]")).to_have_text("Updated 0 s ago.")
    expect(page.locator("#tile-NEW strong")).to_have_text("2")
    PullRequest.objects.bulk_create([factories.PullRequestFactory.build(processing_state="NEW")])
    page.clock.fast_forward(11_000)
    expect(page.locator("#tile-NEW strong")).to_have_text("3")
    page.get_by_role("button", name="Pause").click()
    PullRequest.objects.bulk_create([factories.PullRequestFactory.build(processing_state="NEW")])
    page.clock.fast_forward(30_000)
    expect(page.locator("[data-live-age]")).to_have_text("Updated 30 s ago.")
    expect(page.locator("#tile-NEW strong")).to_have_text("3")
    page.get_by_role("button", name="Resume").click()
    page.clock.fast_forward(11_000)
    expect(page.locator("#tile-NEW strong")).to_have_text("4")


def test_a_session_that_ended_shows_the_login_page_and_not_a_hole(duty):
    page = duty.page
    page.clock.install()
    duty.open("/")
    page.context.clear_cookies()
    page.clock.fast_forward(11_000)
    expect(page.locator("h1")).to_have_text("Log in")


def test_run_now_is_passed_on_and_said(duty):
    duty.open("/passes/")
    duty.page.get_by_role("button", name="Run idle now").click()
    expect(duty.page.locator(".messages")).to_contain_text("The pass idle runs now")
    assert OrmQ.objects.get().task["args"] == ("idle", "ada")


def test_a_setting_is_edited_and_a_bad_value_refused(duty):
    page = duty.page
    duty.open(f"/admin/core/setting/{Setting.objects.get(name='idle.interval-minutes').pk}/change/")
    page.get_by_label("Value").fill("often")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.locator(".errorlist").first).to_contain_text("takes a whole number")
    page.get_by_label("Value").fill("15")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.locator(".messagelist")).to_contain_text("changed successfully")


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_page_is_wider_than_the_window_whatever_the_titles(duty, width, scheme):
    duty.page.set_viewport_size({"width": width, "height": 900})
    duty.page.emulate_media(color_scheme=scheme)
    for path in PAGES:
        duty.open(path)
        assert duty.page.evaluate("document.documentElement.scrollWidth") <= width, path


def test_the_keyboard_reaches_the_content_and_focus_is_visible(duty):
    page = duty.page
    duty.open("/idle/")
    page.keyboard.press("Tab")
    expect(page.locator(".skip")).to_be_focused()
    expect(page.locator(".skip")).to_be_in_viewport()
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.closest('main') !== null")
    assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"


def test_pages_work_without_javascript(duty, browser):
    context = browser.new_context(java_script_enabled=False, storage_state=duty.page.context.storage_state())
    page = context.new_page()
    page.goto(f"{duty.site}/")
    expect(page.locator("#tile-DUE strong")).to_have_text("2")
    expect(page.get_by_role("button", name="Pause")).to_be_hidden()
    page.get_by_role("link", name="Refresh").click()
    expect(page.locator("h1")).to_have_text("Overview")
    context.close()
