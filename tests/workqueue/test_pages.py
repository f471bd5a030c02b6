"""The dashboard's pages of work items."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.contrib.admin.models import LogEntry

from tests.monitor.conftest import HOSTILE, parse
from tests.workqueue.conftest import item, told
from tests.workqueue.lamps import submit
from workqueue.models import WorkItem, WorkItemDimension
from workqueue.services.working import work

pytestmark = pytest.mark.usefixtures("shop")


@pytest.fixture
def lamps():
    """One that waits for its light, one that shines, one that failed: told by hostile text."""
    hall, attic, cellar = (submit(room, caller=HOSTILE)[0] for room in ("hall", "attic", HOSTILE[:50]))
    work()
    WorkItem.objects.filter(pk=hall).update(actionable=True, attempts=3, error=HOSTILE)
    WorkItemDimension.objects.filter(item=hall, dimension="needs_light").update(status="true")
    WorkItem.objects.filter(pk=cellar).update(phase="failed", error=HOSTILE)
    return {"hall": hall, "attic": attic, "cellar": cellar}


def test_the_list_says_what_each_needs_and_what_comes_next(lamps, see):
    page = see("/work-items/")
    assert page.row_ids() == [lamps["cellar"], lamps["attic"], lamps["hall"]]
    assert "light needs_light" in page.text
    assert "Nothing until an Event." in page.text
    assert "Nothing: it is failed." in page.text


@pytest.mark.parametrize(
    "query, found",
    [
        ("?status=failed", ["cellar"]),
        ("?status=active", ["attic", "hall"]),
        ("?about=ALL", ["hall"]),
        ("?item_type=lamp", ["cellar", "attic", "hall"]),
        ("?item_type=torch", []),
        ("?least_attempts=3", ["hall"]),
        ("?least_attempts=3&status=failed", []),
        ("?sort=-attempts", ["hall", "cellar", "attic"]),
    ],
)
def test_the_list_is_filtered_by_type_phase_failures_and_argument(lamps, see, query, found):
    assert see(f"/work-items/{query}").row_ids() == [lamps[name] for name in found]


@pytest.mark.parametrize("query", ["?status=odd", "?least_attempts=x", "?least_attempts=0"])
def test_a_filter_that_cannot_be_read_lists_nothing_and_says_so(lamps, see, query):
    page = see(f"/work-items/{query}")
    assert page.row_ids() == []
    assert "cannot be read" in page.text


def test_the_list_leaves_as_a_file(lamps, viewer):
    lines = b"".join(viewer.get("/work-items/?format=csv").streaming_content).decode().splitlines()
    assert lines[0].startswith("Work item,Type,Phase,Next,Dimensions")
    assert len(lines) == 4


def test_an_item_is_shown_with_dimensions_next_action_and_audit(lamps, see):
    page = see(f"/work-items/{lamps['hall']}/")
    for words in (
        "What happens next light needs_light",
        "needs_light",
        "lamp:hall:1",
        "Failures in a row 3",
        "it shines",
    ):
        assert words in page.text


def test_outside_text_stays_text_f37(lamps, see):
    for path in ("/work-items/", *(f"/work-items/{lamp}/" for lamp in lamps.values())):
        page = see(path)
        assert {image["src"] for image in page.all("img")} == {"/static/monitor/icon.svg"}
        assert not page.inline_script


def test_an_operator_retries_and_cancels_and_a_viewer_may_not(lamps, person):
    failed = lamps["cellar"]
    viewer = person()
    assert viewer.post(f"/work-items/{failed}/retry/").status_code == 403
    assert 'id="retry"' not in viewer.get(f"/work-items/{failed}/").content.decode()
    operator = person(name="grace", role="operator")
    assert 'id="retry"' in operator.get(f"/work-items/{failed}/").content.decode()
    answer = operator.post(f"/work-items/{failed}/retry/", follow=True)
    assert "You retried it." in parse(answer.content.decode()).text
    assert item(failed).phase == "active"
    operator.post(f"/work-items/{failed}/cancel/", {"reason": "not wanted"})
    assert told(failed, "cancel") == ["cancelled by grace: not wanted"]
    assert [entry.change_message for entry in LogEntry.objects.order_by("pk")] == [
        "retried it",
        "cancelled it",
    ]


def test_a_refusal_is_said_on_the_page(lamps, person):
    operator = person(role="operator")
    answer = operator.post(f"/work-items/{lamps['hall']}/retry/", follow=True)
    assert "It is active: there is nothing to retry." in parse(answer.content.decode()).text
    assert operator.post("/work-items/999999/cancel/").status_code == 404
    assert operator.get("/work-items/99999999999999999999/").status_code == 404


def test_a_held_item_says_until_when(lamps, see, clock):
    WorkItem.objects.filter(pk=lamps["hall"]).update(leased_until=clock.now + timedelta(seconds=30))
    assert "Held by a worker yes; the lease ends" in see(f"/work-items/{lamps['hall']}/").text


def test_an_empty_list_says_what_will_appear(see):
    assert "There is no work item yet." in see("/work-items/").text


def test_the_list_takes_few_queries_however_many_items(viewer, django_assert_max_num_queries):
    for number in range(60):
        submit(f"room {number}")
    with django_assert_max_num_queries(11):
        assert viewer.get("/work-items/").status_code == 200
