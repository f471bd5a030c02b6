"""Deliveries: listed, found, read, replayed."""

from __future__ import annotations

import json
import zlib
from urllib.parse import quote_from_bytes

import pytest

from monitor.selectors.deliveries import SHOWN_CHARACTERS, payload_of
from tests.factories import DeliveryFactory
from webhooks.models import Delivery

BODY = b'{"action": "opened", "title": "<b>caf\\u00e9</b>", "odd": "\\ud83d"}'


def packed(body):
    return Delivery(body=zlib.compress(body))


def test_the_newest_come_first(db, see):
    rows = [DeliveryFactory().pk for _ in range(3)]
    assert see("/deliveries/").row_ids() == rows[::-1]


def test_they_are_found_by_status_event_repository_and_guid(db, see):
    plain = DeliveryFactory()
    odd = DeliveryFactory(status="failed", event="push", repository_owner="Acme", repository_name="Ledger")
    for query in (
        "status=failed",
        "event=push",
        "repository=acme/ledger",
        f"guid={odd.guid}",
        f"guid={odd.guid.upper()}",
        f"status=failed&event=push&repository=acme/ledger&guid={odd.guid}",
    ):
        assert see(f"/deliveries/?{query}").row_ids() == [odd.pk], query
    assert see(f"/deliveries/?status=failed&guid={plain.guid}").row_ids() == []


def test_two_hundred_and_fifty_of_one_instant_are_each_shown_once_while_more_come_in_f37(db, see):
    rows = [row.pk for row in Delivery.objects.bulk_create(DeliveryFactory.build_batch(250))]
    path, shown = "/deliveries/?status=applied", []
    while path:
        page = see(path)
        shown += page.row_ids()
        DeliveryFactory()
        path = page.link("next")
    assert shown == rows[::-1]


def test_the_list_never_loads_a_body(db, viewer, django_assert_max_num_queries):
    DeliveryFactory(body=zlib.compress(BODY))
    with django_assert_max_num_queries(7) as queries:
        viewer.get("/deliveries/")
    assert not [query["sql"] for query in queries if "Body" in query["sql"]]


def test_one_is_shown_with_its_envelope_and_its_payload_as_text(db, see):
    row = DeliveryFactory(body=zlib.compress(BODY), note="Pull request 7 is NEW.", sender_login="alice")
    page = see(f"/deliveries/{row.pk}/")
    for part in (row.guid, "Pull request 7 is NEW.", "alice", "<b>café</b>"):
        assert part in page.text
    assert "Replay" not in page.text


@pytest.mark.parametrize("body", [BODY, b"payload=" + quote_from_bytes(BODY).encode()], ids=["json", "form"])
def test_a_payload_is_indented_whichever_way_it_came(body):
    payload = payload_of(packed(body))
    assert payload.note == ""
    assert '\n  "title": "<b>café</b>"' in payload.text
    payload.text.encode()


def test_what_is_no_json_is_shown_as_it_came():
    payload = payload_of(packed(b"\xff not json"))
    assert "not json" in payload.text
    assert payload.note.startswith("Shown as it came")


def test_a_huge_payload_is_cut_and_says_so():
    payload = payload_of(packed(json.dumps({"x": "y" * 2 * SHOWN_CHARACTERS}).encode()))
    assert len(payload.text) == SHOWN_CHARACTERS
    assert "Only the first 200,000 characters" in payload.note


def test_a_body_that_is_gone_is_said_to_be_gone():
    assert "not kept" in payload_of(Delivery(body=None)).note


def test_only_people_with_the_permission_replay(db, person, viewer):
    row = DeliveryFactory(status="failed", event="nothing_we_know", body=zlib.compress(BODY))
    path = f"/deliveries/{row.pk}/"
    assert viewer.post(f"{path}replay/").status_code == 403
    row.refresh_from_db()
    assert row.status == "failed"
    able = person(role="operator", name="bert")
    assert "Replay" in able.get(path).content.decode()
    answer = able.post(f"{path}replay/", follow=True)
    row.refresh_from_db()
    assert row.status == "ignored"
    assert "Replay: ignored." in answer.content.decode()


def test_a_delivery_that_has_done_its_work_is_not_replayed(db, person):
    row = DeliveryFactory(status="applied", body=zlib.compress(BODY))
    able = person(role="operator", name="bert")
    assert "Replay" not in able.get(f"/deliveries/{row.pk}/").content.decode()
    assert "refused" in able.post(f"/deliveries/{row.pk}/replay/", follow=True).content.decode()
    assert able.post("/deliveries/999/replay/").status_code == 404
    assert able.get(f"/deliveries/{row.pk}/replay/").status_code == 405
