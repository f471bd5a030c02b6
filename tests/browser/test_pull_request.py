"""The page of one pull request in a real browser: somebody asks at night why nothing moves, and acts."""

from __future__ import annotations

from datetime import timedelta

import pytest
from playwright.sync_api import expect

from core import clock, heartbeat
from core.registry import add_missing_rows
from tests import factories
from tests.browser.conftest import HOSTILE, make_person
from webhooks.models import PullRequest
from webhooks.services import history
from webhooks.values import Cause, HistoryKind

pytestmark = pytest.mark.browser

PAGE = "/pull-requests/octo/tools/7/"


@pytest.fixture
def row(tab, settings):
    """One pull request that was given up on, with a hostile and very long life, and an operator and a viewer."""
    settings.GITHUB_APP_ID, settings.GITHUB_APP_PRIVATE_KEY = "200100", "a key"
    # The flush after each of these tests takes the rows of known Settings and roles along.
    add_missing_rows()
    heartbeat.beat(heartbeat.WORKER)
    old = clock.now() - timedelta(days=60)
    made = factories.PullRequestFactory(
        number=7,
        title=HOSTILE + "W" * 2_000,
        ref=HOSTILE,
        idle_retry_count=10,
        updated_at=old,
        created_at=old,
    )
    for number in range(60):
        reason = f"{HOSTILE} line {number} {'W' * 500}"
        history.append(
            made.pk, HistoryKind.ECHO, ("PROCESSED",) * 2, reason=reason, cause=Cause(actor=HOSTILE)
        )
    return made


@pytest.fixture
def operator(tab, row):
    make_person("olga", "operator")
    tab.log_in("olga")
    return tab


def test_from_the_search_to_the_reason_and_from_the_reason_to_the_act(operator, row):
    page = operator.page
    page.get_by_role("textbox", name="Pull request").fill("octo/tools#7")
    page.get_by_role("button", name="Find").click()
    expect(page.locator("h1")).to_have_text("octo/tools#7")
    expect(page.locator(".verdict")).to_contain_text("all 10 Idle Retries are used up")
    expect(page.locator(".next")).to_contain_text("Nothing by itself.")
    expect(page.locator(".reasons .failed")).to_contain_text("It had 10 of 10 Idle Retries.")
    page.get_by_role("button", name="Reset its Idle Retries").click()
    expect(page.locator(".messages")).to_contain_text("counted from 0 again, after 10")
    expect(page.locator(".verdict")).to_contain_text("is due for Idle Retry 1 of 10 and next up")
    page.get_by_role("button", name="Re-request").click()
    expect(page.locator(".verdict")).to_contain_text("re-requested by olga")
    expect(page.locator(".timeline li").first).to_contain_text("by olga")
    assert PullRequest.objects.get(pk=row.pk).processing_state == "RE_REQUESTED"


def test_the_timeline_goes_on_on_older_pages(operator, row):
    page = operator.page
    operator.open(PAGE)
    expect(page.locator(".timeline li")).to_have_count(50)
    page.get_by_role("link", name="Next page").click()
    # Ten more, and the word that its beginning is not told.
    expect(page.locator(".timeline li")).to_have_count(11)
    expect(page.locator(".timeline li").last).to_contain_text("What happened before is not in the history")


def test_the_page_tells_by_itself_what_has_changed(operator, row):
    page = operator.page
    page.clock.install()
    operator.open(PAGE)
    expect(page.locator(".verdict")).to_contain_text("gave up")
    PullRequest.objects.filter(pk=row.pk).update(idle_retry_count=0, updated_at=row.updated_at)
    page.clock.fast_forward(31_000)
    expect(page.locator(".verdict")).to_contain_text("is due for Idle Retry 1 of 10")


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_text_makes_the_page_wider_than_the_window(operator, row, width, scheme):
    operator.page.set_viewport_size({"width": width, "height": 900})
    operator.page.emulate_media(color_scheme=scheme)
    for path in (PAGE, "/pull-requests/?q=nonsense"):
        operator.open(path)
        assert operator.page.evaluate("document.documentElement.scrollWidth") <= width, path
