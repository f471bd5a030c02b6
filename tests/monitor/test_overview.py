"""The first page: one look answers whether it is healthy, what is stuck and what happens next."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from core import heartbeat
from core.models import Setting
from core.passes import find_pass
from core.registry import SPECS
from core.setting_specs import pass_switch
from tests import factories
from webhooks.models import Delivery, PullRequest, Rejection


def tiles(page):
    return {link["id"]: link["href"] for link in page.all("a") if link.get("id", "").startswith("tile-")}


def test_it_is_well_when_all_is_well(clock, see, github_app):
    heartbeat.beat(heartbeat.WORKER)
    assert "All is well" in see("/").text


def test_one_obstacle_of_several_passes_is_said_once(clock, see):
    text = see("/").text
    sentence = "Passes that cannot run (bot, sync-installations, sync-repositories, redeliver): GITHUB_APP_ID"
    assert text.count(sentence) == 1
    assert "All is well" not in text


def test_the_tiles_count_each_idle_status_and_lead_to_its_list(clock, see):
    for days, retries in ((5, 0), (5, 0), (2, 3), (60, 10)):
        factories.PullRequestFactory(updated_at=clock.now - timedelta(days=days), idle_retry_count=retries)
    page = see("/")
    assert "2 DUE 1 WAITING 1 GAVE_UP" in page.text
    assert tiles(page)["tile-DUE"] == "/idle/?status=DUE"
    assert len(see("/idle/?status=DUE").row_ids()) == 2


def test_the_states_are_counted_over_all_tables(clock, see):
    factories.PullRequestFactory(processing_state="IDLE")
    factories.PullRequestFactory(processing_state="NEW")
    factories.IssueFactory(processing_state="NEW")
    page = see("/")
    assert "2 NEW 0 UPDATED 0 RE_REQUESTED 1 IDLE 0 PROCESSING 0 PROCESSED" in page.text
    assert "3 pending" in page.text


def test_a_pending_row_of_a_day_ago_needs_somebody(clock, see):
    factories.PullRequestFactory(processing_state="NEW")
    PullRequest.objects.update(updated_at=clock.now - timedelta(days=1))
    assert "A pending row was last written 1 d ago" in see("/").text


def test_deliveries_and_rejections_are_those_of_a_day(clock, see):
    for status in ("applied", "failed", "failed"):
        factories.DeliveryFactory(status=status)
    Delivery.objects.create(
        guid="old", status="failed", received_at=clock.now - timedelta(hours=24, seconds=1)
    )
    Rejection.objects.create(reason="signature_wrong", hits=5)
    Rejection.objects.create(reason="signature_wrong", hour=clock.now - timedelta(days=2), hits=70)
    text = see("/").text
    assert "3 received 2 failed 5 turned away unread" in text
    assert "Failed in the last 24 hours: 2 deliveries." in text


def test_a_setting_that_is_refused_needs_somebody(clock, see):
    Setting.objects.update_or_create(name="idle.interval-minutes", defaults={"value": "often"})
    page = see("/")
    assert "The Setting idle.interval-minutes is refused" in page.text
    assert "/admin/core/setting/" in {link["href"] for link in page.all("a")}


def test_a_pass_that_nobody_has_switched_on_yet_needs_nobody(clock, see, github_app, settings):
    off = replace(find_pass("sample"), switch=pass_switch("made-up", default=False))
    heartbeat.beat(heartbeat.WORKER)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("monitor.passes.SAMPLE", off)
        text = see("/").text
    del SPECS["made-up.enabled"], SPECS["made-up.pause-reason"]
    assert "sample is paused" not in text
    assert "it is off until somebody switches it on" in text
