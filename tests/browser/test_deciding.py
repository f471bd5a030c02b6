"""What an operator decides in a real browser: merges approved and rejected, a delivery replayed."""

from __future__ import annotations

import json
import zlib

import pytest
from playwright.sync_api import expect

from core import heartbeat
from core.registry import add_missing_rows
from merge import selectors as merging
from merge.values import Status
from sandbox import payloads
from tests import factories
from tests.browser.conftest import HOSTILE, make_person
from tests.merge import rows
from tests.webhooks.hook import ALICE, PULL
from webhooks.models import Delivery, PullRequest

pytestmark = pytest.mark.browser


@pytest.fixture
def shift(tab):
    """A tab at the login, on an installation with a worker, an operator olga and a viewer vera."""
    add_missing_rows()
    heartbeat.beat(heartbeat.WORKER)
    make_person("olga", "operator")
    make_person("vera", "viewer")
    return tab


def status_of(merge) -> Status:
    return merging.status(merging.merges().get(pk=merge.pk))


def test_one_merge_is_approved_and_one_rejected_with_a_reason_by_who_may(shift):
    page = shift.page
    wanted, unwanted = (rows.merge(number, approved=False, title=HOSTILE) for number in (1, 2))
    shift.log_in("vera")
    page.get_by_role("link", name="Merges").click()
    expect(page.locator(f"#row-{wanted.pk}")).to_contain_text("It changes more than documents")
    expect(page.get_by_role("button", name="Approve the merge")).to_have_count(0)
    shift.log_out()
    shift.log_in("olga")
    page.get_by_role("link", name="Merges").click()
    page.get_by_role("button", name="Approve the merge of octo/tools#1").click()
    expect(page.locator(".messages")).to_have_text("The merge of octo/tools#1 is approved.")
    expect(page.locator(f"#row-{wanted.pk} .badge")).to_have_text("approved")
    line = page.locator(f"#row-{unwanted.pk}")
    line.locator("summary").click()
    line.get_by_role("button", name="Reject the merge").click()
    # The browser itself asks for the reason, and sends nothing without one.
    expect(line.get_by_label("Reason")).to_be_focused()
    assert status_of(unwanted) is Status.PENDING
    line.get_by_label("Reason").fill("Not in the week of the fair.")
    line.get_by_role("button", name="Reject the merge").click()
    expect(page.locator(".messages")).to_have_text("The merge of octo/tools#2 is rejected.")
    expect(page.locator(f"#row-{unwanted.pk}")).to_contain_text(
        "Rejected by olga: Not in the week of the fair."
    )
    assert (status_of(wanted), status_of(unwanted)) == (Status.APPROVED, Status.REJECTED)
    page.get_by_role("link", name="Actions").click()
    expect(page.locator("tbody tr")).to_have_count(2)
    expect(page.locator("tbody tr").first).to_contain_text("merge rejected")


def test_a_failed_delivery_is_replayed_and_leads_to_what_came_of_it(shift):
    page = shift.page
    body = json.dumps(payloads.pull_request("opened", PULL, ALICE)).encode()
    failed = factories.DeliveryFactory(
        status="failed",
        error="OperationalError: the disk was full",
        repository_owner="octo",
        repository_name="tools",
        body=zlib.compress(body),
    )
    shift.log_in("olga")
    page.get_by_label("Pages").get_by_role("link", name="Deliveries").click()
    page.get_by_label("Status").select_option("failed")
    page.get_by_role("button", name="Filter").click()
    page.get_by_role("link", name="pull_request · opened").click()
    expect(page.locator(".verdict")).to_contain_text("the disk was full")
    page.get_by_role("button", name="Replay").click()
    expect(page.locator(".messages")).to_contain_text("Replay: applied.")
    expect(page.locator("h1 .badge")).to_have_text("applied")
    expect(page.get_by_role("button", name="Replay")).to_have_count(0)
    assert Delivery.objects.get(pk=failed.pk).status == "applied"
    page.get_by_role("link", name="octo/tools#5").click()
    expect(page.locator("h1")).to_have_text("octo/tools#5")
    expect(page.locator(".timeline")).to_contain_text("Delivery pull_request")
    assert PullRequest.objects.get(number=5).processing_state == "NEW"
