"""What a person on duty does, in a real browser."""

from __future__ import annotations

import re

import pytest
from django_q.models import OrmQ
from playwright.sync_api import expect

from core.models import Setting
from core.run_now import forced_run
from tests import factories
from tests.browser.conftest import HOSTILE, PASSWORD
from webhooks.models import Delivery, PullRequest
from workqueue.models import WorkItem

pytestmark = pytest.mark.browser

PAGES = (
    "/",
    "/trends/",
    "/processing/",
    "/processing/pull_requests/?state=NEW",
    "/processing/failed/?table=issues",
    "/idle/",
    "/idle/next/",
    "/pull-requests/",
    "/pull-requests/octo/tools/7/",
    "/repositories/",
    "/installations/",
    "/deliveries/",
    "/passes/",
    "/merges/",
    "/merges/verdicts/",
    "/bulk/",
    "/bulk/new/re-request/?table=pull_requests&state=PROCESSED",
    "/actions/",
    "/work-items/",
)


def pages():
    """Every page, those of single rows too."""
    return (
        *PAGES,
        f"/work-items/{WorkItem.objects.get().pk}/",
        f"/deliveries/{Delivery.objects.get().pk}/",
    )


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
    duty.log_out()
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
    expect(page.locator("[data-live-age]")).to_contain_text(re.compile(r"Updated 3\d s ago"))
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
    for path in pages():
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


def run_queued():
    """Do what the worker would do with the queue's only message."""
    message = OrmQ.objects.get()
    args = message.task["args"]
    message.delete()
    return forced_run(*args)


def test_a_pass_is_run_and_the_row_moves_before_ones_eyes(duty):
    page = duty.page
    duty.open("/idle/?status=DUE")
    expect(page.locator("tbody tr")).to_have_count(2)
    duty.open("/passes/")
    page.get_by_role("button", name="Run idle now").click()
    expect(page.locator(".messages")).to_contain_text("The pass idle runs now")
    assert "retried 1" in run_queued()
    page.get_by_role("link", name="idle", exact=True).click()
    expect(page.locator("main")).to_contain_text("ada")
    duty.open("/idle/?status=DUE")
    expect(page.locator("tbody tr")).to_have_count(1)
    page.get_by_role("link", name="Overview").click()
    expect(page.locator("#tile-IDLE strong")).to_have_text("1")


def test_charts_are_drawn_and_their_numbers_are_one_click_away(duty):
    page = duty.page
    duty.open("/")
    chart = page.locator("#chart-deliveries")
    expect(chart.locator("canvas")).to_be_visible()
    expect(page.locator("#next-up")).to_contain_text("gets its retry 1 of 10")
    chart.get_by_text("as a table").click()
    expect(chart.locator("tbody tr")).to_have_count(24)
    expect(chart.locator("tbody")).to_contain_text("1")


def test_all_that_fit_are_touched_after_their_list_was_shown(duty):
    page = duty.page
    duty.open("/processing/pull_requests/?state=PROCESSED&repository=octo/tools")
    page.get_by_role("link", name="Re-request all that fit").click()
    expect(page.locator("#next-head")).to_have_text("4 rows will be touched")
    expect(page.locator(".preview li")).to_have_count(4)
    page.get_by_role("button", name="Re-request rows: 4").click()
    expect(page.locator(".messages")).to_contain_text("Started: re-request rows, 4 rows.")
    assert "rows 4" in run_queued()
    duty.open("/bulk/")
    expect(page.locator("tbody tr").first).to_contain_text("4 of 4")
    assert PullRequest.objects.filter(processing_state="RE_REQUESTED").count() == 4
    duty.open("/actions/")
    expect(page.locator("tbody tr").first).to_contain_text("started: re-request rows, 4 rows")


def test_a_list_comes_along_as_a_file(duty):
    duty.open("/deliveries/")
    with duty.page.expect_download() as download:
        duty.page.get_by_role("link", name="CSV file").click()
    assert download.value.suggested_filename.startswith("deliveries-")
    assert download.value.path().read_text().splitlines()[0].startswith("Received,Event,Status")


def test_times_are_in_the_viewers_own_zone_on_hover(duty, browser):
    context = browser.new_context(timezone_id="Asia/Tokyo", storage_state=duty.page.context.storage_state())
    page = context.new_page()
    page.goto(f"{duty.site}/idle/")
    title = page.locator("tbody time").first.get_attribute("title")
    assert "GMT+9" in title
    assert title.endswith(" UTC)")
    context.close()


def press(page, key, until):
    """Press a key until an element has the focus."""
    for _ in range(60):
        page.keyboard.press(key)
        if until.evaluate("element => element === document.activeElement"):
            return
    raise AssertionError(f"{key} does not reach it")


def test_everything_from_the_login_to_an_act_is_done_by_keyboard(duty):
    page = duty.page
    # Answers to what the overview still asks for would bring its cookies back.
    page.wait_for_load_state("networkidle")
    page.context.clear_cookies()
    duty.open("/login/")
    press(page, "Tab", page.get_by_label("Username"))
    page.keyboard.type("ada")
    page.keyboard.press("Tab")
    page.keyboard.type(PASSWORD)
    page.keyboard.press("Enter")
    expect(page.locator("h1")).to_have_text("Overview")
    press(page, "Tab", page.get_by_role("link", name="Idle", exact=True))
    page.keyboard.press("Enter")
    expect(page.locator("h1")).to_have_text("Idle Pull Requests")
    press(page, "Tab", page.get_by_label("Idle statuses").get_by_role("link", name="GAVE_UP"))
    page.keyboard.press("Enter")
    expect(page.locator("tbody tr")).to_have_count(1)
    press(page, "Tab", page.get_by_role("link", name="Reset the Idle Retries"))
    page.keyboard.press("Enter")
    press(page, "Tab", page.get_by_role("button", name="Reset Idle Retries: 1"))
    page.keyboard.press("Enter")
    expect(page.locator(".messages")).to_contain_text("Started: reset idle retries, 1 row.")
