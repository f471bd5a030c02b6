"""The API of work items."""

from __future__ import annotations

from dataclasses import replace

import pytest
from rest_framework import serializers

from core.api.serializers import StrictSerializer
from tests.workqueue import lamps
from tests.workqueue.conftest import item
from tests.workqueue.lamps import submit
from tests.workqueue.test_events import happen
from workqueue import registry
from workqueue.models import WorkItem
from workqueue.services.working import work
from workqueue.values import Refused, Submitted

pytestmark = pytest.mark.usefixtures("shop")
ROOT = "/api/v1/work-items"


class LampInput(StrictSerializer):
    room = serializers.CharField(max_length=50)


def hand_in(given, identity):
    if given["room"] == "moon":
        raise Refused("too_far", "No lamps on the moon.")
    lamp, word = submit(given["room"], caller=identity)
    return Submitted(lamp, word, f"The lamp was {word}.")


@pytest.fixture
def door(monkeypatch):
    opened = registry.Door(serializer=f"{__name__}.LampInput", submit=hand_in)
    monkeypatch.setitem(registry.TYPES, "lamp", replace(lamps.LAMP, door=opened))


def test_b5_14_a_submission_makes_an_item_whose_caller_comes_from_authentication(door, caller):
    answer = caller("operator").post(f"{ROOT}/lamp", {"room": "hall"}, format="json")
    assert (answer.status_code, answer.json()["word"]) == (202, "created")
    made = item(answer.json()["item"])
    assert made.identity == "hall"
    assert "operator-user" in made.caller_identity


@pytest.mark.parametrize(
    "path, body, refusal",
    [
        ("lamp", {}, (400, "invalid")),
        ("lamp", {"room": "hall", "caller_identity": "the boss"}, (400, "invalid")),
        ("lamp", {"room": "moon"}, (409, "too_far")),
        ("torch", {"room": "hall"}, (404, "not_found")),
    ],
)
def test_a_submission_that_cannot_be_is_refused_with_the_reason(door, caller, path, body, refusal):
    answer = caller("operator").post(f"{ROOT}/{path}", body, format="json")
    assert (answer.status_code, answer.json()["code"]) == refusal
    assert answer.json()["detail"]
    assert not WorkItem.objects.exists()


def test_a_type_without_a_door_takes_no_submissions(caller):
    assert caller("operator").post(f"{ROOT}/lamp", {"room": "hall"}, format="json").status_code == 404


@pytest.mark.parametrize("path", ["lamp", "1/retry", "1/cancel"])
def test_a_viewer_may_look_and_do_nothing(door, caller, path):
    viewer = caller("viewer")
    assert viewer.get(ROOT).status_code == 200
    assert viewer.post(f"{ROOT}/{path}", {}, format="json").status_code == 403


def test_an_item_is_shown_with_its_dimensions_what_comes_next_and_the_audit(caller):
    lamp, _ = submit("hall", caller="alice")
    happen()
    seen = caller("viewer").get(f"{ROOT}/{lamp}").json()
    assert seen["next"] == {"action": "light", "sentence": "needs_light", "at": None}
    assert [(each["dimension"], each["status"]) for each in seen["dimensions"]] == [
        ("needs_dusting", "false"),
        ("needs_light", "true"),
    ]
    assert seen["audit"][-1]["sentence"] == "created by alice: lamp:hall:1"
    assert (seen["events_waiting"], seen["leased"], seen["idempotency_key"]) == (1, False, "lamp:hall:1")
    work()
    seen = caller("viewer", name="another").get(f"{ROOT}/{lamp}").json()
    assert seen["next"] == {"action": "", "sentence": "Nothing until an Event.", "at": None}
    assert seen["events_waiting"] == 0


def test_an_item_of_an_unknown_type_is_shown_all_the_same(caller):
    lamp, _ = submit()
    WorkItem.objects.filter(pk=lamp).update(item_type="torch")
    seen = caller("viewer").get(f"{ROOT}/{lamp}").json()
    assert seen["next"]["sentence"] == "Nothing here knows the item type torch."


@pytest.mark.parametrize(
    "query, found",
    [
        ("", ["hall", "attic", "cellar"]),
        ("?about=ATT", ["attic"]),
        ("?phase=failed", ["cellar"]),
        ("?item_type=lamp", ["hall", "attic", "cellar"]),
        ("?item_type=torch", []),
        ("?least_attempts=3", ["attic"]),
        ("?limit=1", ["hall"]),
    ],
)
def test_the_list_is_filtered_by_type_phase_attempts_and_text(caller, query, found):
    for room in ("cellar", "attic", "hall"):
        submit(room)
    WorkItem.objects.filter(identity="cellar").update(phase="failed")
    WorkItem.objects.filter(identity="attic").update(attempts=3)
    answer = caller("viewer").get(f"{ROOT}{query}")
    assert [each["subject"] for each in answer.json()["results"]] == found


@pytest.mark.parametrize("query", ["?phase=odd", "?least_attempts=0", "?surprise=1", "?cursor=x"])
def test_a_query_that_is_none_is_refused(caller, query):
    assert caller("viewer").get(f"{ROOT}{query}").status_code == 400


def test_the_list_costs_the_same_however_many_items_there_are(caller, django_assert_max_num_queries):
    viewer = caller("viewer")
    for number in range(30):
        submit(f"room {number}")
    with django_assert_max_num_queries(18):
        viewer.get(ROOT)


def test_retry_and_cancel_answer_with_the_item_or_with_409_and_the_reason(caller):
    operator = caller("operator")
    lamp, _ = submit()
    refused = operator.post(f"{ROOT}/{lamp}/retry", {}, format="json")
    assert (refused.status_code, refused.json()["code"]) == (409, "wrong_phase")
    assert refused.json()["detail"] == "It is active: there is nothing to retry."
    cancelled = operator.post(f"{ROOT}/{lamp}/cancel", {"reason": "not wanted"}, format="json")
    assert (cancelled.status_code, cancelled.json()["phase"]) == (200, "cancelled")
    assert "not wanted" in cancelled.json()["audit"][0]["sentence"]
    retried = operator.post(f"{ROOT}/{lamp}/retry/")
    assert (retried.status_code, retried.json()["phase"]) == (200, "active")
    assert operator.post(f"{ROOT}/{lamp + 1}/cancel", {}, format="json").status_code == 404
