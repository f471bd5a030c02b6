"""Who clicked what."""

from __future__ import annotations

import zlib

from core.actions import note
from core.models import Setting
from tests.factories import DeliveryFactory
from tests.monitor.conftest import HOSTILE, parse


def lines(client, query=""):
    return parse(client.get(f"/actions/{query}").content.decode()).text


def test_a_run_a_replay_and_a_changed_setting_are_kept_with_who_did_it(db, person, see, github_app):
    chief = person(name="chief", is_staff=True, is_superuser=True)
    row = DeliveryFactory(status="failed", event="nothing_we_know", body=zlib.compress(b"{}"))
    setting, _ = Setting.objects.update_or_create(name="idle.interval-minutes", defaults={"value": None})
    chief.post("/passes/idle/run/")
    chief.post(f"/deliveries/{row.pk}/replay/")
    chief.post(f"/admin/core/setting/{setting.pk}/change/", {"value": "15"})
    text = see("/actions/").text
    for line in (
        "chief asked for a run pass idle",
        f"chief replayed it: ignored delivery {row.pk}",
        "chief default → 15 setting idle.interval-minutes",
    ):
        assert line in text


def test_what_was_refused_is_not_kept_as_done(db, person, see):
    Setting.objects.update_or_create(name="idle.enabled", defaults={"value": "off"})
    person(role="operator", name="bob").post("/passes/idle/run/")
    assert "Nobody did anything yet" in see("/actions/").text


def test_they_are_found_by_name_and_hostile_text_stays_text(db, person):
    client = person(name="ada")
    from django.contrib.auth.models import User

    note(User.objects.get(username="ada"), HOSTILE * 20, HOSTILE)
    assert HOSTILE in lines(client, "?user=ada")
    assert "Nobody of that name" in lines(client, "?user=bob")
