"""Every page held to axe, and run under the policy that allows nothing inline: the tab itself complains if it must."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from core.models import Setting
from tests import npm
from tests.browser.test_dashboards import pages

pytestmark = [pytest.mark.browser, pytest.mark.npm]

GRAVE = {"serious", "critical"}
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "best-practice"]
ADMIN = ("/admin/", "/admin/core/setting/", "/admin/webhooks/pullrequest/", "/admin/django_q/schedule/")


@pytest.fixture(scope="module")
def axe():
    return npm.axe()


def violations(page, axe):
    """What axe finds on the page as it stands: grave ones as (rule, how many, the first place)."""
    page.evaluate(axe)
    found = page.evaluate("rules => axe.run(document, { runOnly: rules })", RULES)
    return [
        (one["id"], len(one["nodes"]), one["nodes"][0]["html"][:160])
        for one in found["violations"]
        if one["impact"] in GRAVE
    ]


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_serious_on_any_page(duty, axe, width, scheme):
    duty.page.set_viewport_size({"width": width, "height": 900})
    duty.page.emulate_media(color_scheme=scheme)
    found = []
    for path in pages():
        duty.open(path)
        found += [(path, *bad) for bad in violations(duty.page, axe)]
    assert found == []


def test_axe_finds_nothing_serious_where_one_logs_in_or_is_turned_away(tab, axe):
    tab.open("/login/")
    assert violations(tab.page, axe) == []


def test_the_admin_works_under_the_policy(duty):
    for path in ADMIN:
        duty.open(path)
        expect(duty.page.locator("h1, #site-name").first).to_be_visible()
    row = Setting.objects.get(name="idle.interval-minutes")
    duty.open(f"/admin/core/setting/{row.pk}/change/")
    expect(duty.page.get_by_label("Value")).to_be_visible()


def test_the_page_about_the_api_works_under_the_policy(duty):
    duty.open("/api/v1/docs/")
    expect(duty.page.locator(".opblock").first).to_be_visible()
    expect(duty.page.get_by_role("heading", name="Pullkeeper")).to_be_visible()
